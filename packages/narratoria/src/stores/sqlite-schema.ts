/**
 * The tables of the log, and those derived from it, as they are made for a new file. A file that older code has made is
 * brought to the same by `migrations/`: a change here needs a step there.
 */
import type { DatabaseSync } from "node:sqlite";

/** Raised with every change that older code could not read. */
export const SCHEMA_VERSION = 3;

export function createSchema(db: DatabaseSync): void {
  db.exec(`
    BEGIN IMMEDIATE;
    -- The log: these two tables are the only source. Numbers are a session's own; chain.ts says what a chain is.
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
    CREATE INDEX events_of_turn ON events (turn_id, seq);
    CREATE INDEX events_by_name ON events (session_id, name) WHERE turn_id IS NULL;
    -- What a tool logs comes in bulk: a block is many lines as they were printed, numbered from first_seq on.
    CREATE TABLE line_blocks (
      session_id TEXT NOT NULL,
      first_seq INTEGER NOT NULL,
      last_seq INTEGER NOT NULL,
      turn_id TEXT,
      span_id TEXT NOT NULL,
      first_number INTEGER NOT NULL,
      -- The last that these lines tell, from 0 to 1.
      progress REAL,
      envelope TEXT NOT NULL,
      is_compressed INTEGER NOT NULL,
      lines BLOB NOT NULL,
      chain TEXT NOT NULL,
      PRIMARY KEY (session_id, first_seq)
    ) STRICT;
    CREATE INDEX blocks_of_span ON line_blocks (span_id, first_number);

    -- Derived from the log, in the same transaction.
    CREATE TABLE sessions (
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
      removed INTEGER NOT NULL DEFAULT 0,
      fork_seq INTEGER,
      -- The last number given, and the chain's end: without them a missing tail would not show.
      last_seq INTEGER NOT NULL DEFAULT 0,
      chain TEXT NOT NULL DEFAULT ''
    ) STRICT;
    CREATE INDEX sessions_of_fork ON sessions (fork_turn) WHERE fork_turn IS NOT NULL;
    CREATE INDEX sessions_of_parent ON sessions (parent_session) WHERE parent_session IS NOT NULL;
    CREATE TABLE turns (
      turn_id TEXT PRIMARY KEY,
      session_id TEXT NOT NULL,
      parent_turn TEXT,
      number INTEGER NOT NULL,
      status TEXT NOT NULL,
      start_seq INTEGER NOT NULL,
      started_at REAL NOT NULL,
      ending TEXT
    ) STRICT;
    CREATE INDEX turns_of_session ON turns (session_id, parent_turn);
    CREATE INDEX turns_of_parent ON turns (parent_turn);
    CREATE TABLE asset_uses (
      session_id TEXT NOT NULL,
      sha256 TEXT NOT NULL,
      PRIMARY KEY (session_id, sha256)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE snapshots (
      turn_id TEXT PRIMARY KEY,
      state BLOB NOT NULL
    ) STRICT;
    -- Where rows were taken out of a log on purpose: what follows goes on from this chain (cuts.ts).
    CREATE TABLE cuts (
      session_id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      chain TEXT NOT NULL,
      PRIMARY KEY (session_id, seq)
    ) STRICT;
    -- The sessions that are half deleted or half taken in: hidden, and erased by whoever starts next.
    CREATE TABLE unfinished (
      session_id TEXT PRIMARY KEY,
      is_purge INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    PRAGMA user_version = ${SCHEMA_VERSION};
    COMMIT;
  `);
}
