import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { diffStates } from "./diff-states.ts";

describe("[U1.7] the difference of two states", () => {
  test("names what is new, gone and changed, by its path", () => {
    const before = { torch: { lit: false, name: "torch" }, oil: 3, "a/b": 1 };
    const after = { torch: { lit: true, name: "torch" }, "a/b": 2, door: { open: true } };
    expect(diffStates(before, after)).toEqual([
      { path: "/torch/lit", before: false, after: true },
      { path: "/oil", before: 3 },
      { path: "/a~1b", before: 1, after: 2 },
      { path: "/door", after: { open: true } },
    ]);
  });

  test("compares lists of one length item by item, others as wholes", () => {
    expect(diffStates({ a: [1, { x: 1 }], b: [1] }, { a: [1, { x: 2 }], b: [1, 2] })).toEqual([
      { path: "/a/1/x", before: 1, after: 2 },
      { path: "/b", before: [1], after: [1, 2] },
    ]);
  });

  test("an object is not a list, and null is not an empty object", () => {
    expect(diffStates({ a: {}, b: null }, { a: [], b: {} })).toEqual([
      { path: "/a", before: {}, after: [] },
      { path: "/b", before: null, after: {} },
    ]);
  });

  test("a name like __proto__ is a name", () => {
    const odd = JSON.parse('{"__proto__": {"x": 1}}') as JsonObject;
    expect(diffStates({}, odd)).toEqual([{ path: "/__proto__", after: { x: 1 } }]);
    expect(diffStates(odd, {})).toEqual([{ path: "/__proto__", before: { x: 1 } }]);
  });

  test("a state does not differ from a copy of itself, and differs from another", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (one, other) => {
          const [a, b] = [one, other].map((state) => JSON.parse(JSON.stringify(state)) as JsonObject);
          expect(diffStates(a ?? {}, structuredClone(a ?? {}))).toEqual([]);
          expect(diffStates(a ?? {}, b ?? {}).length === 0).toBe(isSame(a ?? {}, b ?? {}));
        },
      ),
    );
  });
});

/** Whatever order the names stand in. */
function isSame(one: JsonObject, other: JsonObject): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
}
