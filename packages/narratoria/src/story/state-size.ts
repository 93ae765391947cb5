/**
 * How much a patch adds to the size of the state. Counting only what the patch touches, and what it replaces, keeps the
 * total exact at a cost that every byte pays once when it comes and once when it goes.
 */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { mergePatch, type Owned } from "./merge-patch.ts";

export const MOST_STATE_BYTES = 16 * 1024 * 1024;
export const MOST_PATCH_BYTES = 1024 * 1024;

/** An approximation of the length as JSON that is cheap to keep: text and structure count, escapes do not. */
export function sizeOf(root: Json): number {
  let size = 0;
  const pending: Json[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value === "string") size += value.length + 2;
    else if (Array.isArray(value)) {
      size += value.length + 2;
      for (const item of value) pending.push(item);
    } else if (isJsonObject(value)) {
      size += 2;
      for (const key of Object.keys(value)) {
        size += key.length + 4;
        pending.push(value[key] as Json);
      }
    } else size += 8;
  }
  return size;
}

/** A state, and its size as `sizeOf` counts. */
export interface SizedState {
  readonly value: JsonObject;
  readonly size: number;
}

/** What of the state is `owned` is changed in place. */
export function patchSized({ value, size }: SizedState, patch: JsonObject, owned: Owned): SizedState {
  // Before the merge: it may change the state in place.
  const grown = size + growthBy(value, patch);
  return { value: mergePatch(value, patch, owned), size: grown };
}

/** The growth (or shrinking) of the state by a merge patch. */
export function growthBy(state: JsonObject, patch: JsonObject): number {
  let growth = 0;
  const pending: [old: JsonObject, patch: JsonObject][] = [[state, patch]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [old, changes] = pair;
    for (const key of Object.keys(changes)) {
      const before = Object.hasOwn(old, key) ? (old[key] as Json) : undefined;
      const after = changes[key] as Json;
      if (before === undefined && after !== null) growth += key.length + 4;
      if (isJsonObject(after)) {
        const kept = isJsonObject(before) ? before : {};
        if (kept !== before) growth += 2 - (before === undefined ? 0 : sizeOf(before));
        pending.push([kept, after]);
        continue;
      }
      if (before !== undefined) growth -= sizeOf(before) + (after === null ? key.length + 4 : 0);
      if (after !== null) growth += sizeOf(after);
    }
  }
  return growth;
}
