/** A whole session as the log keeps it, record by record: what `runtime/session-file/session-file.ts` writes into a file. */
import type { DatabaseSync } from "node:sqlite";
import type { NarratoriaEvent } from "../story/event.ts";
import type { LogRecord, SessionRow, TurnRow } from "../runtime/seams/store.ts";
import type { LineBlocks } from "./line-blocks.ts";

export interface RecordSources {
  blocks: LineBlocks;
  session(sessionId: string): SessionRow | null;
  pathTo(turnId: string, limit: number): TurnRow[];
  lastSeq(): number;
}

const PAGE = 200;

export function createRecordReader(
  db: DatabaseSync,
  sources: RecordSources,
): (sessionId: string) => Iterable<LogRecord> {
  const { blocks } = sources;
  const select = db.prepare(
    "SELECT json FROM events WHERE session_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
  );

  /** A fork begins with the way that led to it. Everything on that way happened before the fork. */
  function* records(sessionId: string, until: number): Generator<LogRecord> {
    const session = sources.session(sessionId);
    if (session?.parentSessionId && session.forkTurnId !== null) {
      const way = new Set(sources.pathTo(session.forkTurnId, Number.MAX_SAFE_INTEGER).map(({ turnId }) => turnId));
      for (const record of records(session.parentSessionId, until)) {
        const { turn_id, event } = record.kind === "event" ? record.event : record.first;
        if (turn_id ? way.has(turn_id) : event === "session:start" || event.startsWith("mount:")) yield record;
      }
    }
    yield* own(sessionId, until);
  }

  /** Read in pages, never in one statement: others may write while a slow reader is at it. */
  function* own(sessionId: string, until: number): Generator<LogRecord> {
    let block = blocks.next(sessionId, 0);
    for (let at = 0; ;) {
      const page = (select.all(sessionId, at, until, PAGE) as { json: string }[]).map(
        ({ json }) => JSON.parse(json) as NarratoriaEvent,
      );
      for (const event of page) {
        for (; block !== null && block.lastSeq < (event.seq ?? 0); block = blocks.next(sessionId, block.lastSeq))
          yield block.block;
        yield { kind: "event", event };
      }
      if (page.length === 0) break;
      at = page.at(-1)?.seq ?? until;
    }
    for (; block !== null && block.lastSeq <= until; block = blocks.next(sessionId, block.lastSeq)) yield block.block;
  }
  return (sessionId) => records(sessionId, sources.lastSeq());
}
