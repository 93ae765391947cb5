/** Whether the derived tables say what the log says: they are made again from it, in memory, and compared. */
import { DatabaseSync } from "node:sqlite";
import { createRowDeriver } from "./derive-rows.ts";
import { createSchema } from "./sqlite-schema.ts";
import { parseEvent } from "./stored-event.ts";

/** Not `removed`, which no event tells, nor the end of the chain, which `find-damage.ts` looks at. */
const COMPARED = {
  sessions:
    "session_id, title, story_dir, story_title, parent_session, fork_turn, head_turn, created_at, updated_at, ended, fork_seq",
  turns: "session_id, turn_id, parent_turn, number, status, start_seq, started_at, ending",
  asset_uses: "session_id, sha256",
};

/** The sessions of which something differs. */
export function findDerivedDamage(db: DatabaseSync): string[] {
  const again = new DatabaseSync(":memory:");
  try {
    createSchema(again);
    const derive = createRowDeriver(again);
    const unread = new Set<string>();
    for (const found of db.prepare("SELECT session_id, json FROM events ORDER BY rowid").iterate()) {
      const { session_id: sessionId, json } = found as { session_id: string; json: string };
      try {
        derive.event(parseEvent(json));
      } catch {
        // No event at all: the chain says so.
        unread.add(sessionId);
      }
    }
    const differing = Object.entries(COMPARED).flatMap(([table, columns]) => differences(db, again, table, columns));
    const halfThere = unfinishedIn(db);
    return [...new Set([...differing, ...behind(db), ...hiddenForNobody(db)])].filter(
      (sessionId) => !unread.has(sessionId) && !halfThere.has(sessionId),
    );
  } finally {
    again.close();
  }
}

/** Those that are half deleted or half taken in: whoever opens the store erases the rest. */
export function unfinishedIn(db: DatabaseSync): ReadonlySet<string> {
  const rows = db.prepare("SELECT session_id FROM unfinished").all() as { session_id: string }[];
  return new Set(rows.map(({ session_id: sessionId }) => sessionId));
}

/** Those whose next number was given already. */
function behind(db: DatabaseSync): string[] {
  const rows = db.prepare(
    `SELECT session_id FROM sessions WHERE last_seq < (SELECT max(seq) FROM events WHERE session_id = sessions.session_id)
       OR last_seq < (SELECT max(last_seq) FROM line_blocks WHERE session_id = sessions.session_id)`,
  );
  return (rows.all() as { session_id: string }[]).map(({ session_id: sessionId }) => sessionId);
}

/** Those that are deleted, and stay though no fork begins with them. */
export function hiddenForNobody(db: DatabaseSync): string[] {
  const rows = db.prepare(
    `SELECT session_id FROM sessions WHERE removed <> 0 AND session_id NOT IN (SELECT session_id FROM unfinished)
       AND session_id NOT IN (SELECT parent_session FROM sessions WHERE parent_session IS NOT NULL)`,
  );
  return (rows.all() as { session_id: string }[]).map(({ session_id: sessionId }) => sessionId);
}

function differences(db: DatabaseSync, again: DatabaseSync, table: string, columns: string): string[] {
  const [here, there] = [db, again].map((each) => {
    const rows = each.prepare(`SELECT ${columns} FROM ${table}`).all() as { session_id: string }[];
    return new Map(rows.map((row) => [JSON.stringify(row), row.session_id]));
  });
  const onlyIn = (one = new Map<string, string>(), other = new Map<string, string>()): string[] =>
    [...one].flatMap(([row, sessionId]) => (other.has(row) ? [] : [sessionId]));
  return [...onlyIn(here, there), ...onlyIn(there, here)];
}
