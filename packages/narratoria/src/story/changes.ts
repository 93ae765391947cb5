/** What a patch changes, leaf by leaf: the consequences a player sees as chips, and where a change came from. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { formatPointer } from "./json-pointer.ts";
import type { Change } from "./session-view.ts";
import { MOST_SHOWN_CHARACTERS, shownValue } from "./shown-values.ts";

/** More than anybody reads; a patch of a hundred thousand leaves must not become as many chips. */
export const MOST_CHANGES = 100;

export function changesBy(state: JsonObject, patch: JsonObject): Change[] {
  const changes: Change[] = [];
  const pending: [path: string[], old: Json | undefined, patch: Json][] = [[[], state, patch]];
  for (let next = pending.pop(); next !== undefined && changes.length < MOST_CHANGES; next = pending.pop()) {
    const [path, old, value] = next;
    if (isJsonObject(value) && Object.keys(value).length > 0) {
      const before = isJsonObject(old) ? old : {};
      // Pushed in reverse, they come out in the patch's order.
      for (const key of Object.keys(value).toReversed()) {
        const inner = Object.hasOwn(before, key) ? before[key] : undefined;
        pending.push([[...path, key], inner, value[key] as Json]);
      }
    } else if (value === null) {
      if (old !== undefined) changes.push({ path: formatPointer(path), before: shown(old) });
    } else if (!isJsonObject(value) ? JSON.stringify(old) !== JSON.stringify(value) : !isJsonObject(old)) {
      // An empty object changes nothing in an object that is there.
      const change: Change = { path: formatPointer(path), after: shown(value) };
      changes.push(old === undefined ? change : { ...change, before: shown(old) });
    }
  }
  return changes;
}

function shown(value: Json): Json {
  return shownValue(value, MOST_SHOWN_CHARACTERS);
}
