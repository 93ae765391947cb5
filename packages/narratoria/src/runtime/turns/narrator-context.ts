/**
 * What a narrator is told of the turns before: the latest, as many as fit. It is a view: the log keeps everything. A
 * prompt and what was told in answer to it stay together, or are left out together.
 */
import type { DraftOf } from "../../story/event.ts";
import type { Telling } from "../../story/session-state.ts";
import { latestTellings, NARRATOR_BYTES, sizeOfTellings } from "../../story/tellings.ts";

export interface NarratorHistory {
  history: readonly Telling[];
  /** What to log when something was left out. */
  compaction: Compaction[];
}

export type Compaction = DraftOf<"context:pre_compact" | "context:post_compact" | "context:get">;

export function historyFrom(tellings: readonly Telling[]): NarratorHistory {
  const history = latestTellings(tellings, NARRATOR_BYTES);
  return { history, compaction: history.length === tellings.length ? [] : compactionOf(tellings, history) };
}

/** That the history was cut, and by how much. */
export function compactionOf(before: readonly Telling[], after: readonly Telling[]): Compaction[] {
  const bytes = sizeOfTellings(before);
  return [
    { event: "context:pre_compact", component: "kernel", data: { bytes } },
    { event: "context:post_compact", component: "kernel", data: { delta_bytes: sizeOfTellings(after) - bytes } },
  ];
}
