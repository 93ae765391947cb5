/**
 * Work that can be done a slice at a time: a generator that yields wherever somebody else may have their turn. Who must
 * have the answer now takes it at once; everybody else lets the event loop go round in between (`pace.ts`).
 */
import { PACE, type Pace } from "./pace.ts";

export type Sliced<T> = Generator<undefined, T, undefined>;

export async function inSlices<T>(work: Sliced<T>, pace: Pace = PACE): Promise<T> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    const resting = pace.rest();
    if (resting !== undefined) await resting;
  }
}

export function atOnce<T>(work: Sliced<T>): T {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}
