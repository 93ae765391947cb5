/**
 * The one writer: it stamps what happens with an id, a time and a number, commits it, and only then tells others.
 * Nobody sees what could still be lost. Every session counts for itself; a fork goes on after its parent's last number,
 * so that all it inherits is below its own.
 */
import type { LogEvent } from "@narratoria/tool/protocol";
import {
  placed,
  stamp,
  type DraftOf,
  type EventDraft,
  type EventOf,
  type LineDraft,
  type NarratoriaEvent,
} from "../../story/event.ts";
import { asRun } from "../../story/log-lines.ts";
import type { Clock } from "../seams/clock.ts";
import { diskTroubleIn } from "../seams/disk-trouble.ts";
import { recordOf, type LogRecord, type Store } from "../seams/store.ts";

export interface SessionLog {
  /** In one commit. Each is told its session. */
  append(sessionId: string, drafts: readonly EventDraft[]): readonly NarratoriaEvent[];
  /** Log lines of one attempt, as printed, from its `number`th on (the first is 0). */
  appendLines(
    sessionId: string,
    draft: LineDraft,
    number: number,
    lines: readonly string[],
    progress: number | null,
  ): void;
  /** What must not be lost, even when it cannot be written now: then it is written before whatever comes next. */
  appendOrOwe(sessionId: string, draft: DraftOf<"turn:end">): void;
  /** What nobody needs: when it cannot be written, it is left out. */
  note(sessionId: string, draft: EventDraft): void;
  /** Writes what is owed. */
  settle(sessionId: string): void;
  owes(sessionId: string): boolean;
}

export interface LogListener {
  committed(commit: Commit): void;
  /** It will be written with this number; until then only who is here knows of it. */
  owed(sessionId: string, event: NarratoriaEvent): void;
}

export interface Commit {
  sessionId: string;
  /** What happened; a run of log lines is one event, its last (`log-lines.ts`). */
  events: readonly NarratoriaEvent[];
  records: readonly LogRecord[];
}

export function createSessionLog(store: Store, clock: Clock, newId: () => string, listener: LogListener): SessionLog {
  const owed = new Map<string, EventDraft>();

  function append(sessionId: string, drafts: readonly EventDraft[]): readonly NarratoriaEvent[] {
    const due = owed.get(sessionId);
    const events = stampAll(sessionId, due === undefined ? drafts : [due, ...drafts]);
    const records = events.map(recordOf);
    store.append(records);
    owed.delete(sessionId);
    listener.committed({ sessionId, events, records });
    return due === undefined ? events : events.slice(1);
  }

  function stampAll(sessionId: string, drafts: readonly EventDraft[]): NarratoriaEvent[] {
    const ts = clock.now() / 1000;
    const [first] = drafts;
    const last = store.lastSeq(first?.event === "session:fork" ? first.data.parent : sessionId);
    return drafts.map((draft, index) =>
      stamp(placed(draft, { session_id: sessionId }), { id: newId(), ts, seq: last + 1 + index }),
    );
  }

  function appendLines(
    sessionId: string,
    draft: LineDraft,
    number: number,
    lines: readonly string[],
    progress: number | null,
  ): void {
    const seq = store.lastSeq(sessionId) + 1;
    const ts = clock.now() / 1000;
    const first = { ...draft, session_id: sessionId, id: `${draft.span_id}:${number}`, ts, seq };
    const record: LogRecord = { kind: "lines", first, number, lines, progress };
    store.append([record]);
    const last = lines.length - 1;
    const printed = JSON.parse(lines[last] ?? "{}") as LogEvent;
    const id = `${draft.span_id}:${number + last}`;
    const event: EventOf<"tool:event"> = { ...first, id, seq: seq + last, data: { ...draft.data, event: printed } };
    listener.committed({ sessionId, events: [asRun(event, { count: lines.length, progress })], records: [record] });
  }

  function appendOrOwe(sessionId: string, draft: DraftOf<"turn:end">): void {
    try {
      append(sessionId, [draft]);
    } catch (error) {
      if (diskTroubleIn(error) === null) throw error;
      owed.set(sessionId, draft);
      for (const event of stampAll(sessionId, [draft])) listener.owed(sessionId, event);
    }
  }

  function note(sessionId: string, draft: EventDraft): void {
    try {
      append(sessionId, [draft]);
    } catch (error) {
      if (diskTroubleIn(error) === null) throw error;
      // A disk without room, or one that is only read: what was asked for is given all the same.
    }
  }

  return {
    append,
    appendLines,
    appendOrOwe,
    note,
    settle: (sessionId) => {
      if (owed.has(sessionId)) append(sessionId, []);
    },
    owes: (sessionId) => owed.has(sessionId),
  };
}
