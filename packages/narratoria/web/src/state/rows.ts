/** The state as the lines of a tree: which are shown depends on what is open. `state-tree.tsx` draws them. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { formatPointer, parsePointer } from "../../../src/story/json-pointer.ts";

export interface Row {
  path: string;
  name: string;
  value: Json;
  /** 1 for the names at the top. */
  level: number;
  position: number;
  siblings: number;
  /** How many it holds; null for what cannot be opened. */
  size: number | null;
  isOpen: boolean;
}

const SHOWN_AT_FIRST = 200;

export function visibleRows(state: JsonObject, open: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  addRows(rows, state, "", 1, open);
  return rows;
}

function addRows(
  rows: Row[],
  parent: JsonObject | Json[],
  path: string,
  level: number,
  open: ReadonlySet<string>,
): void {
  const names = Object.keys(parent);
  for (const [index, name] of names.entries()) {
    const value = (parent as JsonObject)[name] as Json;
    const own = path + formatPointer([name]);
    const size = sizeOf(value);
    const isOpen = size !== null && open.has(own);
    rows.push({ path: own, name, value, level, position: index + 1, siblings: names.length, size, isOpen });
    if (isOpen) addRows(rows, value as JsonObject | Json[], own, level + 1, open);
  }
}

/** Open at first: the ways to what changed, and level by level whatever fits on a screen or two. */
export function openAtFirst(state: JsonObject, changed: Iterable<string>): Set<string> {
  const open = new Set(waysTo(changed));
  let shown = Object.keys(state).length;
  let level = [{ path: "", value: state as Json }];
  while (level.length > 0 && shown <= SHOWN_AT_FIRST) {
    const next: typeof level = [];
    for (const { path, value } of level) {
      for (const name of Object.keys(value as JsonObject)) {
        const child = (value as JsonObject)[name] as Json;
        const size = sizeOf(child);
        if (size === null || shown + size > SHOWN_AT_FIRST) continue;
        shown += size;
        open.add(path + formatPointer([name]));
        next.push({ path: path + formatPointer([name]), value: child });
      }
    }
    level = next;
  }
  return open;
}

/** Everything above these paths. */
export function waysTo(paths: Iterable<string>): Set<string> {
  const ways = new Set<string>();
  for (const path of paths) {
    const tokens = parsePointer(path) ?? [];
    for (let length = 1; length < tokens.length; length++) ways.add(formatPointer(tokens.slice(0, length)));
  }
  return ways;
}

function sizeOf(value: Json): number | null {
  if (Array.isArray(value)) return value.length || null;
  return isJsonObject(value) ? Object.keys(value).length || null : null;
}
