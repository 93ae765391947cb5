import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryObject } from "../../test/arbitrary-json.ts";
import { mergePatch } from "./merge-patch.ts";
import { growthBy, sizeOf } from "./state-size.ts";

test("[S1.3] counting only what patches touch keeps the size of the state exact", () => {
  fc.assert(
    fc.property(arbitraryObject, fc.array(arbitraryObject, { maxLength: 3 }), (initial, patches) => {
      let state = initial;
      let size = sizeOf(state);
      for (const patch of patches) {
        size += growthBy(state, patch);
        state = mergePatch(state, patch);
      }
      expect(size).toBe(sizeOf(state));
    }),
    { numRuns: 1_000 },
  );
});

test("the size is close to the length as JSON", () => {
  const state = { lamp: { lit: true, name: "the old lamp" }, list: [1, 2, 3], nothing: null };
  expect(sizeOf(state)).toBeGreaterThanOrEqual(JSON.stringify(state).length);
  expect(sizeOf(state)).toBeLessThan(2 * JSON.stringify(state).length);
});
