/** The port of an attempt that a test makes by itself: events go to a function, limits run, nobody can be asked. */
import { systemClock } from "../src/runtime/seams/clock.ts";
import type { AttemptPort } from "../src/runtime/seams/tool-runner.ts";

export function portTo(take: AttemptPort["take"], flush: AttemptPort["flush"] = () => {}): AttemptPort {
  return { take, flush, ask: () => Promise.resolve(null), clock: systemClock };
}
