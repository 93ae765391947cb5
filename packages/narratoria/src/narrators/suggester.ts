/**
 * Says which choices come near to a sentence in meaning, where the add-on with the small language model is there. It is
 * loaded when a prompt was first not understood, in a process of its own with the limits of a story's, and whatever goes
 * wrong there means only that nothing is suggested.
 */
import { ownModule } from "../installation.ts";
import type { Job } from "../runtime/mounts/story-job.ts";
import { createStoryProcesses } from "../runtime/mounts/story-processes.ts";
import type { SuggestArgs, Suggested } from "./suggest-jobs.ts";
import type { Wonder } from "./teller.ts";

export interface Suggester {
  /** The ids of the nearest, the nearest first. */
  suggest(wonder: Wonder, signal?: AbortSignal): Promise<string[]>;
  close(): void;
}

/** Loading the model takes under a second, on a busy machine several. */
const JOB: Job<SuggestArgs, Suggested> = {
  module: ownModule("narrators/suggest-jobs"),
  name: "suggest",
  timeLimitMs: 10_000,
  mostAnswerBytes: 1024 * 1024,
};
/** Below this nothing has to do with the other; above it, traps are as near as paraphrases. */
const NEAR = 0.3;
const MOST_SUGGESTED = 2;

/** `findLoader`: where the add-on's loader lies; null when it is not there. */
export function createSuggester(findLoader: () => string | null): Suggester {
  const processes = createStoryProcesses();
  return {
    suggest: async ({ prompt, choices }, signal) => {
      const loader = choices.length === 0 ? null : findLoader();
      if (loader === null) return [];
      const outcome = await processes.run(JOB, { loader, prompt, choices }, { key: "suggest", signal });
      if (outcome.kind === "lost") return [];
      const near = Object.entries(outcome.answer).filter(([, cosine]) => cosine >= NEAR);
      return near
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, MOST_SUGGESTED)
        .map(([id]) => id);
    },
    close: () => processes.close(),
  };
}
