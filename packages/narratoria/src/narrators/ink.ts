/** The narrator of stories written in ink: no model, no network. `ink-teller.ts` tells them, in a process of its own. */
import { ownModule } from "../installation.ts";
import type { NarratorKind } from "../runtime/mounts/load-story.ts";
import { storyProcesses } from "../runtime/mounts/story-processes.ts";
import { stumble } from "./ink-answers.ts";
import { readMemory } from "./ink-memory.ts";
import type { Suggester } from "./suggester.ts";
import { toldInAProcess } from "./told-in-a-process.ts";
import { languageOf } from "./understanding/known-languages.ts";
import { createSpeaker } from "./voice.ts";

const JOBS = ownModule("narrators/ink-jobs");
/** One pass takes milliseconds; an endless loop in a story is ended here. */
const TIME_LIMIT_MS = 5_000;

export interface InkNarratorOptions {
  timeLimitMs?: number;
  /** Who knows what is near in meaning. */
  suggester?: Suggester;
}

export function createInkNarrator({ timeLimitMs = TIME_LIMIT_MS, suggester }: InkNarratorOptions = {}): NarratorKind {
  return toldInAProcess({
    defaultFile: "story.ink",
    jobs: JOBS,
    timeLimitMs,
    suggester,
    stumble: ({ context }, { voice, language }) => {
      return stumble(readMemory(context.memory), createSpeaker(voice, languageOf(language)));
    },
  });
}

export const inkNarrator: NarratorKind = createInkNarrator();

/** Starting the process and loading ink takes a moment: done before anybody waits for it. */
export function warmUpInk(): void {
  storyProcesses.warmUp(JOBS);
}
