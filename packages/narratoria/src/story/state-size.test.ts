import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { arbitraryObject, arbitraryObjectWithoutNull } from "../../test/arbitrary-json.ts";
import { mergePatch } from "./merge-patch.ts";
import { growthBy, sizeOf } from "./state-size.ts";

describe("the size of the state", () => {
  test("tracked patch by patch it is exactly the size of what the merges give", () => {
    fc.assert(
      fc.property(arbitraryObjectWithoutNull, fc.array(arbitraryObject, { maxLength: 6 }), (initial, patches) => {
        let state: JsonObject = initial;
        let size = sizeOf(state);
        for (const patch of patches) {
          size += growthBy(state, patch);
          state = mergePatch(state, patch);
          expect(size).toBe(sizeOf(state));
        }
      }),
    );
  });

  test("follows the text of the state: never less than half of it, never more than eight times", () => {
    fc.assert(
      fc.property(arbitraryObjectWithoutNull, (state) => {
        const text = JSON.stringify(state).length;
        expect(sizeOf(state)).toBeGreaterThanOrEqual(text / 2);
        expect(sizeOf(state)).toBeLessThanOrEqual(text * 8);
      }),
    );
  });

  test("nesting costs no stack", () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 100_000; level++) deep = { a: deep };
    expect(sizeOf(deep)).toBe(100_000 * 7 + 2);
    expect(growthBy({}, deep)).toBe(sizeOf(deep) - 2);
  });

  test("what a patch does not touch is not looked at", () => {
    const untouched = new Proxy({}, { ownKeys: () => expect.unreachable("looked at an untouched branch") });
    expect(growthBy({ big: untouched, small: 1 }, { small: "three" })).toBe(-8 + 7);
  });
});
