/** Time as the runtime sees it, so that tests need not wait and a replay can fix it. */
import { setTimeout as wait } from "node:timers/promises";

export interface Clock {
  /** Wall-clock milliseconds, for people: it may jump. */
  now(): number;
  /** Milliseconds that only ever grow, for durations and limits. */
  elapsed(): number;
  /** Ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls back after a while unless cancelled. */
  after(ms: number, callback: () => void): { cancel(): void };
}

/** The time of one call. It may stand still while a person is asked something (`deadlines.ts`). */
export type CallClock = Pick<Clock, "elapsed" | "after">;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) => wait(ms, undefined, { signal }).catch(() => {}),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};
