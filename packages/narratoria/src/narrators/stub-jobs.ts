/** What a story's process does for `stub.ts`. */
import { stubTeller } from "./stub-teller.ts";
import { createTellerJobs } from "./teller-jobs.ts";

export const { prepare, tell } = createTellerJobs(stubTeller);
