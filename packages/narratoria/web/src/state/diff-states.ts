/** What differs between two states, leaf by leaf. Lists of one length are compared item by item, others as wholes. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { formatPointer } from "../../../src/story/json-pointer.ts";
import type { Change } from "../../../src/story/session-view.ts";

export function diffStates(before: JsonObject, after: JsonObject): Change[] {
  const changes: Change[] = [];
  compare("", before, after, changes);
  return changes;
}

function compare(path: string, before: Json, after: Json, changes: Change[]): void {
  if (before === after) return;
  if (isJsonObject(before) && isJsonObject(after)) return compareNames(path, before, after, changes);
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const [index, item] of before.entries()) compare(`${path}/${index}`, item, after[index] as Json, changes);
  } else if (
    typeof before !== "object" ||
    typeof after !== "object" ||
    JSON.stringify(before) !== JSON.stringify(after)
  ) {
    changes.push({ path, before, after });
  }
}

function compareNames(path: string, before: JsonObject, after: JsonObject, changes: Change[]): void {
  for (const name of Object.keys(before)) {
    const own = path + formatPointer([name]);
    const old = before[name] as Json;
    if (Object.hasOwn(after, name)) compare(own, old, after[name] as Json, changes);
    else changes.push({ path: own, before: old });
  }
  for (const name of Object.keys(after)) {
    if (!Object.hasOwn(before, name)) changes.push({ path: path + formatPointer([name]), after: after[name] as Json });
  }
}
