/** Values for property tests: a valid document with some of its places damaged. */
import type { Json, JsonObject } from "@narratoria/tool/json";
import fc from "fast-check";

/** The documents as they are, or with one or two places inside replaced or removed; or no document at all. */
export function damaged(documents: fc.Arbitrary<JsonObject>): fc.Arbitrary<Json> {
  const some = fc.tuple(documents, fc.array(damage, { maxLength: 2 })).map(([document, damages]) => {
    const copy = structuredClone(document);
    for (const each of damages) damagePlace(copy, each, copy);
    return copy;
  });
  return fc.oneof({ weight: 9, arbitrary: some }, { weight: 1, arbitrary: hostileValue });
}

/** One place, and what becomes of it; `from` is another place in the same document, or in another. */
export interface Damage {
  place: number;
  change: { kind: "replaced"; value: Json } | { kind: "transplanted"; from: number } | { kind: "removed" };
}

const hostileValue: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, -0, -1, 1, 1.5, 10, 11, 2 ** 31 - 1, 2 ** 31, 1e300),
  fc.constantFrom<Json>("", "0", "log", "done", "stdio", "http", "a/b", "image/png\n", "/a~", "\ud800", [], [""], {}),
  fc.constantFrom<Json>("namel3ss/1", "narratoria/0", "mcp", ["./run"], "http://h/x", "file:///x", "deny", "error"),
  fc.constant(JSON.parse('{"__proto__":{"type":"done","ok":true}}') as Json),
  fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json),
);

export const damage: fc.Arbitrary<Damage> = fc.record({
  place: fc.nat({ max: 1000 }),
  change: fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("replaced" as const), value: hostileValue }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("transplanted" as const), from: fc.nat({ max: 1000 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("removed" as const) }) },
  ),
});

/** Changes the document itself. `donor`: where transplanted values come from. */
export function damagePlace(document: JsonObject, { place, change }: Damage, donor: Json): void {
  const places = placesIn(document);
  const [container, key] = places[place % places.length] ?? [document, "unknown"];
  if (change.kind === "removed") {
    if (Array.isArray(container)) container.splice(Number(key), 1);
    else delete container[key];
    return;
  }
  // A copy: the same list put into itself would never end.
  container[key] = structuredClone(change.kind === "replaced" ? change.value : valueAt(donor, change.from));
}

function valueAt(donor: Json, place: number): Json {
  const places = placesIn(donor);
  const [container, key] = places[place % places.length] ?? [{ unknown: null }, "unknown"];
  return container[key] ?? null;
}

function placesIn(document: Json): [container: JsonObject, key: string][] {
  const places: [container: JsonObject, key: string][] = [];
  const pending: Json[] = [document];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (typeof at !== "object" || at === null) continue;
    for (const [key, child] of Object.entries(at)) {
      places.push([at as JsonObject, key]);
      pending.push(child);
    }
  }
  return places;
}
