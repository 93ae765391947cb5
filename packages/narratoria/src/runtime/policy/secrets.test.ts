import { describe, expect, test } from "vitest";
import { createRedaction, secretsFor, type Secrets } from "./secrets.ts";

function redact<T>(value: T, secrets: Secrets): T {
  return createRedaction(secrets)(value);
}

describe("[K1.5] which secrets a tool gets", () => {
  const host = { WEATHER_KEY: "sun", OTHER: "no", EMPTY: "" };

  test("those it names, where the host has them", () => {
    const grants = [
      "secrets.read:WEATHER_KEY",
      "secrets.read:MISSING",
      "secrets.read:EMPTY",
      "net.fetch",
      "secrets.read",
    ];
    expect(secretsFor(grants, host)).toEqual({ WEATHER_KEY: "sun" });
  });
});

describe("[K1.6] secrets never reach the log", () => {
  const secrets = { KEY: "k3y-0f-the-h1ll", LONGER: "k3y-0f-the-h1ll-and-more", QUOTED: 'say "friend"\nand enter' };

  test("wherever they stand in a value, keys included", () => {
    const value = { a: ["x k3y-0f-the-h1ll y", 1, null], "k3y-0f-the-h1ll": { b: true } };
    expect(redact(value, secrets)).toEqual({ a: ["x [secret] y", 1, null], "[secret]": { b: true } });
  });

  test("the longer one first: nothing of it remains", () => {
    expect(redact("<k3y-0f-the-h1ll-and-more>", secrets)).toBe("<[secret]>");
  });

  test("as JSON text spells them", () => {
    expect(redact(JSON.stringify({ text: secrets.QUOTED }), secrets)).toBe('{"text":"[secret]"}');
  });

  test("cut at the ends of an excerpt", () => {
    expect(redact("the line begins: k3y-0f-the", secrets)).toBe("the line begins: [secret]");
    expect(redact("0f-the-h1ll is its end", secrets)).toBe("[secret] is its end");
    expect(redact("-the-h1ll and k3y-0f-", secrets)).toBe("[secret] and [secret]");
  });

  test("`__proto__` stays an ordinary key", () => {
    const value = JSON.parse('{"__proto__":"k3y-0f-the-h1ll"}') as object;
    expect(JSON.stringify(redact(value, secrets))).toBe('{"__proto__":"[secret]"}');
  });

  test.each([
    ["in base64", (value: string) => Buffer.from(value).toString("base64")],
    ["in base64 among others", (value: string) => Buffer.from(`user:${value}:more`).toString("base64")],
    ["one byte further", (value: string) => Buffer.from(`user1:${value}`).toString("base64")],
    ["in base64 for addresses", (value: string) => Buffer.from(value).toString("base64url")],
    ["in hexadecimal digits", (value: string) => Buffer.from(value).toString("hex")],
    ["in large ones", (value: string) => Buffer.from(value).toString("hex").toUpperCase()],
    [
      "in pairs of them",
      (value: string) =>
        Buffer.from(value)
          .toString("hex")
          .replaceAll(/(..)(?=.)/g, "$1:"),
    ],
    ["in an address", (value: string) => encodeURIComponent(value)],
    ["in a form", (value: string) => new URLSearchParams({ q: value }).toString()],
    ["in JSON in JSON", (value: string) => JSON.stringify(value)],
    ["in JSON of plain letters", (value: string) => JSON.stringify(value).replaceAll("ö", "\\u00f6")],
    [
      "in HTML",
      (value: string) =>
        value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
    ],
  ])("%s", (_, spell) => {
    for (const value of ["k3y-0f-the-h1ll", 'a+b/c?"<ö>"&=~ end', "sechs6"]) {
      const found = redact(`<<${spell(value)}>>`, { KEY: value });
      expect(found).toContain("[secret]");
      expect(found.replaceAll("[secret]", "").length).toBeLessThan(24);
    }
  });

  test("a key of many lines: each line by itself, and in base64 of many lines", () => {
    const line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
    const key = `-----BEGIN PRIVATE KEY-----\n${line}\n${line.toLowerCase()}\n-----END PRIVATE KEY-----\n`;
    expect(redact(`it says ${line}`, { KEY: key })).toBe("it says [secret]");
    const wrapped = Buffer.from(key)
      .toString("base64")
      .replaceAll(/(.{76})/g, "$1\n");
    expect(redact(wrapped, { KEY: key }).replaceAll(/\[secret\]|\n/g, "").length).toBeLessThan(24);
  });

  test("a number that spells one; a short one is as often a number of something", () => {
    const secrets = { LONG: "4929123412341234", PIN: "1234" };
    expect(redact({ n: 4929123412341234, m: 1234, text: "1234" }, secrets)).toEqual({
      n: "[secret]",
      m: 1234,
      text: "[secret]",
    });
  });

  test("what holds none is the very same", () => {
    const value = { a: ["x", { b: "y" }], c: null };
    expect(redact(value, secrets)).toBe(value);
  });

  test("without secrets nothing is copied", () => {
    const value = { a: 1 };
    expect(redact(value, {})).toBe(value);
  });
});
