/** The tables of the log, and those derived from it. */
import type { DatabaseSync } from "node:sqlite";

/** Raised with every change that older code could not read. */
export const SCHEMA_VERSION = 1;

export function createSchema(db: DatabaseSync): void {
  db.exec(`
    BEGIN IMMEDIATE;
    -- The log: these two tables are the only source.
    CREATE TABLE IF NOT EXISTS events (
      seq INTEGER PRIMARY KEY,
      event_id TEXT NOT NULL UNIQUE,
      session_id TEXT NOT NULL,
      turn_id TEXT,
      name TEXT NOT NULL,
      json TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS events_of_turn ON events (turn_id, seq);
    CREATE INDEX IF NOT EXISTS events_of_session ON events (session_id, seq);
    CREATE INDEX IF NOT EXISTS events_by_name ON events (session_id, name) WHERE turn_id IS NULL;
    -- What a tool logs comes in bulk: a block is many lines as they were printed, numbered from first_seq on.
    CREATE TABLE IF NOT EXISTS line_blocks (
      first_seq INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL,
      session_id TEXT NOT NULL,
      turn_id TEXT,
      span_id TEXT NOT NULL,
      first_number INTEGER NOT NULL,
      -- The last that these lines tell, from 0 to 1.
      progress REAL,
      envelope TEXT NOT NULL,
      is_compressed INTEGER NOT NULL,
      lines BLOB NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS blocks_of_session ON line_blocks (session_id, first_seq);
    CREATE INDEX IF NOT EXISTS blocks_of_span ON line_blocks (span_id, first_number);

    -- Derived from the log, in the same transaction.
    CREATE TABLE IF NOT EXISTS sessions (
      session_id TEXT PRIMARY KEY,
      title TEXT NOT NULL,
      story_dir TEXT NOT NULL,
      story_title TEXT NOT NULL,
      parent_session TEXT,
      fork_turn TEXT,
      head_turn TEXT,
      created_at REAL NOT NULL,
      updated_at REAL NOT NULL,
      ended INTEGER NOT NULL DEFAULT 0,
      removed INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE IF NOT EXISTS turns (
      turn_id TEXT PRIMARY KEY,
      session_id TEXT NOT NULL,
      parent_turn TEXT,
      number INTEGER NOT NULL,
      status TEXT NOT NULL,
      start_seq INTEGER NOT NULL,
      started_at REAL NOT NULL,
      ending TEXT
    ) STRICT;
    CREATE INDEX IF NOT EXISTS turns_of_session ON turns (session_id, parent_turn);
    CREATE INDEX IF NOT EXISTS turns_of_parent ON turns (parent_turn);
    CREATE INDEX IF NOT EXISTS sessions_of_fork ON sessions (fork_turn) WHERE fork_turn IS NOT NULL;
    CREATE INDEX IF NOT EXISTS sessions_of_parent ON sessions (parent_session) WHERE parent_session IS NOT NULL;
    CREATE TABLE IF NOT EXISTS asset_uses (
      session_id TEXT NOT NULL,
      sha256 TEXT NOT NULL,
      PRIMARY KEY (session_id, sha256)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS snapshots (
      turn_id TEXT PRIMARY KEY,
      state BLOB NOT NULL
    ) STRICT;
    PRAGMA user_version = ${SCHEMA_VERSION};
    COMMIT;
  `);
}
