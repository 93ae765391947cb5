/**
 * How many tools may run at once, over all plans of the host. Whoever finds none free waits, and those that come free go
 * round the owners in turn: one with many tools waiting holds up nobody else for longer than one of them takes.
 */

export interface Slots {
  /** One at once where one is free; else when its turn has come, or null when the signal aborted before. */
  acquire(owner: string, signal: AbortSignal): Slot | Promise<Slot | null>;
}

export interface Slot {
  /** Gives it to whoever is next. A second time it does nothing. */
  release(): void;
}

export function createSlots(count: number): Slots {
  let free = count;
  /** By owner, in the order of their turns; none of these is empty. */
  const waiting = new Map<string, Set<() => void>>();

  function acquire(owner: string, signal: AbortSignal): Slot | Promise<Slot | null> {
    if (signal.aborted) return Promise.resolve(null);
    if (free === 0) return waitFor(owner, signal);
    free--;
    return createSlot();
  }

  function waitFor(owner: string, signal: AbortSignal): Promise<Slot | null> {
    return new Promise((settle) => {
      const take = (): void => leave(createSlot());
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

  function createSlot(): Slot {
    let isHeld = true;
    return {
      release() {
        if (!isHeld) return;
        isHeld = false;
        const [first] = waiting;
        if (first === undefined) free++;
        else handTo(...first);
      },
    };
  }

  function handTo(owner: string, ofOwner: Set<() => void>): void {
    // A Map remembers the order: whoever had its turn goes to the end.
    waiting.delete(owner);
    waiting.set(owner, ofOwner);
    const [next] = ofOwner;
    next?.();
  }
  return { acquire };
}
