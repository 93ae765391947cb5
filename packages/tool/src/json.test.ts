import { describe, expect, test } from "vitest";
import { MAX_JSON_DEPTH, readJson } from "./json.ts";

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

describe("readJson", () => {
  test("[T2.3] 256 levels are read, 257 are too deep", () => {
    expect(MAX_JSON_DEPTH).toBe(256);
    expect(readJson(nested(256)).kind).toBe("value");
    expect(readJson(nested(257))).toEqual({ kind: "too_deep" });
    expect(readJson(`{"a":${nested(255)}}`).kind).toBe("value");
    expect(readJson(`{"a":${nested(256)}}`)).toEqual({ kind: "too_deep" });
  });

  test("[T2.3] brackets in strings, siblings and escaped quotes do not count as depth", () => {
    expect(readJson(JSON.stringify({ a: "[".repeat(1000), b: `\\"${"{".repeat(1000)}` })).kind).toBe("value");
    expect(readJson(`[${Array(1000).fill("[]").join(",")}]`).kind).toBe("value");
  });

  test.each(["1e400", "-1e400", `{"a":[1,-1E+999]}`, `[ 12.5e309]`, `[${"9".repeat(400)}]`])(
    "[T2.3] %s is not finite and therefore invalid",
    (text) => {
      expect(readJson(text).kind).toBe("invalid");
    },
  );

  test.each([`{"n":9007199254740993}`, `[-9007199254740993]`, `[1e22]`, `[12345678901234567890]`])(
    "[T2.3] %s holds an integer beyond 2^53",
    (text) => {
      expect(readJson(text)).toMatchObject({ kind: "value", hasUnsafeInteger: true });
    },
  );

  test.each([
    `{"id":"550e8400"}`,
    `{"id":"550e8400-e29b-41d4-a716-446655440000"}`,
    `["9007199254740993"]`,
    `[9007199254740991, 1e3, 0.12345678901234567, 1.5e-300]`,
  ])("[T2.3] %s gives no warning", (text) => {
    expect(readJson(text)).toMatchObject({ kind: "value", hasUnsafeInteger: false });
  });

  test.each(["", "{", "{'a':1}", "[1,]", "NaN", `"a\u0000b"`, "{} {}"])("[T2.3] %j is invalid", (text) => {
    expect(readJson(text).kind).toBe("invalid");
  });

  test("[S1.2] a __proto__ key survives as an ordinary key", () => {
    const reading = readJson(`{"__proto__":{"polluted":true}}`);
    if (reading.kind !== "value") throw new Error(reading.kind);
    expect(Object.keys(reading.value as object)).toEqual(["__proto__"]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
