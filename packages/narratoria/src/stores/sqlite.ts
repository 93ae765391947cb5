/**
 * The store on SQLite: one file, an append-only log, WAL. Commits are durable against the death of this process (the
 * operating system's cache survives it); what was committed is what readers see.
 */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { JsonObject } from "@narratoria/tool/json";
import type { NarratoriaEvent } from "../story/event.ts";
import type { TurnStatus } from "../story/session-view.ts";
import type { LogDetail, LogRecord, SessionRow, Store, TurnRow } from "../runtime/seams/store.ts";
import { createRowDeriver } from "./derive-rows.ts";
import { createLineBlocks } from "./line-blocks.ts";
import { createRecordReader } from "./session-records.ts";
import { createSchema, SCHEMA_VERSION } from "./sqlite-schema.ts";

/**
 * `:memory:` keeps nothing. A file that is no store of ours throws a StoreError, and stays as it was. To read, no host
 * need be gone: readers see what was committed.
 */
export function openSqliteStore(file: string, { readOnly = false }: { readOnly?: boolean } = {}): Store {
  const db = openDatabase(file, readOnly);
  const blocks = createLineBlocks(db);
  const derive = createRowDeriver(db);
  const insertEvent = db.prepare(
    "INSERT INTO events (seq, event_id, session_id, turn_id, name, json) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const select = {
    session: db.prepare("SELECT * FROM sessions WHERE session_id = ?"),
    turn: db.prepare("SELECT * FROM turns WHERE turn_id = ?"),
    takes: db.prepare("SELECT * FROM turns WHERE session_id = ? AND parent_turn IS ? ORDER BY start_seq"),
    path: db.prepare(
      `WITH RECURSIVE way (turn_id, parent_turn, depth) AS (
         SELECT turn_id, parent_turn, 1 FROM turns WHERE turn_id = ?
         UNION ALL SELECT t.turn_id, t.parent_turn, way.depth + 1 FROM turns t JOIN way ON t.turn_id = way.parent_turn
         WHERE way.depth < ?)
       SELECT turns.* FROM way JOIN turns USING (turn_id) ORDER BY way.depth DESC`,
    ),
    turnEvents: db.prepare("SELECT json FROM events WHERE turn_id = ? ORDER BY seq"),
    sessionEvents: db.prepare(
      "SELECT json FROM events WHERE session_id = ? AND name = ? AND turn_id IS NULL ORDER BY seq",
    ),
    after: db.prepare("SELECT json FROM events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?"),
    bySeq: db.prepare("SELECT json FROM events WHERE seq = ?"),
    event: db.prepare("SELECT json FROM events WHERE event_id = ?"),
    snapshot: db.prepare("SELECT state FROM snapshots WHERE turn_id = ?"),
    forkSeq: db.prepare("SELECT seq FROM events WHERE session_id = ? AND name = 'session:fork' AND turn_id IS NULL"),
    builtOn: db.prepare(
      `SELECT EXISTS (SELECT 1 FROM turns WHERE parent_turn = ?1)
         OR EXISTS (SELECT 1 FROM sessions WHERE fork_turn = ?1) AS found`,
    ),
  };
  let seq = Math.max(scalar("SELECT max(seq) FROM events"), scalar("SELECT max(last_seq) FROM line_blocks"));

  function append(records: Iterable<LogRecord>): void {
    let last = seq;
    transaction(() => {
      for (const record of records) {
        if (record.kind === "lines") blocks.insert(record);
        else insert(record.event);
        last = record.kind === "event" ? (record.event.seq ?? last) : (record.first.seq ?? 0) + record.lines.length - 1;
      }
    });
    seq = last;
  }

  function transaction(work: () => void): void {
    db.exec("BEGIN IMMEDIATE");
    try {
      work();
      db.exec("COMMIT");
    } catch (error) {
      // A full disk has rolled back by itself already; a second time would hide the reason.
      if (db.isTransaction) db.exec("ROLLBACK");
      throw error;
    }
  }

  function insert(event: NarratoriaEvent): void {
    const { seq: number = 0, id, session_id = "", turn_id = null } = event;
    insertEvent.run(number, id, session_id, turn_id, event.event, JSON.stringify(event));
    derive(event);
  }

  /** The session's own events, and before them those of the way that led to it. */
  function eventsAfter(sessionId: string, after: number, limit: number, logs: LogDetail = "each"): NarratoriaEvent[] {
    const session = row(select.session.get(sessionId), toSession);
    const inherited = session?.parentSessionId ? inheritedAfter(session, after, limit, logs) : [];
    const left = limit - inherited.length;
    if (left <= 0) return inherited.slice(0, limit);
    const own = events(select.after.all(sessionId, after, left));
    const lines = logs === "runs" ? blocks.runsAfter(sessionId, after, left) : blocks.after(sessionId, after, left);
    return [...inherited, ...mergeBySeq(own, lines).slice(0, left)];
  }

  /** A turn that others build on does not change any more: all that is inherited happened before the fork. */
  function inheritedAfter(session: SessionRow, after: number, limit: number, logs: LogDetail): NarratoriaEvent[] {
    const forkSeq = (select.forkSeq.get(session.sessionId) as { seq: number } | undefined)?.seq ?? 0;
    if (after >= forkSeq) return [];
    const way = new Set(pathTo(session.forkTurnId ?? "", Number.MAX_SAFE_INTEGER).map(({ turnId }) => turnId));
    const belongs = (event: NarratoriaEvent): boolean =>
      event.turn_id ? way.has(event.turn_id) : /^(session:start|mount:.*|hook:register)$/.test(event.event);
    const found: NarratoriaEvent[] = [];
    for (let at = after; found.length < limit;) {
      const page = eventsAfter(session.parentSessionId ?? "", at, 1000, logs);
      found.push(...page.filter((event) => (event.seq ?? 0) < forkSeq && belongs(event)));
      at = page.at(-1)?.seq ?? forkSeq;
      if (at >= forkSeq) break;
    }
    return found.slice(0, limit);
  }

  function pathTo(turnId: string, limit: number): TurnRow[] {
    return (select.path.all(turnId, limit) as object[]).map(toTurn);
  }

  /** A session that others were forked from is only hidden: their stories begin with its turns. */
  function remove(sessionId: string): void {
    const parent = row(select.session.get(sessionId), toSession)?.parentSessionId ?? null;
    transaction(() => {
      if (count("parent_session = ?", sessionId) > 0) {
        db.prepare("UPDATE sessions SET removed = 1 WHERE session_id = ?").run(sessionId);
      } else {
        erase(sessionId);
      }
    });
    if (parent !== null && count("session_id = ? AND removed = 1", parent) > 0) remove(parent);
  }

  function count(where: string, value: string): number {
    const found = db.prepare(`SELECT count(*) AS n FROM sessions WHERE ${where}`).get(value) as { n: number };
    return found.n;
  }

  function erase(sessionId: string): void {
    const own = "(SELECT turn_id FROM turns WHERE session_id = ?)";
    for (const sql of [
      `DELETE FROM snapshots WHERE turn_id IN ${own}`,
      "DELETE FROM events WHERE session_id = ?",
      "DELETE FROM line_blocks WHERE session_id = ?",
      "DELETE FROM turns WHERE session_id = ?",
      "DELETE FROM asset_uses WHERE session_id = ?",
      "DELETE FROM sessions WHERE session_id = ?",
    ]) {
      db.prepare(sql).run(sessionId);
    }
  }

  function scalar(sql: string): number {
    return Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0);
  }

  return {
    append,
    eventsAfter,
    pathTo,
    remove,
    lastSeq: () => seq,
    records: createRecordReader(db, {
      blocks,
      pathTo,
      lastSeq: () => seq,
      session: (sessionId) => row(select.session.get(sessionId), toSession),
    }),
    sessions: () =>
      (db.prepare("SELECT * FROM sessions WHERE removed = 0 ORDER BY updated_at DESC").all() as object[]).map(
        toSession,
      ),
    session: (sessionId) => row(select.session.get(sessionId), toSession),
    turn: (turnId) => row(select.turn.get(turnId), toTurn),
    promptOf: ({ startSeq }) => {
      const { prompt = "" } = (events([select.bySeq.get(startSeq)])[0]?.data ?? {}) as { prompt?: string };
      return prompt;
    },
    turnsOf: (sessionId) =>
      (db.prepare("SELECT * FROM turns WHERE session_id = ? ORDER BY start_seq").all(sessionId) as object[]).map(
        toTurn,
      ),
    runningTurns: () => (db.prepare("SELECT * FROM turns WHERE status = 'running'").all() as object[]).map(toTurn),
    takes: (sessionId, parentId) => (select.takes.all(sessionId, parentId) as object[]).map(toTurn),
    turnEvents: (turnId) => events(select.turnEvents.all(turnId)),
    sessionEvents: (sessionId, name) => events(select.sessionEvents.all(sessionId, name)),
    event: (eventId) => events([select.event.get(eventId)])[0] ?? null,
    logLines: blocks.ofSpan,
    countLogLines: blocks.count,
    latestLog: blocks.latest,
    isBuiltOn: (turnId) => (select.builtOn.get(turnId) as { found: number }).found === 1,
    snapshot: (turnId) => row(select.snapshot.get(turnId), ({ state }) => unpackState(state as Uint8Array)),
    saveSnapshot: (turnId, state) => {
      db.prepare("INSERT OR REPLACE INTO snapshots VALUES (?, ?)").run(turnId, zstdCompressSync(JSON.stringify(state)));
    },
    assetHashes: () =>
      new Set(
        (db.prepare("SELECT DISTINCT sha256 FROM asset_uses").all() as { sha256: string }[]).map((use) => use.sha256),
      ),
    close: () => db.close(),
  };
}

export class StoreError extends Error {}

function openDatabase(file: string, readOnly: boolean): DatabaseSync {
  let db: DatabaseSync | null = null;
  try {
    if (file !== ":memory:" && !readOnly) mkdirSync(dirname(file), { recursive: true });
    db = new DatabaseSync(file, { timeout: 5_000, readOnly });
    const { user_version: version } = db.prepare("PRAGMA user_version").get() as { user_version: number };
    if (version > SCHEMA_VERSION) {
      throw new StoreError(`${file} was written by a newer Narratoria; update this one to open it`);
    }
    if (version === 0 && (readOnly || db.prepare("SELECT name FROM sqlite_schema LIMIT 1").get() !== undefined)) {
      throw new StoreError(`${file} is no library of Narratoria's. Nothing was changed.`);
    }
    checkWhileSmall(db, file);
    // Only now: everything above leaves the file as it was.
    if (!readOnly) db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    if (version === 0) createSchema(db);
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof StoreError) throw error;
    throw new StoreError(
      `${file} cannot be opened: ${(error as Error).message}. Nothing was changed. Put a backup in its place, or move ` +
        "the file away to begin with an empty library.",
    );
  }
}

const MOST_BYTES_TO_CHECK = 2 * 1024 * 1024;

/** Looking at every page of a large file would make opening slower with every story told. */
function checkWhileSmall(db: DatabaseSync, file: string): void {
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size > MOST_BYTES_TO_CHECK) return;
  const [check] = Object.values(db.prepare("PRAGMA quick_check(1)").get() ?? {});
  if (check !== "ok") throw new Error(`it is damaged (${String(check)})`);
}

function row<T>(found: unknown, convert: (row: Record<string, SQLInputValue>) => T): T | null {
  return found === undefined ? null : convert(found as Record<string, SQLInputValue>);
}

function events(rows: unknown[]): NarratoriaEvent[] {
  return (rows as ({ json: string } | undefined)[]).flatMap((found) =>
    found === undefined ? [] : [JSON.parse(found.json) as NarratoriaEvent],
  );
}

function mergeBySeq(a: NarratoriaEvent[], b: NarratoriaEvent[]): NarratoriaEvent[] {
  if (b.length === 0) return a;
  return [...a, ...b].toSorted((x, y) => (x.seq ?? 0) - (y.seq ?? 0));
}

function unpackState(bytes: Uint8Array): JsonObject {
  return JSON.parse(zstdDecompressSync(bytes).toString()) as JsonObject;
}

function toSession(found: object): SessionRow {
  const cells = found as Record<string, string | number | null>;
  return {
    sessionId: String(cells["session_id"]),
    title: String(cells["title"]),
    storyDir: String(cells["story_dir"]),
    storyTitle: String(cells["story_title"]),
    parentSessionId: cells["parent_session"] as string | null,
    forkTurnId: cells["fork_turn"] as string | null,
    headTurnId: cells["head_turn"] as string | null,
    createdAt: Number(cells["created_at"]),
    updatedAt: Number(cells["updated_at"]),
    ended: cells["ended"] === 1,
    removed: cells["removed"] === 1,
  };
}

function toTurn(found: object): TurnRow {
  const cells = found as Record<string, string | number | null>;
  return {
    turnId: String(cells["turn_id"]),
    sessionId: String(cells["session_id"]),
    parentTurnId: cells["parent_turn"] as string | null,
    number: Number(cells["number"]),
    status: cells["status"] as TurnStatus,
    startSeq: Number(cells["start_seq"]),
    startedAt: Number(cells["started_at"]),
    ending: cells["ending"] as string | null,
  };
}
