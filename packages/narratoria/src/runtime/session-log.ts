/**
 * The one writer: it stamps what happens with an id, a time and a number, commits it, and only then tells others.
 * Nobody sees what could still be lost.
 */
import type { JsonObject } from "@narratoria/tool/json";
import type { NarratoriaEvent } from "../story/event.ts";
import type { Clock } from "./clock.ts";
import type { EventDraft } from "./event-log.ts";
import type { LogRecord, Store } from "./store.ts";

export interface SessionLog {
  append(drafts: readonly EventDraft[]): NarratoriaEvent[];
  /** Log lines of one attempt, as printed, from its `number`th on. Returns the event of the last one. */
  appendLines(draft: EventDraft, number: number, lines: readonly string[]): NarratoriaEvent;
}

export interface LogListener {
  /** `count` events happened; of a run of log lines only the last one is given. */
  (events: readonly NarratoriaEvent[], lines: number): void;
}

export function createSessionLog(store: Store, clock: Clock, newId: () => string, listener: LogListener): SessionLog {
  function append(drafts: readonly EventDraft[]): NarratoriaEvent[] {
    const next = store.lastSeq() + 1;
    const ts = clock.now() / 1000;
    const events = drafts.map((draft, index) => ({ ...draft, id: newId(), ts, seq: next + index }));
    commit(events.map((event) => ({ kind: "event", event })));
    listener(events, 0);
    return events;
  }

  function appendLines(draft: EventDraft, number: number, lines: readonly string[]): NarratoriaEvent {
    const seq = store.lastSeq() + 1;
    const first = { ...draft, id: `${draft.span_id}:${number}`, ts: clock.now() / 1000, seq };
    commit([{ kind: "lines", first, number, lines }]);
    const last = lines.length - 1;
    const printed = JSON.parse(lines[last] ?? "{}") as JsonObject;
    const id = `${draft.span_id}:${number + last}`;
    const event = { ...first, id, seq: seq + last, data: { ...draft.data, event: printed } };
    listener([event], lines.length);
    return event;
  }

  function commit(records: LogRecord[]): void {
    store.append(records);
  }
  return { append, appendLines };
}
