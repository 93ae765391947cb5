import { isDeepStrictEqual as isSame } from "node:util";
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryObject, arbitraryObjectWithoutNull, deepFreeze } from "../../test/arbitrary-json.ts";
import { growthOfCost } from "../../test/cost-growth.ts";
import { composePatches, mergePatch, type Owned } from "./merge-patch.ts";

// `isSame` and not toEqual: that does not look at an own `__proto__`.

describe("[S1.1] RFC 7396", () => {
  test.each<[target: string, patch: string, result: string]>([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', "{}"],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', "null", "null"],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
    ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])("appendix A: %s with %s is %s", (target, patch, result) => {
    expect(JSON.stringify(mergePatch(parse(target), parse(patch)))).toBe(result);
  });

  test.each<[name: string, target: string, patch: string, result: string]>([
    [
      "a null that the patch does not name survives",
      '{"a":null,"b":{"c":null}}',
      '{"b":{"d":1}}',
      '{"a":null,"b":{"c":null,"d":1}}',
    ],
    ["a null inside an array is a value", '{"a":1}', '{"a":[null,{"b":null}]}', '{"a":[null,{"b":null}]}'],
    ["removing what is not there", '{"a":1}', '{"b":null,"c":{"d":null}}', '{"a":1,"c":{}}'],
    ["an object takes the place of a scalar", '{"a":1}', '{"a":{"b":{"c":2}}}', '{"a":{"b":{"c":2}}}'],
    ["an empty patch changes nothing", '{"a":{"b":[1]}}', "{}", '{"a":{"b":[1]}}'],
  ])("%s", (_, target, patch, result) => {
    expect(JSON.stringify(mergePatch(parse(target), parse(patch)))).toBe(result);
  });

  test("without a target the patch is applied to an empty object", () => {
    expect(mergePatch(undefined, { a: 1, b: null })).toEqual({ a: 1 });
  });

  test("agrees with the pseudocode of the RFC, whatever the documents", () => {
    fc.assert(
      fc.property(arbitraryObject, arbitraryObject, (target, patch) => {
        expect(isSame(mergePatch(target, patch), mergeByTheBook(target, patch))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("applying a patch twice equals applying it once", () => {
    fc.assert(
      fc.property(arbitraryObject, arbitraryObject, (target, patch) => {
        const once = mergePatch(target, patch);
        expect(isSame(mergePatch(once, patch), once)).toBe(true);
      }),
    );
  });

  test("neither the target nor the patch is ever changed", () => {
    fc.assert(
      fc.property(arbitraryObject, arbitraryObject, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        // Frozen objects throw when they are written to; the text also shows what was put into them.
        mergePatch(deepFreeze(target), deepFreeze(patch));
        composePatches(target, patch);
        expect(JSON.stringify([target, patch])).toBe(before);
      }),
    );
  });

  test("100,000 levels cost no stack, in the patch and in the target", { tags: "large" }, () => {
    const deep = nested(100_000, 1);
    const merged = mergePatch(mergePatch({}, deep), nested(100_000, 2));
    expect(innermost(merged)).toEqual({ depth: 100_000, value: 2 });
    expect(innermost(composePatches(deep, nested(100_000, null)))).toEqual({ depth: 100_000, value: null });
  });
});

describe("[S1.2] keys that could reach a prototype", () => {
  test("are ordinary: set, merged into and removed like any other", () => {
    const hostile =
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"prototype":{"polluted":1}}';
    const state = mergePatch({ kept: true }, parse(hostile) as JsonObject);
    expect(JSON.stringify(state)).toBe(`{"kept":true,${hostile.slice(1)}`);
    expect(Object.getPrototypeOf(state)).toBe(Object.prototype);
    expect(Object.getOwnPropertyDescriptor(state, "__proto__")).toMatchObject({ writable: true, configurable: true });
    const second = mergePatch(state, parse('{"__proto__":{"more":2},"constructor":null}') as JsonObject);
    expect(JSON.stringify(second)).toBe('{"kept":true,"__proto__":{"polluted":1,"more":2},"prototype":{"polluted":1}}');
    const third = mergePatch(second, parse('{"__proto__":null,"prototype":null}') as JsonObject);
    expect(JSON.stringify(third)).toBe('{"kept":true}');
  });

  test("no prototype changes anywhere, whatever is merged", () => {
    const before = prototypeKeys();
    fc.assert(
      fc.property(arbitraryObject, arbitraryObject, (target, patch) => {
        for (const result of [mergePatch(target, patch), composePatches(target, patch)]) {
          expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
        }
        expect(prototypeKeys()).toEqual(before);
      }),
    );
  });
});

describe("[S1.3] structural sharing", () => {
  test("a branch the patch does not name keeps its identity, however deep the patch goes", () => {
    fc.assert(
      fc.property(arbitraryObject, arbitraryObject, (target, patch) => {
        expect(findCopied(target, mergePatch(target, patch), patch)).toEqual([]);
      }),
    );
  });

  test("beside a deep change everything is shared", () => {
    const target = { big: { list: [1, 2] }, room: { door: { open: false }, window: { open: true } } };
    const result = mergePatch(target, { room: { door: { open: true } } }) as typeof target;
    expect(result.big).toBe(target.big);
    expect(result.room.window).toBe(target.room.window);
    expect(result.room.door).toEqual({ open: true });
    expect(target.room.door).toEqual({ open: false });
  });
});

describe("[R1.3] several patches as one", () => {
  test("later values win, objects are joined and a removal stays a null", () => {
    const first = { a: 1, b: { c: 1, d: 2 }, e: { f: 1 } };
    expect(composePatches(first, { a: 2, b: { d: null, g: { h: null } }, e: null })).toEqual({
      a: 2,
      b: { c: 1, d: null, g: { h: null } },
      e: null,
    });
  });

  test("a removal of the first patch stays, and the second may take it back", () => {
    expect(composePatches({ a: null, b: null }, { b: 1 })).toEqual({ a: null, b: 1 });
  });

  test("stands for the two, unless the second fills what the first had put away", () => {
    const patches = fc.tuple(fc.oneof(arbitraryObject, arbitraryObjectWithoutNull), arbitraryObject);
    fc.assert(
      fc.property(arbitraryObject, patches, (state, [first, second]) => {
        fc.pre(!fillsWhatWasPutAway(first, second));
        const atOnce = mergePatch(state, composePatches(first, second));
        expect(isSame(atOnce, mergePatch(mergePatch(state, first), second))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("the exception: no merge patch says `replace this object by that one`", () => {
    const state = { lamp: { oil: 3 } };
    for (const gone of [null, 0, []]) {
      const [first, second] = [{ lamp: gone }, { lamp: { lit: true } }];
      expect(mergePatch(mergePatch(state, first), second)).toEqual({ lamp: { lit: true } });
      expect(mergePatch(state, composePatches(first, second))).toEqual({ lamp: { oil: 3, lit: true } });
    }
  });
});

function parse(text: string): Json {
  return JSON.parse(text) as Json;
}

/** Section 2 of the RFC, line by line: slow, recursive and obviously right. */
function mergeByTheBook(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, mergeByTheBook(result.get(name), value));
  }
  return Object.fromEntries(result);
}

/** The keys of branches that the patch does not name and that are not shared all the same. */
function findCopied(before: JsonObject, after: JsonObject, patch: JsonObject): string[] {
  return Object.entries(before).flatMap(([key, value]) => {
    if (!Object.hasOwn(patch, key)) return after[key] === value ? [] : [key];
    const [merged, change] = [after[key], patch[key]];
    const goesOn = isJsonObject(value) && isJsonObject(change) && isJsonObject(merged);
    return goesOn ? findCopied(value, merged, change) : [];
  });
}

function fillsWhatWasPutAway(first: JsonObject, second: JsonObject): boolean {
  return Object.entries(second).some(([key, value]) => {
    if (!isJsonObject(value) || !Object.hasOwn(first, key)) return false;
    const earlier = first[key];
    return isJsonObject(earlier) ? fillsWhatWasPutAway(earlier, value) : true;
  });
}

function nested(levels: number, value: Json): JsonObject {
  let object: JsonObject = { value };
  for (let level = 0; level < levels; level++) object = { next: object };
  return object;
}

function innermost(object: JsonObject): { depth: number; value: Json | undefined } {
  let depth = 0;
  let at = object;
  for (; isJsonObject(at["next"]); depth++) at = at["next"];
  return { depth, value: at["value"] };
}

function prototypeKeys(): string[][] {
  return [Object.prototype, Array.prototype, Function.prototype].map((prototype) =>
    Object.getOwnPropertyNames(prototype),
  );
}

describe("[Z1.7] many patches in a row", () => {
  test("what one has copied the next changes in place; what the caller had stays as it was", () => {
    const before = { wide: { a: 1, inner: { b: 2 } }, other: { c: 3 } };
    const kept = structuredClone(before);
    const owned: Owned = new WeakSet();
    const first = mergePatch(before, { wide: { a: 10 } }, owned);
    const { wide } = first;
    const second = mergePatch(first, { wide: { inner: { b: 20 }, d: null, e: { f: null, g: 1 } } }, owned);
    expect(second).toBe(first);
    expect(second["wide"]).toBe(wide);
    expect(second).toEqual({ wide: { a: 10, inner: { b: 20 }, e: { g: 1 } }, other: { c: 3 } });
    expect(second["other"]).toBe(before.other);
    expect(before).toEqual(kept);
  });

  test("a patch stays its sender's: what it put into the state is changed later, it is not", () => {
    const owned: Owned = new WeakSet();
    const patch = { a: { b: { c: 1 } } };
    const state = mergePatch({}, patch, owned);
    mergePatch(state, { a: { b: { c: 2 } } }, owned);
    expect(patch).toEqual({ a: { b: { c: 1 } } });
  });

  test("with a set of its own each leaves the other's result alone", () => {
    const first = mergePatch({}, { a: { b: 1 } }, new WeakSet());
    const second = mergePatch(first, { a: { b: 2 } }, new WeakSet());
    expect([first, second]).toEqual([{ a: { b: 1 } }, { a: { b: 2 } }]);
  });

  test("the same as one by one, whatever they are", () => {
    fc.assert(
      fc.property(fc.array(arbitraryObject), (patches) => {
        const owned: Owned = new WeakSet();
        const inPlace = patches.reduce((state, patch) => mergePatch(state, patch, owned), {} as JsonObject);
        const oneByOne = patches.reduce((state, patch) => mergePatch(deepFreeze(state), patch), {} as JsonObject);
        expect(isSame(inPlace, oneByOne)).toBe(true);
      }),
    );
  });

  test("their cost is that of the patches, not the width of what they touch for each", () => {
    const cost = growthOfCost((size) => {
      const owned: Owned = new WeakSet();
      let state: JsonObject = { wide: Object.fromEntries(Array.from({ length: size }, (_, n) => [`key${n}`, n])) };
      for (let n = 0; n < size; n++) state = mergePatch(state, { wide: { [`key${n}`]: -1 } }, owned);
    }, 1_500);
    expect(cost).toBeLessThan(9);
  });
});
