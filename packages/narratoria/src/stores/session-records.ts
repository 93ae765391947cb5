/** A session's own records as the log keeps them: what `runtime/session-file/session-file.ts` writes into a file. */
import type { DatabaseSync } from "node:sqlite";
import type { LogRecord } from "../runtime/seams/store.ts";
import type { LineBlocks } from "./line-blocks.ts";
import { parseEvent } from "./stored-event.ts";
import { EVENT_COLUMNS, type EventRow, type RowVerifier } from "./verify-rows.ts";

const PAGE = 200;

export function createRecordReader(
  db: DatabaseSync,
  blocks: LineBlocks,
  verify: RowVerifier,
): (sessionId: string, until: number) => Iterable<LogRecord> {
  const select = db.prepare(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
  );

  /** Read in pages, never in one statement: others may write while a slow reader is at it. */
  return function* records(sessionId, until) {
    let block = blocks.next(sessionId, 0);
    for (let at = 0; ;) {
      const page = select.all(sessionId, at, until, PAGE) as object[] as EventRow[];
      verify.events(page);
      for (const { seq, json } of page) {
        for (; block !== null && block.lastSeq < seq; block = blocks.next(sessionId, block.lastSeq)) yield block.block;
        yield { kind: "event", event: parseEvent(json), json };
      }
      if (page.length === 0) break;
      at = page.at(-1)?.seq ?? until;
    }
    for (; block !== null && block.lastSeq <= until; block = blocks.next(sessionId, block.lastSeq)) yield block.block;
  };
}
