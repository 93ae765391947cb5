/**
 * Makes a session anew of the rows that are left of its log: their chain of checksums, and everything that is derived
 * from them. After rows were taken out because they were damaged (`repair-log.ts`).
 */
import type { DatabaseSync } from "node:sqlite";
import { startOfChain } from "./chain.ts";
import { createRowDeriver } from "./derive-rows.ts";
import type { End } from "./ends-file.ts";
import { chainOf, ROWS_AFTER, type LogRow } from "./find-damage.ts";
import { parseEvent } from "./stored-event.ts";
import { prepareNumbered } from "./prepare-numbered.ts";

const PAGE = 200;

/** Within a transaction. Numbers stay, and none is given twice: the next is after the last that ever was. */
export function rebuildSession(db: DatabaseSync, sessionId: string, lastSeq: number): End {
  const removed = db.prepare("SELECT removed FROM sessions WHERE session_id = ?").get(sessionId) as Removed | undefined;
  for (const table of ["sessions", "turns", "asset_uses", "cuts"]) {
    db.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(sessionId);
  }
  const derive = createRowDeriver(db);
  const setEvent = db.prepare("UPDATE events SET chain = ? WHERE session_id = ? AND seq = ?");
  const setBlock = db.prepare("UPDATE line_blocks SET chain = ? WHERE session_id = ? AND first_seq = ?");
  // In pages, because rows are changed on the way.
  const select = prepareNumbered(db, ROWS_AFTER);
  let chain = startOfChain(sessionId);
  let last = 0;
  for (let at = 0; ;) {
    const page = select.all(sessionId, at, PAGE) as object[] as LogRow[];
    for (const row of page) {
      chain = chainOf(chain, row);
      (row.event_id === null ? setBlock : setEvent).run(chain, sessionId, row.seq);
      if (row.event_id !== null) derive.event(parseEvent(row.json));
      ({ seq: at, last_seq: last } = row);
    }
    if (page.length < PAGE) break;
  }
  const end = { lastSeq: Math.max(last, lastSeq), chain };
  derive.end(sessionId, end.lastSeq, chain);
  if (removed?.removed === 1) db.prepare("UPDATE sessions SET removed = 1 WHERE session_id = ?").run(sessionId);
  return end;
}

interface Removed {
  removed: number;
}
