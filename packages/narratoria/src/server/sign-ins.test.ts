import { describe, expect, test } from "vitest";
import type { KeptKey, KeyKeeper } from "../stores/sign-in-file.ts";
import { CODE_LIVES_MS, createSignIns } from "./sign-ins.ts";
import { createSignedAddresses } from "./signed-addresses.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

describe("[Z1.8] one-time codes", () => {
  test("work once", () => {
    const signIns = createSignIns({ token: "t" });
    const { text: code } = signIns.newCode();
    expect(signIns.isKnown(code)).toBe(false);
    const key = signIns.signIn({ code })?.text ?? "";
    expect([key.length, signIns.isKnown(key), signIns.signIn({ code })]).toEqual([43, true, null]);
  });

  test("work for some minutes", () => {
    let now = 0;
    const signIns = createSignIns({ token: "t", now: () => now });
    const [early, late] = [signIns.newCode().text, signIns.newCode().text];
    now = CODE_LIVES_MS - 1;
    expect(signIns.signIn({ code: early })).not.toBeNull();
    now = CODE_LIVES_MS;
    expect(signIns.signIn({ code: late })).toBeNull();
  });

  test("are few at a time, and never the empty one", () => {
    const signIns = createSignIns({ token: "t" });
    const codes = Array.from({ length: 21 }, () => signIns.newCode().text);
    expect(new Set(codes).size).toBe(21);
    expect(codes.map((code) => signIns.signIn({ code }) !== null)).toEqual([false, ...Array<boolean>(20).fill(true)]);
    expect(signIns.signIn({ code: "" })).toBeNull();
  });

  test("the token signs in too, another does not", () => {
    const signIns = createSignIns({ token: "t" });
    expect([signIns.signIn({ token: "u" }), signIns.signIn({ token: "t" })]).toEqual([null, expect.anything()]);
  });
});

describe("[Z1.8] keys of those who signed in", () => {
  test("outlive the process, hashed, and end with the token", () => {
    const keeper = memory();
    const key = createSignIns({ token: "t", keeper }).signIn({ token: "t" })?.text ?? "";
    expect(JSON.stringify(keeper.kept)).not.toContain(key);
    expect(createSignIns({ token: "t", keeper }).isKnown(key)).toBe(true);
    expect(createSignIns({ token: "another", keeper }).isKnown(key)).toBe(false);
  });

  test("end after two months without a visit, and not while somebody comes", () => {
    let now = 0;
    const options = { token: "t", keeper: memory(), now: () => now };
    const signIns = createSignIns(options);
    const key = (): string => signIns.signIn({ token: "t" })?.text ?? "";
    const [comes, staysAway] = [key(), key()];
    for (const day of [10, 40, 80, 120]) {
      now = day * DAY_MS;
      expect(signIns.isKnown(comes)).toBe(true);
    }
    expect([signIns.isKnown(staysAway), createSignIns(options).isKnown(comes)]).toEqual([false, true]);
    expect(options.keeper.kept).toHaveLength(1);
  });

  test("are a hundred at most: the oldest goes", () => {
    const signIns = createSignIns({ token: "t", keeper: memory() });
    const keys = Array.from({ length: 101 }, () => signIns.signIn({ token: "t" })?.text ?? "");
    expect(keys.map((key) => signIns.isKnown(key)).indexOf(true)).toBe(1);
  });

  test("the host's own ends with it", () => {
    const keeper = memory();
    const { ownKey, isKnown } = createSignIns({ token: "t", keeper });
    expect([isKnown(ownKey), createSignIns({ token: "t", keeper }).isKnown(ownKey)]).toEqual([true, false]);
  });
});

describe("[Z1.8] signed addresses", () => {
  test("lead where they say, for a while, and nowhere else", () => {
    let now = 1_000_000_000_000;
    const addresses = createSignedAddresses(() => now);
    const { path, query } = parse(addresses.sign("/api/assets/a-1") ?? "");
    expect([path, addresses.isSigned(path, query)]).toEqual(["/api/assets/a-1", true]);
    expect(addresses.isSigned("/api/assets/a-2", query)).toBe(false);
    expect(addresses.isSigned(path, { ...query, until: String(Number(query["until"]) + 1) })).toBe(false);
    expect(addresses.isSigned(path, { ...query, signature: "" })).toBe(false);
    expect(addresses.isSigned(path, {})).toBe(false);
    expect(createSignedAddresses(() => now).isSigned(path, query)).toBe(false);
    now += 15 * 60 * 1000 - 1;
    expect(addresses.isSigned(path, query)).toBe(true);
    now = addresses.until();
    expect(addresses.isSigned(path, query)).toBe(false);
  });

  test("stay the same for some minutes, so that the browser's cache knows them", () => {
    let now = 15 * 60 * 1000 * 1_000_000;
    const addresses = createSignedAddresses(() => now);
    const first = addresses.sign("/api/assets/a");
    now += 15 * 60 * 1000 - 1;
    expect(addresses.sign("/api/assets/a")).toBe(first);
    now += 1;
    expect(addresses.sign("/api/assets/a")).not.toBe(first);
  });

  test.each([
    "/api/sessions",
    "/api/sessions/x",
    "/api/assets/a/b",
    "/api/assets/",
    "/api/tools",
    "//api/assets/a",
    "",
  ])("%j is never signed", (path) => expect(createSignedAddresses().sign(path)).toBeNull());
});

function memory(): KeyKeeper & { kept: readonly KeptKey[] } {
  const keeper = {
    kept: [] as readonly KeptKey[],
    load: () => [...keeper.kept],
    save: (keys: readonly KeptKey[]) => void (keeper.kept = keys),
  };
  return keeper;
}

function parse(address: string): { path: string; query: { [name: string]: string } } {
  const url = new URL(address, "http://localhost");
  return { path: url.pathname, query: Object.fromEntries(url.searchParams) };
}
