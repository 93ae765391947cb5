/** The part of the session state a tool is shown: what its manifest's `reads` pointers name, in the state's own shape. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { parsePointer } from "./json-pointer.ts";

/** A tool without a manifest sees everything, as long as that is not much. */
const MOST_STATE_BYTES = 256 * 1024;

export function visibleState(state: JsonObject, reads: readonly string[] | "everything"): JsonObject | null {
  if (reads === "everything") return sizeOf(state) <= MOST_STATE_BYTES ? state : null;
  let visible: JsonObject = {};
  for (const pointer of reads) {
    const path = parsePointer(pointer);
    if (path === null) throw new Error(`not a JSON pointer: ${pointer}`);
    visible = withPlace(visible, state, path);
  }
  return visible;
}

/** A copy of what is visible already, with one more place of the state in it. */
function withPlace(visible: JsonObject, state: JsonObject, path: readonly string[]): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return state;
  if (!Object.hasOwn(state, key)) return visible;
  const value = state[key] as Json;
  // A pointer into an array shows the whole array: an array with holes would not have the state's shape.
  if (rest.length === 0 || Array.isArray(value)) return withKey(visible, key, value);
  if (!isJsonObject(value)) return visible;
  const old = Object.hasOwn(visible, key) ? visible[key] : undefined;
  return withKey(visible, key, withPlace(isJsonObject(old) ? old : {}, value, rest));
}

/** Computed keys define; assigning would call the setter of `__proto__`. */
function withKey(object: JsonObject, key: string, value: Json): JsonObject {
  return { ...object, [key]: value };
}

const encoder = new TextEncoder();

function sizeOf(state: JsonObject): number {
  return encoder.encode(JSON.stringify(state)).length;
}
