/**
 * The story's state after a turn, wherever it lies in the tree: the nearest snapshot on the way to it, and the patches
 * since. Snapshots are kept every few turns, so that no way back is long.
 */
import type { JsonObject } from "@narratoria/tool/json";
import { patchOf } from "../../story/event.ts";
import { mergePatch, type Owned } from "../../story/merge-patch.ts";
import type { Sliced } from "../execution/slices.ts";
import { DamagedLog } from "../seams/disk-trouble.ts";
import type { Store, TurnRow } from "../seams/store.ts";
import { turnPages } from "./turn-pages.ts";

/** Between two snapshots there are at most this many turns. */
export const TURNS_PER_SNAPSHOT = 8;

/** Null stands for the time before the first turn. */
export function* stateAfter(store: Store, turnId: string | null, initial: () => JsonObject): Sliced<JsonObject> {
  const toFold: string[] = [];
  let state: JsonObject | null = null;
  // A turn that can still change has left no snapshot: then the way back to one is longer.
  for (let at = turnId; at !== null && state === null;) {
    state = store.snapshot(at);
    if (state === null) {
      toFold.push(at);
      at = parentOf(store, at);
    }
  }
  state ??= initial();
  const owned: Owned = new WeakSet();
  for (const id of toFold.toReversed()) {
    for (const page of turnPages(store, id, Infinity, ["tool:event"])) {
      for (const event of page) {
        const patch = patchOf(event);
        if (patch !== null) state = mergePatch(state, patch, owned);
      }
      yield;
    }
  }
  return state;
}

/** The turn before one that must be there. */
export function parentOf(store: Pick<Store, "turn">, turnId: string): string | null {
  const turn = store.turn(turnId);
  if (turn === null) throw new DamagedLog("", null);
  return turn.parentTurnId;
}

/** Of a turn that has ended; one that was interrupted may still go on. */
export function isWorthASnapshot({ number, status }: Pick<TurnRow, "number" | "status">): boolean {
  return number % TURNS_PER_SNAPSHOT === 0 && status !== "running" && status !== "interrupted";
}
