import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { mergePatch } from "./merge-patch.ts";
import { patchBetween } from "./patch-between.ts";

const state = fc.dictionary(
  fc.constantFrom("a", "b", "c", "__proto__", ""),
  fc.jsonValue({ maxDepth: 3 }),
) as fc.Arbitrary<JsonObject>;

test("[S1.1] the patch between two states leads from the one to the other", () => {
  fc.assert(
    fc.property(state, state, (before, patch) => {
      const after = mergePatch(before, patch);
      expect(mergePatch(before, patchBetween(before, after))).toEqual(after);
      expect(patchBetween(after, after)).toEqual({});
    }),
  );
});
