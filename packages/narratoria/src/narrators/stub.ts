/** The narrator for tool authors and tests: fixed prompts, fixed plans. `stub-teller.ts` tells them, in a process of its own. */
import type { NarratorKind } from "../runtime/mounts/load-story.ts";
import { ownModule } from "../installation.ts";
import { fallbackNarration } from "../runtime/turns/fallback-narration.ts";
import { toldInAProcess } from "./told-in-a-process.ts";

/** A pattern of the author's can take for ever on what a player types. */
const TIME_LIMIT_MS = 5_000;

export const stubNarrator: NarratorKind = toldInAProcess({
  defaultFile: "plans.json",
  jobs: ownModule("narrators/stub-jobs"),
  timeLimitMs: TIME_LIMIT_MS,
  stumble: ({ prompt, context }) => {
    const { narrative, choices } = fallbackNarration(prompt, context.choices, context.seed);
    return { kind: "end", narrative, choices, memory: context.memory };
  },
});
