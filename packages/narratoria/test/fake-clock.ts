/** A clock that only moves when a test moves it: time limits and back-off are tested without waiting for them. */
import type { Clock } from "../src/runtime/seams/clock.ts";

export interface FakeClock extends Clock {
  /** How long each `sleep` was to last, in the order asked. */
  readonly sleeps: readonly number[];
  /** Moves time from one timer to the next until the promise has settled. */
  runUntil<T>(promise: Promise<T>): Promise<T>;
}

export function createFakeClock(): FakeClock {
  let time = 0;
  const sleeps: number[] = [];
  const timers = new Set<{ at: number; fire: () => void }>();

  function after(ms: number, callback: () => void): { cancel(): void } {
    const timer = { at: time + ms, fire: callback };
    timers.add(timer);
    return { cancel: () => void timers.delete(timer) };
  }

  function sleep(ms: number, signal: AbortSignal): Promise<void> {
    sleeps.push(ms);
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = after(ms, resolve);
      signal.addEventListener("abort", () => {
        timer.cancel();
        resolve();
      });
    });
  }

  async function runUntil<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const mark = (): void => void (settled = true);
    promise.then(mark, mark);
    for (;;) {
      await everythingPending();
      if (settled) return promise;
      const [next] = [...timers].toSorted((a, b) => a.at - b.at);
      if (next === undefined) throw new Error("nothing is left to wait for, and the promise has not settled");
      timers.delete(next);
      time = next.at;
      next.fire();
    }
  }

  return { now: () => Date.UTC(2026, 0, 1) + time, elapsed: () => time, sleep, after, sleeps, runUntil };
}

/** Lets every promise that can go on do so. */
export async function everythingPending(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise((next) => setImmediate(next));
}
