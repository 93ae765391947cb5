import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { arbitraryObject } from "../../test/arbitrary-json.ts";
import { changesBy } from "./changes.ts";
import { lookUp, parsePointer } from "./json-pointer.ts";
import { mergePatch } from "./merge-patch.ts";

describe("[U1.2] what a patch changes", () => {
  test.each<[JsonObject, JsonObject, object[]]>([
    [{}, { a: 1 }, [{ path: "/a", after: 1 }]],
    [{ a: 1 }, { a: 2 }, [{ path: "/a", before: 1, after: 2 }]],
    [{ a: 1 }, { a: 1 }, []],
    [{ a: 1 }, { a: null }, [{ path: "/a", before: 1 }]],
    [{}, { a: null }, []],
    [{ a: 1 }, {}, []],
    [{ a: { b: 1 } }, { a: {} }, []],
    [{ a: 1 }, { a: {} }, [{ path: "/a", before: 1, after: {} }]],
    [{ a: { b: 1, c: 2 } }, { a: { b: 3 } }, [{ path: "/a/b", before: 1, after: 3 }]],
    [{ a: [1] }, { a: [1, 2] }, [{ path: "/a", before: [1], after: [1, 2] }]],
    [{}, { "x/y": { "~": true } }, [{ path: "/x~1y/~0", after: true }]],
    [
      {},
      { b: 1, a: 2 },
      [
        { path: "/b", after: 1 },
        { path: "/a", after: 2 },
      ],
    ],
  ])("%j with %j", (state, patch, changes) => expect(changesBy(state, patch)).toStrictEqual(changes));

  test("is what the state really has afterwards", () => {
    fc.assert(
      fc.property(arbitraryObject, arbitraryObject, (state, patch) => {
        const after = mergePatch(state, patch);
        for (const change of changesBy(state, patch)) {
          const tokens = parsePointer(change.path) ?? [];
          expect(lookUp(after, tokens)).toEqual(change.after);
        }
      }),
    );
  });

  test("is at most a hundred, however large the patch", () => {
    const patch = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n}`, n]));
    expect(changesBy({}, patch)).toHaveLength(100);
  });
});
