/** The part of the session state a tool is shown: what its manifest's `reads` pointers name, in the state's own shape. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { parsePointer } from "./json-pointer.ts";

/** A tool without a manifest sees everything, as long as that is not much. */
const MOST_STATE_CHARACTERS = 256 * 1024;

export function visibleState(state: JsonObject, reads: readonly string[] | "everything"): JsonObject | null {
  if (reads === "everything") return JSON.stringify(state).length <= MOST_STATE_CHARACTERS ? state : null;
  const visible: JsonObject = {};
  for (const pointer of reads) copyAt(state, visible, parsePointer(pointer) ?? []);
  return visible;
}

function copyAt(from: JsonObject, into: JsonObject, path: readonly string[]): void {
  const [key, ...rest] = path;
  if (key === undefined) {
    Object.assign(into, from);
    return;
  }
  if (!Object.hasOwn(from, key)) return;
  const value = from[key] as Json;
  // A pointer into an array shows the whole array: an array with holes would not have the state's shape.
  if (rest.length === 0 || Array.isArray(value)) define(into, key, value);
  else if (isJsonObject(value)) {
    const old = Object.hasOwn(into, key) ? into[key] : undefined;
    const inner = isJsonObject(old) ? { ...old } : {};
    copyAt(value, inner, rest);
    define(into, key, inner);
  }
}

function define(object: JsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
