import { describe, expect, test } from "vitest";
import { redact, secretsFor } from "./secrets.ts";

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

  test("without secrets nothing is copied", () => {
    const value = { a: 1 };
    expect(redact(value, {})).toBe(value);
  });
});
