/**
 * How many tools may run at once, over all plans of the host. Whoever finds none free waits, and one that comes free goes
 * to the owner who has gone longest without: so they go round those who always want more. A quarter is kept for owners
 * whose tools were short and few of late, so that who seldom wants one need not wait for those who always do.
 */
import type { Haste } from "../seams/sandbox.ts";
import { createSlotUse } from "./slot-use.ts";

export interface Slots {
  /** One at once where one is free; else when its turn has come, or null when the signal aborted before. */
  acquire(owner: string, signal: AbortSignal): Slot | Promise<Slot | null>;
}

export interface Slot {
  /** How its owner stands beside the others. */
  readonly haste: Haste;
  /** Gives it to whoever is next. A second time it does nothing. */
  release(): void;
}

/** Who got one longer ago than all of these counts as never having had one. */
const OWNERS_REMEMBERED = 10_000;
/** Of fewer than so many none is kept. */
const PART_KEPT = 4;

export function createSlots(count: number, now: () => number = () => performance.now()): Slots {
  const kept = Math.floor(count / PART_KEPT);
  const use = createSlotUse(now);
  let free = count;
  let handedOut = 0;
  /** Which of those handed out was an owner's last; the longest ago first. */
  const lastOf = new Map<string, number>();
  /** By owner; none of these is empty. */
  const waiting = new Map<string, Set<() => void>>();

  function acquire(owner: string, signal: AbortSignal): Slot | Promise<Slot | null> {
    if (signal.aborted) return Promise.resolve(null);
    if (free === 0 || !mayHave(owner)) return waitFor(owner, signal);
    free--;
    return createSlot(owner);
  }

  function mayHave(owner: string): boolean {
    return free > kept || use.hasteOf(owner) === "seldom";
  }

  function waitFor(owner: string, signal: AbortSignal): Promise<Slot | null> {
    return new Promise((settle) => {
      const take = (): void => leave(createSlot(owner));
      const giveUp = (): void => leave(null);
      function leave(slot: Slot | null): void {
        removeFrom(owner, take);
        signal.removeEventListener("abort", giveUp);
        settle(slot);
      }
      waiting.set(owner, (waiting.get(owner) ?? new Set()).add(take));
      signal.addEventListener("abort", giveUp);
    });
  }

  function removeFrom(owner: string, take: () => void): void {
    const ofOwner = waiting.get(owner);
    ofOwner?.delete(take);
    if (ofOwner?.size === 0) waiting.delete(owner);
  }

  function createSlot(owner: string): Slot {
    let isHeld = true;
    const haste = use.hasteOf(owner);
    const stop = use.start(owner);
    lastOf.delete(owner);
    lastOf.set(owner, ++handedOut);
    const [longestAgo] = lastOf.keys();
    if (lastOf.size > OWNERS_REMEMBERED && longestAgo !== undefined) lastOf.delete(longestAgo);
    return {
      haste,
      release() {
        if (!isHeld) return;
        isHeld = false;
        stop();
        free++;
        handOn();
      },
    };
  }

  /** To whoever of those waiting has gone longest without, and may have one. */
  function handOn(): void {
    const inOrder = [...waiting].toSorted(([a], [b]) => (lastOf.get(a) ?? 0) - (lastOf.get(b) ?? 0));
    for (const [owner, ofOwner] of inOrder) {
      if (free === 0) return;
      if (!mayHave(owner)) continue;
      const [next] = ofOwner;
      if (next === undefined) continue;
      free--;
      next();
    }
  }
  return { acquire };
}
