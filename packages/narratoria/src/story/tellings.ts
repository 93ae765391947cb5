/**
 * The history a session keeps at hand for its narrator: the latest tellings, as many as fit. Which those are depends on
 * what was told alone, not on what a page shows or on how long the session has been open: a suffix that fits stays the
 * longest one when it is kept turn by turn, and is the same when it is read back from the end.
 */
import type { Telling } from "./session-state.ts";

/** More than a narrator is told (`NARRATOR_BYTES`), so that a module which shortens it has something to shorten. */
export const KEPT_BYTES = 256 * 1024;
export const NARRATOR_BYTES = 64 * 1024;
/** Turns in which nothing was told take no bytes; still there must not be ever more of them. */
const MOST_TURNS = 2_000;

export function sizeOfTellings(tellings: readonly Telling[]): number {
  return tellings.reduce((sum, telling) => sum + sizeOfTelling(telling), 0);
}

export function sizeOfTelling(telling: Telling): number {
  const known = sizes.get(telling);
  if (known !== undefined) return known;
  const size = byteLength(telling.prompt ?? "") + byteLength(telling.narrative);
  sizes.set(telling, size);
  return size;
}

/** Every turn weighs all that is kept; a telling never changes, so each is counted once. */
const sizes = new WeakMap<Telling, number>();

/** The longest row of latest tellings that fits. */
export function latestTellings(tellings: readonly Telling[], mostBytes: number): readonly Telling[] {
  const keeper = keepLatest(mostBytes);
  const from = tellings.findLastIndex((telling) => !keeper.addBefore(telling)) + 1;
  return from === 0 ? tellings : tellings.slice(from);
}

export interface LatestTellings {
  /** The one before those that were added already; false, and not kept, when there is no room for it. */
  addBefore(telling: Telling): boolean;
  /** Oldest first. */
  kept(): readonly Telling[];
}

/** The same of tellings that are read from the last one on, and no further than they fit. */
export function keepLatest(mostBytes: number): LatestTellings {
  const latestFirst: Telling[] = [];
  let left = mostBytes;
  return {
    addBefore(telling) {
      left -= sizeOfTelling(telling);
      if (left < 0 || latestFirst.length === MOST_TURNS) return false;
      latestFirst.push(telling);
      return true;
    },
    kept: () => latestFirst.toReversed(),
  };
}

const encoder = new TextEncoder();

function byteLength(text: string): number {
  return encoder.encode(text).length;
}
