/** How many tools may run at once, over all plans of the runtime: first come, first served. */

export interface Slots {
  readonly count: number;
  /** Waits for a slot, runs the work in it, and gives it back. Null when the signal aborted before a slot was free. */
  use<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | null>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();

  async function use<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | null> {
    if (signal.aborted) return null;
    if (free > 0) free--;
    else if (!(await waitForSlot(signal))) return null;
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next === undefined) free++;
      else next();
    }
  }

  /** True once a slot was handed over, false when the signal aborted first. */
  function waitForSlot(signal: AbortSignal): Promise<boolean> {
    return new Promise((settle) => {
      const leave = (got: boolean): void => {
        waiting.delete(take);
        signal.removeEventListener("abort", giveUp);
        settle(got);
      };
      const take = (): void => leave(true);
      const giveUp = (): void => leave(false);
      waiting.add(take);
      signal.addEventListener("abort", giveUp);
    });
  }
  return { count, use };
}
