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

/**
 * `turns` is how many there were in all. Of a long story not all tellings are kept at hand: then something is left out
 * even where all that is at hand can be told.
 */
export function historyFrom(tellings: readonly Telling[], turns: number): NarratorHistory {
  const history = latestTellings(tellings, NARRATOR_BYTES);
  const missed = Math.max(turns, tellings.length) - history.length;
  return { history, compaction: missed === 0 ? [] : compactionOf(tellings, history, { turns: missed }) };
}

/** That the history was cut, and by how much of what was at hand. */
export function compactionOf(
  before: readonly Telling[],
  after: readonly Telling[],
  leftOut: { turns?: number } = {},
): Compaction[] {
  const bytes = sizeOfTellings(before);
  const data = { delta_bytes: sizeOfTellings(after) - bytes, ...leftOut };
  return [
    { event: "context:pre_compact", component: "kernel", data: { bytes } },
    { event: "context:post_compact", component: "kernel", data },
  ];
}
