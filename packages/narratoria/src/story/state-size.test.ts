import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "@narratoria/tool/json";
import { arbitraryObject, arbitraryObjectWithoutNull } from "../../test/arbitrary-json.ts";
import { mergePatch } from "./merge-patch.ts";
import { growthBy, MOST_PATCH_BYTES, MOST_STATE_BYTES, sizeOf } from "./state-size.ts";

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

  test.each<[Json, number]>([
    ["", 2],
    ["abc", 5],
    [1.5, 8],
    [null, 8],
    [[], 2],
    [[true, "a"], 4 + 8 + 3],
    [{}, 2],
    [{ oil: 3, on: [] }, 2 + (7 + 8) + (6 + 2)],
  ])("%j counts %i", (value, size) => expect(sizeOf(value)).toBe(size));

  test("the state may have 16 MiB, a patch one", () => {
    expect([MOST_STATE_BYTES, MOST_PATCH_BYTES]).toEqual([16_777_216, 1_048_576]);
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
