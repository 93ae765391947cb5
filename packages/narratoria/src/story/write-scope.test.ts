import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryObject, KEYS } from "../../test/arbitrary-json.ts";
import { formatPointer, parsePointer } from "./json-pointer.ts";
import { mergePatch } from "./merge-patch.ts";
import { findForbiddenWrite } from "./write-scope.ts";

describe("[S1.5] a patch inside its scopes passes", () => {
  test.each<[name: string, writes: string[] | undefined, patch: string]>([
    ["no manifest, no limit", undefined, '{"anything":{"at":["all"]}}'],
    ["the empty pointer is the whole state", [""], '{"anything":null}'],
    ["the place itself", ["/inventory"], '{"inventory":{"torch":{"lit":true}}}'],
    ["the place itself replaced", ["/inventory"], '{"inventory":[]}'],
    ["the place itself removed", ["/inventory"], '{"inventory":null}'],
    ["below the place", ["/inventory/torch"], '{"inventory":{"torch":{"lit":null}}}'],
    ["several scopes in one patch", ["/a/b", "/c", "/a/d"], '{"a":{"b":1,"d":2},"c":null}'],
    ["a wide scope beside a narrow one within it", ["/a/b", "/a"], '{"a":{"z":1}}'],
    ["the same the other way round", ["/a", "/a/b"], '{"a":{"z":1}}'],
    ["escaped slash and tilde", ["/a~1b/m~0n/~01"], '{"a/b":{"m~n":{"~1":1}}}'],
    ["an empty key", ["/"], '{"":1}'],
    ["a key like a prototype's", ["/__proto__/x"], '{"__proto__":{"x":1}}'],
    ["a patch that says nothing", [], "{}"],
  ])("%s", (_, writes, patch) => {
    expect(findForbiddenWrite(parse(patch), writes, {})).toBeNull();
  });
});

describe("[S1.5] a patch that reaches outside is refused, and the place is named", () => {
  test.each<[name: string, writes: string[], patch: string, place: string]>([
    ["no place at all is allowed", [], '{"a":1}', "/a"],
    ["beside the place", ["/inventory"], '{"inventory":{},"health":1}', "/health"],
    ["beside the place, further down", ["/a/b"], '{"a":{"b":1,"c":2}}', "/a/c"],
    ["a name that only begins alike", ["/inv"], '{"inventory":1}', "/inventory"],
    ["a parent replaced by a scalar", ["/a/b"], '{"a":1}', "/a"],
    ["a parent replaced by an array", ["/a/b"], '{"a":[{"b":1}]}', "/a"],
    ["a parent removed", ["/a/b"], '{"a":null}', "/a"],
    ["a grandparent removed", ["/a/b/c"], '{"a":{"b":null}}', "/a/b"],
    ["a removal beside the place", ["/a/b"], '{"a":{"c":null}}', "/a/c"],
    ["the place is written with escapes", ["/x"], '{"a/b~c":1}', "/a~1b~0c"],
    ["an unescaped slash is no way down", ["/a/b"], '{"a/b":1}', "/a~1b"],
    ["__proto__ is a key like any other", ["/x"], '{"__proto__":{"x":1}}', "/__proto__"],
  ])("%s", (_, writes, patch, place) => {
    expect(findForbiddenWrite(parse(patch), writes, {})).toBe(place);
  });

  test.each([
    ["a scalar", 5],
    ["a list", ["sword", "shield"]],
    ["false", false],
  ])("a patch may not pass through %s: merging would wipe it out", (_, inventory) => {
    const patch = { inventory: { torch: { lit: true } } };
    expect(findForbiddenWrite(patch, ["/inventory/torch"], { inventory })).toBe("/inventory");
    expect(findForbiddenWrite(patch, ["/inventory"], { inventory })).toBeNull();
  });

  test("a pointer that is none is a bug of ours, not a way to write everywhere", () => {
    expect(() => findForbiddenWrite({}, ["inventory"], {})).toThrow("not a JSON pointer: inventory");
  });

  test("100,000 levels below a wide scope cost no stack", () => {
    let patch: JsonObject = {};
    for (let level = 0; level < 100_000; level++) patch = { next: patch };
    expect(findForbiddenWrite(patch, ["/next"], {})).toBeNull();
  });
});

test("[S1.5] whatever passes changes nothing outside the scopes", () => {
  const pointer = fc.array(fc.constantFrom<string>(...KEYS), { maxLength: 3 }).map(formatPointer);
  let passed = 0;
  fc.assert(
    fc.property(arbitraryObject, arbitraryObject, fc.array(pointer, { maxLength: 4 }), (state, patch, writes) => {
      if (findForbiddenWrite(patch, writes, state) !== null) return;
      passed++;
      const before = withoutPlaces(state, writes);
      const after = withoutPlaces(mergePatch(state, patch), writes);
      // Not toEqual: that does not look at an own `__proto__`.
      expect(isDeepStrictEqual(after, before)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
  expect(passed).toBeGreaterThan(100);
});

function parse(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

/** What is left of a state when the places are cut out, with the empty objects on the way to them. */
function withoutPlaces(state: JsonObject, pointers: readonly string[]): JsonObject {
  let left = state;
  // Longest first: a wide scope then also takes what a narrow one left empty.
  const paths = pointers.map((pointer) => parsePointer(pointer) ?? []).toSorted((a, b) => b.length - a.length);
  for (const path of paths) left = cutOut(left, path) ?? {};
  return left;
}

function cutOut(object: JsonObject, path: readonly string[]): JsonObject | null {
  const [key, ...rest] = path;
  if (key === undefined) return null;
  const entries = Object.entries(object).flatMap(([name, value]): [string, Json][] => {
    if (name !== key) return [[name, value]];
    if (rest.length > 0 && !isJsonObject(value)) return value === null ? [] : [[name, value]];
    const inner = isJsonObject(value) ? cutOut(value, rest) : null;
    return inner === null || Object.keys(inner).length === 0 ? [] : [[name, inner]];
  });
  return Object.fromEntries(entries);
}
