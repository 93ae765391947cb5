/**
 * The log of a run that keeps nothing: it stamps what happens with an id, a time and a number, and hands it on, in order.
 * `session-log.ts` is the log of a session, which commits first.
 */
import { randomUUID } from "node:crypto";
import type { NarratoriaEvent } from "../../story/event.ts";
import type { Clock } from "../seams/clock.ts";

/** What an event's writer says; a caller's own id and time would be ignored, so it cannot give any. */
export type EventDraft = Omit<NarratoriaEvent, "id" | "ts" | "seq">;

export interface EventLog {
  append(draft: EventDraft): NarratoriaEvent;
}

export function createEventLog(clock: Clock, listeners: readonly ((event: NarratoriaEvent) => void)[]): EventLog {
  let seq = 0;
  function append(draft: EventDraft): NarratoriaEvent {
    const event = { ...draft, id: randomUUID(), ts: clock.now() / 1000, seq: ++seq };
    for (const listener of listeners) listener(event);
    return event;
  }
  return { append };
}
