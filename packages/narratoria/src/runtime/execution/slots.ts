/**
 * How many tools may run at once, over all plans of the host. Whoever finds none free waits, and one that comes free goes
 * to the owner who has gone longest without: so they go round those who always want more, and who seldom wants one waits
 * for the first that comes free, however many others wait.
 */

export interface Slots {
  /** One at once where one is free; else when its turn has come, or null when the signal aborted before. */
  acquire(owner: string, signal: AbortSignal): Slot | Promise<Slot | null>;
}

export interface Slot {
  /** Gives it to whoever is next. A second time it does nothing. */
  release(): void;
}

/** Who got one longer ago than all of these counts as never having had one. */
const OWNERS_REMEMBERED = 10_000;

export function createSlots(count: number): Slots {
  let free = count;
  let handedOut = 0;
  /** Which of those handed out was an owner's last; the longest ago first. */
  const lastOf = new Map<string, number>();
  /** By owner; none of these is empty. */
  const waiting = new Map<string, Set<() => void>>();

  function acquire(owner: string, signal: AbortSignal): Slot | Promise<Slot | null> {
    if (signal.aborted) return Promise.resolve(null);
    if (free === 0) return waitFor(owner, signal);
    free--;
    return createSlot(owner);
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
    lastOf.delete(owner);
    lastOf.set(owner, ++handedOut);
    const [longestAgo] = lastOf.keys();
    if (lastOf.size > OWNERS_REMEMBERED && longestAgo !== undefined) lastOf.delete(longestAgo);
    return {
      release() {
        if (!isHeld) return;
        isHeld = false;
        const next = longestWithout();
        if (next === undefined) free++;
        else next();
      },
    };
  }

  /** The first one waiting of that owner. */
  function longestWithout(): (() => void) | undefined {
    let chosen: Set<() => void> | undefined;
    let least = Infinity;
    for (const [owner, ofOwner] of waiting) {
      const last = lastOf.get(owner) ?? 0;
      if (last >= least) continue;
      least = last;
      chosen = ofOwner;
    }
    return chosen?.values().next().value;
  }
  return { acquire };
}
