/**
 * The log of a run that keeps nothing: it stamps what happens with an id, a time and a number, and hands it on, in order.
 * `sessions/session-log.ts` is the log of a session, which commits first.
 */
import { randomUUID } from "node:crypto";
import { stamp, type EventDraft, type NarratoriaEvent } from "../../story/event.ts";
import type { ResultFold } from "../../story/fold-result.ts";
import type { Clock } from "../seams/clock.ts";
import type { EventWriter, PlanRecord } from "../seams/engine.ts";

export interface EventLog {
  append(draft: EventDraft): NarratoriaEvent;
}

export function createEventLog(
  clock: Clock,
  listeners: readonly ((event: NarratoriaEvent) => void)[],
  newId: () => string = randomUUID,
): EventLog {
  let seq = 0;
  function append(draft: EventDraft): NarratoriaEvent {
    const event = stamp(draft, { id: newId(), ts: clock.now() / 1000, seq: ++seq });
    for (const listener of listeners) listener(event);
    return event;
  }
  return { append };
}

/** A writer for which every log line is an event of its own. */
export function writeEach(emit: EventWriter["emit"]): EventWriter {
  return {
    emit,
    emitLines: async (draft, lines) => {
      for (const { event } of lines) await emit({ ...draft, data: { ...draft.data, event } });
    },
  };
}

/** The log writes as the writer does, and keeps the plan's results current with what was written. */
export function keepRecord(results: ResultFold, writer: EventWriter): PlanRecord {
  function taken(event: NarratoriaEvent): NarratoriaEvent {
    results.take(event);
    return event;
  }
  const log: EventWriter = {
    emit: (draft) => {
      const written = writer.emit(draft);
      return written instanceof Promise ? written.then(taken) : taken(written);
    },
    emitLines: (draft, lines, progress) => {
      const take = (): void => lines.forEach(({ event }) => results.takeLine(draft.data.toolId, event));
      const written = writer.emitLines(draft, lines, progress);
      return written instanceof Promise ? written.then(take) : take();
    },
  };
  return { log, results };
}
