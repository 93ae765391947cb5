/**
 * The one writer: it stamps what happens with an id, a time and a number, commits it, and only then tells others.
 * Nobody sees what could still be lost.
 */
import type { JsonObject } from "@narratoria/tool/json";
import type { NarratoriaEvent } from "../../story/event.ts";
import type { LineRun } from "../../story/log-lines.ts";
import type { Clock } from "../seams/clock.ts";
import type { EventDraft } from "../../story/event.ts";
import type { Store } from "../seams/store.ts";

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
    const next = store.lastSeq() + 1;
    const ts = clock.now() / 1000;
    const events = drafts.map((draft, index) => ({ ...draft, id: newId(), ts, seq: next + index }));
    store.append(events.map((event) => ({ kind: "event", event })));
    listener(events, null);
    return events;
  }

  function appendLines(draft: EventDraft, number: number, lines: readonly string[], progress: number | null): void {
    const seq = store.lastSeq() + 1;
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
