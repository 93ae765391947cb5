/** Values for property tests: a valid document with some of its places damaged. */
import type { Json, JsonObject } from "@narratoria/tool/json";
import fc from "fast-check";

/** The documents as they are, or with one or two places inside replaced or removed; or no document at all. */
export function damaged(documents: fc.Arbitrary<JsonObject>): fc.Arbitrary<Json> {
  const damage = fc.record({ place: fc.nat({ max: 1000 }), value: fc.oneof(hostileValue, fc.constant(REMOVED)) });
  const some = fc.tuple(documents, fc.array(damage, { maxLength: 2 })).map(([document, damages]) => {
    const copy = structuredClone(document);
    for (const { place, value } of damages) damagePlace(copy, place, value);
    return copy;
  });
  return fc.oneof({ weight: 9, arbitrary: some }, { weight: 1, arbitrary: hostileValue });
}

const REMOVED = Symbol("removed");

const hostileValue: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, -0, -1, 1, 1.5, 10, 11, 2 ** 31 - 1, 2 ** 31, 1e300),
  fc.constantFrom<Json>("", "0", "log", "done", "stdio", "http", "a/b", "image/png\n", "/a~", "\ud800", [], [""], {}),
  fc.constantFrom<Json>("namel3ss/1", "narratoria/0", "mcp", ["./run"], "http://h/x", "file:///x", "deny", "error"),
  fc.constant(JSON.parse('{"__proto__":{"type":"done","ok":true}}') as Json),
  fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json),
);

function damagePlace(document: JsonObject, place: number, value: Json | typeof REMOVED): void {
  const places: [container: JsonObject, key: string][] = [];
  const pending: Json[] = [document];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (typeof at !== "object" || at === null) continue;
    for (const [key, child] of Object.entries(at)) {
      places.push([at as JsonObject, key]);
      pending.push(child);
    }
  }
  const [container, key] = places[place % places.length] ?? [document, "unknown"];
  // A copy: the same list put into itself would never end.
  if (value !== REMOVED) container[key] = structuredClone(value);
  else if (Array.isArray(container)) container.splice(Number(key), 1);
  else delete container[key];
}
