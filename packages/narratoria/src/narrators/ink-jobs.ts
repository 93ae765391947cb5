/** What a story's process does for `ink.ts`. */
import { inkTeller } from "./ink-teller.ts";
import { createTellerJobs } from "./teller-jobs.ts";

export const { prepare, tell } = createTellerJobs(inkTeller);
