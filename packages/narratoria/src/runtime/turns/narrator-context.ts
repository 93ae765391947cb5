/**
 * What a narrator is told of the turns before: the latest, as many as fit. It is a view: the log keeps everything. A
 * prompt and what was told in answer to it stay together, or are left out together.
 */
import type { Telling } from "../../story/session-state.ts";
import type { EventDraft } from "../../story/event.ts";
import type { StoryContext } from "../seams/narrator.ts";

export const CONTEXT_BYTES = 64 * 1024;

export interface NarratorContext {
  history: StoryContext["history"];
  /** What to log when something was left out. */
  compaction: EventDraft[];
}

export function contextFor(all: readonly Telling[], budget: number = CONTEXT_BYTES): NarratorContext {
  const sizes = all.map(({ prompt, narrative }) => Buffer.byteLength(prompt ?? "") + Buffer.byteLength(narrative));
  let first = all.length;
  let kept = 0;
  while (first > 0 && kept + (sizes[first - 1] ?? 0) <= budget) kept += sizes[--first] ?? 0;
  if (first === 0) return { history: [...all], compaction: [] };
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return {
    history: all.slice(first),
    compaction: [
      { event: "context:pre_compact", component: "kernel", data: { bytes } },
      { event: "context:post_compact", component: "kernel", data: { delta_bytes: kept - bytes } },
    ],
  };
}
