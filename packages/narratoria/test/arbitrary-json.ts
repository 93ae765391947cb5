/** JSON for property tests, with few keys so that documents overlap, and with the keys that could reach a prototype. */
import type { Json, JsonObject } from "@narratoria/tool/json";
import fc from "fast-check";

export const KEYS = ["a", "b", "c/d", "~", "", "__proto__", "constructor", "prototype"] as const;

const scalar = fc.constantFrom<Json>(null, true, 0, 1, "", "text");
const scalarButNull = fc.constantFrom<Json>(true, 0, 1, "", "text");

export const arbitraryObject: fc.Arbitrary<JsonObject> = objectsOf(scalar);
export const arbitraryObjectWithoutNull: fc.Arbitrary<JsonObject> = objectsOf(scalarButNull);

/** Freezes a document to its last leaf: whoever changes it throws. */
export function deepFreeze<T extends Json>(value: T): T {
  const pending: Json[] = [value];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (typeof at !== "object" || at === null) continue;
    Object.freeze(at);
    pending.push(...Object.values(at));
  }
  return value;
}

function objectsOf(leaf: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  const { object } = fc.letrec<{ object: JsonObject; value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      fc.array(tie("value"), { maxLength: 2 }),
      tie("object"),
    ),
    // Object.fromEntries makes `__proto__` an ordinary key, as JSON.parse does.
    object: fc
      .uniqueArray(fc.tuple(fc.constantFrom<string>(...KEYS), tie("value")), { maxLength: 4, selector: ([key]) => key })
      .map((entries) => Object.fromEntries(entries)),
  }));
  return object;
}
