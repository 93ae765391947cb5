/**
 * Version 1 to 2: events are numbered per session, and every row gets its place in a chain of checksums. Numbers that
 * were given stay. New ones go on after the highest of the whole file, for every session: a reader may hold any number
 * up to that one, and a fork must stay behind all that its parent goes on to do.
 */
import type { DatabaseSync } from "node:sqlite";
import { chainBlock, chainEvent, startOfChain } from "../chain.ts";

export function numberPerSession(db: DatabaseSync): void {
  addWhatEarlyFilesLack(db);
  db.exec(MOVE_ASIDE);
  const { last } = db.prepare(LAST_NUMBER).get() as { last: number };
  const ends = copyInOrder(db);
  const settle = db.prepare("UPDATE sessions SET last_seq = ?, chain = ? WHERE session_id = ?");
  for (const [sessionId, chain] of ends) settle.run(last, chain, sessionId);
  db.exec(CLEAN_UP);
}

/** The first files of version 1 were made without these. */
function addWhatEarlyFilesLack(db: DatabaseSync): void {
  const hasProgress = db.prepare("SELECT 1 FROM pragma_table_info('line_blocks') WHERE name = 'progress'").get();
  if (hasProgress === undefined) db.exec("ALTER TABLE line_blocks ADD COLUMN progress REAL");
  db.exec(`
    CREATE INDEX IF NOT EXISTS turns_of_parent ON turns (parent_turn);
    CREATE INDEX IF NOT EXISTS sessions_of_fork ON sessions (fork_turn) WHERE fork_turn IS NOT NULL;
    CREATE INDEX IF NOT EXISTS sessions_of_parent ON sessions (parent_session) WHERE parent_session IS NOT NULL;
  `);
}

const MOVE_ASIDE = `
  ALTER TABLE events RENAME TO old_events;
  ALTER TABLE line_blocks RENAME TO old_line_blocks;
  DROP INDEX IF EXISTS events_of_turn;
  DROP INDEX IF EXISTS events_by_name;
  DROP INDEX IF EXISTS blocks_of_span;
  CREATE TABLE events (
    session_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    event_id TEXT NOT NULL UNIQUE,
    turn_id TEXT,
    name TEXT NOT NULL,
    json TEXT NOT NULL,
    chain TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
  ) STRICT;
  CREATE TABLE line_blocks (
    session_id TEXT NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    turn_id TEXT,
    span_id TEXT NOT NULL,
    first_number INTEGER NOT NULL,
    progress REAL,
    envelope TEXT NOT NULL,
    is_compressed INTEGER NOT NULL,
    lines BLOB NOT NULL,
    chain TEXT NOT NULL,
    PRIMARY KEY (session_id, first_seq)
  ) STRICT;
  ALTER TABLE sessions ADD COLUMN fork_seq INTEGER;
  ALTER TABLE sessions ADD COLUMN last_seq INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN chain TEXT NOT NULL DEFAULT '';
  UPDATE sessions SET fork_seq =
    (SELECT min(seq) FROM old_events WHERE session_id = sessions.session_id AND name = 'session:fork')
    WHERE parent_session IS NOT NULL;
`;

const CLEAN_UP = `
  DROP TABLE old_events;
  DROP TABLE old_line_blocks;
  CREATE INDEX events_of_turn ON events (turn_id, seq);
  CREATE INDEX events_by_name ON events (session_id, name) WHERE turn_id IS NULL;
  CREATE INDEX blocks_of_span ON line_blocks (span_id, first_number);
`;

const LAST_NUMBER = `
  SELECT max(coalesce((SELECT max(seq) FROM old_events), 0),
             coalesce((SELECT max(last_seq) FROM old_line_blocks), 0)) AS last`;

interface OldRow {
  seq: number;
  session_id: string;
  turn_id: string | null;
  /** Of an event. */
  event_id: string | null;
  name: string | null;
  /** An event's, or the envelope of a block. */
  json: string;
  /** Of a block. */
  last_seq: number;
  span_id: string;
  first_number: number;
  progress: number | null;
  is_compressed: number;
  lines: Uint8Array;
}

const BOTH_IN_ORDER = `
  SELECT seq, session_id, turn_id, event_id, name, json, seq AS last_seq, '' AS span_id, 0 AS first_number,
    NULL AS progress, 0 AS is_compressed, NULL AS lines FROM old_events
  UNION ALL
  SELECT first_seq, session_id, turn_id, NULL, NULL, envelope, last_seq, span_id, first_number,
    progress, is_compressed, lines FROM old_line_blocks
  ORDER BY seq`;

/** Where each session's chain ends. */
function copyInOrder(db: DatabaseSync): Map<string, string> {
  const insertEvent = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)");
  const insertBlock = db.prepare("INSERT INTO line_blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const ends = new Map<string, string>();
  for (const found of db.prepare(BOTH_IN_ORDER).iterate()) {
    const row = found as object as OldRow;
    const { session_id: sessionId, seq, turn_id: turnId, json } = row;
    const before = ends.get(sessionId) ?? startOfChain(sessionId);
    if (row.event_id !== null) {
      const chain = chainEvent(before, seq, json);
      insertEvent.run(sessionId, seq, row.event_id, turnId, row.name, json, chain);
      ends.set(sessionId, chain);
    } else {
      const { last_seq: lastSeq, first_number: firstNumber, progress, is_compressed: isCompressed, lines } = row;
      const cells = { firstSeq: seq, lastSeq, firstNumber, progress, envelope: json, isCompressed, lines };
      const chain = chainBlock(before, cells);
      const about = [sessionId, seq, lastSeq, turnId, row.span_id, firstNumber, progress, json, isCompressed];
      insertBlock.run(...about, lines, chain);
      ends.set(sessionId, chain);
    }
  }
  return ends;
}
