/** Opens what a command needs, or says in a line why that cannot be. */
import {
  type Narratoria,
  type NarratoriaOptions,
  openNarratoria,
  openPlanRunner,
  openToRead,
  type PlanRunner,
  type PlanRunnerOptions,
  type Sessions,
  shippedStories,
} from "../index.ts";
import { wordsForTrouble } from "./expected-trouble.ts";
import { complain } from "./say.ts";

export function openOrComplain(options: NarratoriaOptions): Promise<Narratoria | null> {
  return orComplain(() => openNarratoria(options));
}

/** Works beside a running host; whatever would change something is refused by the store. */
export function readOrComplain(dataDir: string): Promise<Sessions | null> {
  return orComplain(() => openToRead(dataDir));
}

/** For running tools without sessions. */
export function openToRun(options: PlanRunnerOptions): Promise<PlanRunner | null> {
  return orComplain(() => openPlanRunner(options));
}

/** Null when it could not be, and was said so. */
export async function orComplain<T>(open: () => T | Promise<T>): Promise<T | null> {
  try {
    return await open();
  } catch (error) {
    const words = wordsForTrouble(error);
    if (words === null) throw error;
    complain(words);
    return null;
  }
}

/** The story that was named, before those that can be chosen anyway. */
export function storiesWith(named: string | undefined): Pick<NarratoriaOptions, "stories"> {
  return named === undefined ? {} : { stories: [named, ...shippedStories()] };
}
