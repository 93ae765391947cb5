/** Where what a tool returned goes in the state: the patch that puts it there, or why it cannot go there. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { lookUp, formatPointer, parsePointer } from "../../story/json-pointer.ts";

export type PlacedResult = { kind: "patch"; patch: JsonObject } | { kind: "does_not_fit"; why: string };

/** `into` is a mount's: a JSON pointer. */
export function placeResult(into: string, result: Json, state: JsonObject): PlacedResult {
  const tokens = parsePointer(into) ?? [];
  const ways = tokens.map((_, index) => tokens.slice(0, index + 1)).slice(0, -1);
  // A patch can replace a list, not reach into it.
  const list = ways.find((way) => Array.isArray(lookUp(state, way)));
  if (list !== undefined) return { kind: "does_not_fit", why: `the state has a list at ${formatPointer(list)}` };
  const nested = tokens.reduceRight<Json>((inner, token) => Object.fromEntries([[token, inner]]), result);
  if (isJsonObject(nested)) return { kind: "patch", patch: nested };
  // Nothing was returned, and nothing changes.
  if (nested === null) return { kind: "patch", patch: {} };
  return { kind: "does_not_fit", why: `the state is an object, and it returned ${nameOf(nested)}` };
}

function nameOf(value: Json): string {
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}
