/**
 * The one writer: it stamps what happens with an id, a time and a number, commits it, and only then tells others.
 * Nobody sees what could still be lost.
 */
import type { JsonObject } from "@narratoria/tool/json";
import type { NarratoriaEvent } from "../../story/event.ts";
import type { LineRun } from "../../story/log-lines.ts";
import type { Clock } from "../seams/clock.ts";
import type { EventDraft } from "../../story/event.ts";
import { recordOf, type Store } from "../seams/store.ts";

export interface SessionLog {
  append(drafts: readonly EventDraft[]): NarratoriaEvent[];
  /** Log lines of one attempt, as printed, from its `number`th on (the first is 0). */
  appendLines(draft: EventDraft, number: number, lines: readonly string[], progress: number | null): void;
}

export interface LogListener {
  /** What happened; of a run of log lines only the last one is given, and `lines` tells of the run. */
  (events: readonly NarratoriaEvent[], lines: LineRun | null): void;
}

export function createSessionLog(store: Store, clock: Clock, newId: () => string, listener: LogListener): SessionLog {
  function append(drafts: readonly EventDraft[]): NarratoriaEvent[] {
    const ts = clock.now() / 1000;
    const numbers = createNumbers(store);
    const events = drafts.map((draft) => ({ ...draft, id: newId(), ts, seq: numbers.next(draft) }));
    store.append(events.map(recordOf));
    listener(events, null);
    return events;
  }

  function appendLines(draft: EventDraft, number: number, lines: readonly string[], progress: number | null): void {
    const seq = store.lastSeq(draft.session_id ?? "") + 1;
    const first = { ...draft, id: `${draft.span_id}:${number}`, ts: clock.now() / 1000, seq };
    store.append([{ kind: "lines", first, number, lines, progress }]);
    const last = lines.length - 1;
    const printed = JSON.parse(lines[last] ?? "{}") as JsonObject;
    const id = `${draft.span_id}:${number + last}`;
    const event = { ...first, id, seq: seq + last, data: { ...draft.data, event: printed } };
    listener([event], { count: lines.length, progress });
  }
  return { append, appendLines };
}

/** Every session counts for itself. A fork goes on after the last number of its parent: what it inherits is below. */
function createNumbers(store: Store): { next(draft: EventDraft): number } {
  const last = new Map<string, number>();
  const lastOf = (sessionId: string): number => last.get(sessionId) ?? store.lastSeq(sessionId);
  return {
    next({ event, session_id, data }) {
      const sessionId = session_id ?? "";
      const before = event === "session:fork" ? lastOf(String(data?.["parent"])) : lastOf(sessionId);
      last.set(sessionId, before + 1);
      return before + 1;
    },
  };
}
