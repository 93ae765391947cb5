import type { Json } from "@narratoria/tool/json";
import { expect, test } from "vitest";
import { placeResult } from "./place-result.ts";

const STATE = { inventory: { items: ["torch"], bag: { coins: 1 } }, name: "Ann" };

test.each<[what: string, into: string, result: Json, patch: object]>([
  ["below a new place", "/weather/now", "rain", { weather: { now: "rain" } }],
  ["in place of a list", "/inventory/items", [1], { inventory: { items: [1] } }],
  ["over a word", "/name/first", "Bea", { name: { first: "Bea" } }],
  ["nothing", "/weather", null, { weather: null }],
  ["an object as the state", "", { a: 1 }, { a: 1 }],
  ["nothing as the state: nothing changes", "", null, {}],
  ["a name every object has", "/__proto__/x", 1, JSON.parse('{"__proto__":{"x":1}}') as object],
])("[Y1.6] %s", (_, into, result, patch) => {
  expect(placeResult(into, result, STATE)).toEqual({ kind: "patch", patch });
});

test.each<[into: string, result: Json, why: string]>([
  ["/inventory/items/0", "rope", "the state has a list at /inventory/items"],
  ["/inventory/items/0/length", 1, "the state has a list at /inventory/items"],
  ["", [1], "the state is an object, and it returned a list"],
  ["", "rain", "the state is an object, and it returned a string"],
  ["", 7, "the state is an object, and it returned a number"],
])("[Y1.6] into %j goes no %j", (into, result, why) => {
  expect(placeResult(into, result, STATE)).toEqual({ kind: "does_not_fit", why });
});
