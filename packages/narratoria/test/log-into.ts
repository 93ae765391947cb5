/** A log into a bare store, for tests of stores: drafts of several sessions in a row, each a commit. */
import { randomUUID } from "node:crypto";
import { systemClock } from "../src/runtime/seams/clock.ts";
import type { Store } from "../src/runtime/seams/store.ts";
import { createSessionLog } from "../src/runtime/sessions/session-log.ts";
import type { EventDraft, LineDraft, NarratoriaEvent } from "../src/story/event.ts";

export interface DraftLog {
  append(drafts: readonly EventDraft[]): NarratoriaEvent[];
  appendLines(draft: LineDraft, number: number, lines: readonly string[], progress: number | null): void;
}

export function logInto(store: Store): DraftLog {
  const log = createSessionLog(store, systemClock, randomUUID, { committed: () => {}, owed: () => {} });
  return {
    append: (drafts) => drafts.flatMap((draft) => log.append(draft.session_id ?? "", [draft])),
    appendLines: (draft, ...rest) => log.appendLines(draft.session_id ?? "", draft, ...rest),
  };
}
