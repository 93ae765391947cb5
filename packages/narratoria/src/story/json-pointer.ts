/** JSON pointers (RFC 6901): reading, writing, following. `references.ts` follows them; problem lists write them. */
import type { Json } from "@narratoria/tool/json";

export const JSON_POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

/** The pointer's tokens, or null when it is none. The empty pointer names the whole document. */
export function parsePointer(pointer: string): string[] | null {
  if (!JSON_POINTER.test(pointer)) return null;
  // "~1" first: the other way round, "~01" would become "/" instead of "~1".
  return pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function formatPointer(tokens: readonly PropertyKey[]): string {
  return tokens.map((token) => `/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Follows the tokens through own properties and array elements only; undefined where nothing is. */
export function lookUp(root: Json, tokens: readonly string[]): Json | undefined {
  let value: Json | undefined = root;
  for (const token of tokens) {
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value)) value = ARRAY_INDEX.test(token) ? value[Number(token)] : undefined;
    else value = Object.hasOwn(value, token) ? value[token] : undefined;
  }
  return value;
}

const ARRAY_INDEX = /^(?:0|[1-9]\d*)$/;
