/** JSON values, and reading JSON text as strictly as the protocol asks; `protocol.ts` checks what the values mean. */

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** Deeper text is refused: recursive consumers (JSON.stringify, structuredClone) overflow at a few thousand levels. */
export const MAX_JSON_DEPTH = 256;

export type JsonReading =
  | { kind: "value"; value: Json; hasUnsafeInteger: boolean }
  | { kind: "too_deep" }
  | { kind: "invalid"; reason: string };

export function readJson(text: string): JsonReading {
  if (isNestedTooDeep(text)) return { kind: "too_deep" };
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    return { kind: "invalid", reason: (error as Error).message };
  }
  const numbers = inspectNumbers(value);
  if (numbers === "infinite") return { kind: "invalid", reason: "a number is too large to be finite" };
  return { kind: "value", value, hasUnsafeInteger: numbers === "unsafe" };
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The worst of all numbers in a value: cheaper than searching its text, as long as nothing is allocated on the way. */
function inspectNumbers(value: Json): "fine" | "unsafe" | "infinite" {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return "infinite";
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? "unsafe" : "fine";
  }
  if (typeof value !== "object" || value === null) return "fine";
  let worst: "fine" | "unsafe" = "fine";
  if (Array.isArray(value)) {
    for (const inner of value) {
      const found = inspectNumbers(inner);
      if (found === "infinite") return found;
      if (found === "unsafe") worst = found;
    }
    return worst;
  }
  for (const key in value) {
    const found = inspectNumbers(value[key] as Json);
    if (found === "infinite") return found;
    if (found === "unsafe") worst = found;
  }
  return worst;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function isNestedTooDeep(text: string): boolean {
  // Every level costs an opening and a closing character, so short text cannot be deep.
  if (text.length <= 2 * MAX_JSON_DEPTH) return false;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}
