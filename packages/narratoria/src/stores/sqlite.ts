/**
 * The store on SQLite: one file, an append-only log, WAL. Commits are durable against the death of this process (the
 * operating system's cache survives it), and those at which a turn begins or ends against the loss of power too;
 * what was committed is what readers see. What is read is held against its checksums (`verify-rows.ts`).
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { JsonObject } from "@narratoria/tool/json";
import type { EventName, EventOf, NarratoriaEvent } from "../story/event.ts";
import { DamagedLog } from "../runtime/seams/disk-trouble.ts";
import type { LogDetail, LogRecord, Store, StoredEvent, TurnRow } from "../runtime/seams/store.ts";
import { chainEvent, startOfChain } from "./chain.ts";
import { checkPart } from "./check-part.ts";
import { createRowDeriver } from "./derive-rows.ts";
import { createDerivedRows, toSession, toTurn, TURNS } from "./derived-rows.ts";
import { NO_ENDS_FILE, openEndsFile, type End } from "./ends-file.ts";
import { createEraser } from "./erase-session.ts";
import { createDamageFinder, createDamageSearch } from "./find-damage.ts";
import { ANYWHERE, keptPlace } from "./kept-place.ts";
import { createLineBlocks, PAGE_BYTES, type EventPage } from "./line-blocks.ts";
import { openDatabase } from "./open-database.ts";
import { createRecordReader } from "./session-records.ts";
import { storedEvent } from "./stored-event.ts";
import { replaceTurns } from "./trim-session.ts";
import { createChainLookup, createRowVerifier, EVENT_COLUMNS, type EventRow, type TurnReading } from "./verify-rows.ts";

export { StoreError } from "./open-database.ts";
import { prepareNumbered } from "./prepare-numbered.ts";

/** Events of a turn that are read at once. */
const PAGE = 500;
/**
 * `:memory:` keeps nothing. A file that is no store of ours throws a StoreError, and stays as it was. To read, no host
 * need be gone: readers see what was committed.
 */
export function openSqliteStore(file: string, { readOnly = false, tell = () => {} }: OpenOptions = {}): Store {
  const { db, close } = openDatabase(file, readOnly);
  const isKept = file !== ":memory:" && !readOnly;
  const ends = isKept ? openEndsFile(file, endsIn(db)) : NO_ENDS_FILE;
  const place = isKept ? keptPlace(file) : ANYWHERE;
  place.watch(tell);
  if (isKept) tellDamage(db, tell);
  const verify = createRowVerifier(db);
  const chainBelow = createChainLookup(db);
  const blocks = createLineBlocks(db, verify);
  const derive = createRowDeriver(db);
  const derived = createDerivedRows(db, verify);
  const recordsUntil = createRecordReader(db, blocks, verify);
  const endsHeld = new Set<string>();
  const eraser = createEraser(db, ends, { transaction, durably });
  const insertEvent = db.prepare(
    "INSERT INTO events (session_id, seq, event_id, turn_id, name, json, chain) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const select = {
    session: db.prepare("SELECT * FROM sessions WHERE session_id = ?"),
    end: db.prepare("SELECT last_seq, chain FROM sessions WHERE session_id = ?"),
    turn: db.prepare(`${TURNS} WHERE turns.turn_id = ?`),
    takes: db.prepare(`${TURNS} WHERE turns.session_id = ? AND parent_turn IS ? ORDER BY start_seq`),
    latestTurns: db.prepare(`${TURNS} WHERE turns.session_id = ? ORDER BY start_seq DESC LIMIT ?`),
    turns: db.prepare(`${TURNS} WHERE turns.session_id = ? ORDER BY start_seq`),
    path: db.prepare(
      `WITH RECURSIVE way (turn_id, parent_turn, depth) AS (
         SELECT turn_id, parent_turn, 1 FROM turns WHERE turn_id = ?
         UNION ALL SELECT t.turn_id, t.parent_turn, way.depth + 1 FROM turns t JOIN way ON t.turn_id = way.parent_turn
         WHERE way.depth < ?)
       SELECT told.* FROM way JOIN (${TURNS}) AS told USING (turn_id) ORDER BY way.depth DESC`,
    ),
    turnEvents: db.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE turn_id = ? ORDER BY seq`),
    turnEventsNamed: db.prepare(
      `SELECT ${EVENT_COLUMNS} FROM events
       WHERE turn_id = ? AND name IN (SELECT value FROM json_each(?)) ORDER BY seq`,
    ),
    turnPage: db.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE turn_id = ? AND seq > ? ORDER BY seq LIMIT ?`),
    turnPageNamed: db.prepare(
      `SELECT ${EVENT_COLUMNS} FROM events
       WHERE turn_id = ? AND seq > ? AND name IN (SELECT value FROM json_each(?)) ORDER BY seq LIMIT ?`,
    ),
    sessionEvents: db.prepare(
      `SELECT ${EVENT_COLUMNS} FROM events INDEXED BY events_by_name
       WHERE session_id = ? AND name = ? AND turn_id IS NULL ORDER BY seq`,
    ),
    after: db.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?`),
    bySeq: db.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = ? AND seq = ?`),
    event: db.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE event_id = ?`),
    // Held against the table: an index that is damaged may lead to the state after another turn.
    snapshot: prepareNumbered(
      db,
      `SELECT state FROM snapshots WHERE turn_id = ?1 AND EXISTS (
         SELECT 1 FROM snapshots AS kept NOT INDEXED WHERE kept.rowid = snapshots.rowid AND +kept.turn_id = ?1)`,
    ),
    forks: db.prepare(
      `WITH RECURSIVE forks (id) AS (SELECT session_id FROM sessions WHERE parent_session = ?
         UNION ALL SELECT session_id FROM sessions JOIN forks ON parent_session = id)
       SELECT sessions.* FROM forks JOIN sessions ON session_id = id WHERE removed = 0 ORDER BY created_at`,
    ),
    forkTurns: db.prepare(
      "SELECT DISTINCT fork_turn AS turn_id FROM sessions WHERE parent_session = ? AND fork_turn IS NOT NULL",
    ),
    builtOn: prepareNumbered(
      db,
      `SELECT EXISTS (SELECT 1 FROM turns WHERE parent_turn = ?1)
         OR EXISTS (SELECT 1 FROM sessions WHERE fork_turn = ?1) AS found`,
    ),
  };

  function append(records: readonly LogRecord[]): void {
    const written = new Map<string, End>();
    const write = (): void => writeAll(records, written);
    place.check();
    if (!mustOutlastPower(records)) return transaction(write);
    durably(() => transaction(write));
    ends.note(written);
    // Somebody may have taken the file away meanwhile: nothing is claimed that is not kept.
    place.check();
  }

  function writeAll(records: readonly LogRecord[], written: Map<string, End>): void {
    for (const record of records) {
      const { session_id, seq } = record.kind === "event" ? record.event : record.first;
      const sessionId = session_id ?? "";
      const number = seq ?? 0;
      const end = written.get(sessionId) ??
        endHeld(sessionId) ?? {
          lastSeq: number - 1,
          chain: startOfChain(sessionId),
        };
      if (number !== end.lastSeq + 1) {
        throw new Error(`in session ${sessionId}, number ${number} does not follow ${end.lastSeq}`);
      }
      written.set(sessionId, insert(record, sessionId, number, end.chain));
    }
    for (const [sessionId, { lastSeq, chain }] of written) derive.end(sessionId, lastSeq, chain);
  }

  function takeIn(records: readonly LogRecord[]): void {
    const written = new Map<string, End>();
    place.check();
    transaction(() => {
      writeAll(records, written);
      for (const sessionId of written.keys()) eraser.mark(sessionId, false);
    });
  }

  function show(sessionId: string): void {
    durably(() => transaction(() => eraser.unmark(sessionId)));
    const end = endOf(sessionId);
    if (end !== null) ends.note(new Map([[sessionId, end]]));
    place.check();
  }

  /** In the file itself, not only in the system's cache, when it returns. */
  function durably(work: () => void): void {
    db.exec("PRAGMA synchronous = FULL");
    try {
      work();
    } finally {
      db.exec("PRAGMA synchronous = NORMAL");
    }
  }

  function insert(record: LogRecord, sessionId: string, seq: number, before: string): End {
    if (record.kind === "lines") {
      return { lastSeq: seq + record.lines.length - 1, chain: blocks.insert(record, sessionId, seq, before) };
    }
    const { event, json } = record;
    const chain = chainEvent(before, seq, json);
    insertEvent.run(sessionId, seq, event.id, event.turn_id ?? null, event.event, json, chain);
    derive.event(event);
    return { lastSeq: seq, chain };
  }

  function endOf(sessionId: string): End | null {
    const found = select.end.get(sessionId) as { last_seq: number; chain: string } | undefined;
    return found === undefined ? null : { lastSeq: found.last_seq, chain: found.chain };
  }

  /** The same, held against the log before anything is put on top of it for the first time. */
  function endHeld(sessionId: string): End | null {
    const end = endOf(sessionId);
    if (end === null || endsHeld.has(sessionId)) return end;
    // A last number that is too small would be given twice.
    const found = [Number.MAX_SAFE_INTEGER, end.lastSeq + 1].map((below) => chainBelow(sessionId, below));
    if (found.some((chain) => chain !== end.chain)) throw new DamagedLog(sessionId, end.lastSeq);
    endsHeld.add(sessionId);
    return end;
  }

  function lastSeq(sessionId: string): number {
    return endOf(sessionId)?.lastSeq ?? 0;
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

  function eventsAfter(sessionId: string, after: number, limit: number, logs: LogDetail = "each"): StoredEvent[] {
    const own = ownAfter(sessionId, after, limit);
    const linesAfter = logs === "runs" ? blocks.runsAfter : blocks.after;
    // Beyond a full page nothing is read: what comes there is another page's.
    const lines = linesAfter(sessionId, after, limit, own.until);
    if (lines.events.length === 0) return own.events;
    // Where one of them was cut short, the other goes on too far.
    const until = Math.min(own.until, lines.until);
    const both = [...own.events, ...lines.events].filter(({ seq }) => seq <= until);
    return both.toSorted((a, b) => a.seq - b.seq).slice(0, limit);
  }

  function ownAfter(sessionId: string, after: number, limit: number): EventPage {
    const found = readPage(
      select.after.iterate(sessionId, after, limit) as Iterable<object> as Iterable<EventRow>,
      limit,
    );
    const page = believed(found.rows).map(({ seq, turn_id: turnId, name, json }) =>
      storedEvent({ seq, turnId, name }, json),
    );
    return { events: page, until: found.isCut ? (page.at(-1)?.seq ?? after) : Infinity };
  }

  function turnEvents<Name extends EventName>(turnId: string, names?: readonly Name[]): EventOf<Name>[] {
    return atOneMoment(() => {
      const found =
        names === undefined ? select.turnEvents.all(turnId) : select.turnEventsNamed.all(turnId, JSON.stringify(names));
      return ofTurn(turnId, found, { after: 0, names, isCut: false });
    });
  }

  function turnPage<Name extends EventName>(turnId: string, after: number, names?: readonly Name[]): EventOf<Name>[] {
    return atOneMoment(() => {
      const found =
        names === undefined
          ? select.turnPage.iterate(turnId, after, PAGE)
          : select.turnPageNamed.iterate(turnId, after, JSON.stringify(names), PAGE);
      const { rows, isCut } = readPage(found as Iterable<object> as Iterable<EventRow>, PAGE);
      return ofTurn(turnId, rows, { after, names, isCut });
    });
  }

  function ofTurn<Event extends NarratoriaEvent>(turnId: string, rows: unknown[], reading: TurnReading): Event[] {
    verify.wholeTurn(turnId, rows as EventRow[], reading);
    return events(rows);
  }

  /** Another process may be writing, where this one only reads. */
  function atOneMoment<T>(read: () => T): T {
    if (!readOnly) return read();
    db.exec("BEGIN");
    try {
      return read();
    } finally {
      db.exec("COMMIT");
    }
  }

  /** Who asks by name gets what has that name. */
  function events<Event extends NarratoriaEvent>(rows: unknown[]): Event[] {
    return believed(rows.filter((found) => found !== undefined)).map(({ json }) => JSON.parse(json) as Event);
  }

  function believed(rows: unknown[]): EventRow[] {
    verify.events(rows as EventRow[]);
    return rows as EventRow[];
  }

  function startOf({ sessionId, startSeq }: TurnRow): EventOf<"turn:start"> | null {
    return events<EventOf<"turn:start">>([select.bySeq.get(sessionId, startSeq)])[0] ?? null;
  }

  function pathTo(turnId: string, limit: number): TurnRow[] {
    return derived.path(turnId, limit, select.path.all(turnId, limit));
  }

  return {
    append,
    eventsAfter,
    turnEvents,
    turnPage,
    pathTo,
    forksOf: (sessionId) => (select.forks.all(sessionId) as object[]).map(toSession),
    forkTurnsOf: (sessionId) =>
      (select.forkTurns.all(sessionId) as { turn_id: string }[]).map(({ turn_id: turnId }) => turnId),
    takeIn,
    show,
    beginRemoval: (sessionId, isPurge) => {
      place.check();
      eraser.begin(sessionId, isPurge);
      place.check();
    },
    finishRemoval: eraser.finish,
    unfinished: eraser.unfinished,
    replaceTurns: (sessionId, firsts, replacements) =>
      transaction(() => replaceTurns(db, sessionId, firsts, replacements)),
    lastSeq,
    records: (sessionId, until = lastSeq(sessionId)) => recordsUntil(sessionId, until),
    findDamage: createDamageFinder(db),
    searchDamage: createDamageSearch(db),
    sessions: () =>
      (db.prepare("SELECT * FROM sessions WHERE removed = 0 ORDER BY updated_at DESC").all() as object[]).map(
        toSession,
      ),
    session: (sessionId) => atOneMoment(() => row(select.session.get(sessionId), derived.session)),
    turn: (turnId) => row(select.turn.get(turnId), derived.turn),
    startOf,
    promptOf: (turn) => startOf(turn)?.data.prompt ?? "",
    turnsOf: (sessionId) => (select.turns.all(sessionId) as object[]).map(derived.turn),
    latestTurns: (sessionId, limit) => (select.latestTurns.all(sessionId, limit) as object[]).map(derived.turn),
    runningTurns: () => (db.prepare(RUNNING).all() as object[]).map(toTurn),
    takes: (sessionId, parentId) => (select.takes.all(sessionId, parentId) as object[]).map(derived.turn),
    sessionEvents: (sessionId, name) => events(select.sessionEvents.all(sessionId, name)),
    event: (eventId) => events([select.event.get(eventId)])[0] ?? null,
    logLines: blocks.ofSpan,
    countLogLines: blocks.count,
    latestLog: blocks.latest,
    isBuiltOn: (turnId) => (select.builtOn.get(turnId) as { found: number }).found === 1,
    snapshot: (turnId) => row(select.snapshot.get(turnId), ({ state }) => unpackState(state as Uint8Array)),
    saveSnapshot: (turnId, state) => {
      db.prepare("INSERT OR REPLACE INTO snapshots VALUES (?, ?)").run(
        turnId,
        zstdCompressSync(JSON.stringify(state), PACKING),
      );
    },
    close: () => {
      place.close();
      ends.close();
      close();
    },
  };
}

/** What is half taken in goes away again. */
const RUNNING =
  "SELECT * FROM turns WHERE status = 'running' AND session_id NOT IN (SELECT session_id FROM unfinished)";

export interface OpenOptions {
  readOnly?: boolean;
  /** Hears in a sentence of damage that does not keep the store from being used, and when its files are taken away. */
  tell?: (sentence: string) => void;
}

function endsIn(db: DatabaseSync): Map<string, End> {
  // What is half there has no end that anybody could lose.
  const whole =
    "SELECT session_id, last_seq, chain FROM sessions WHERE session_id NOT IN (SELECT session_id FROM unfinished)";
  const rows = db.prepare(whole).all() as object[];
  return new Map(
    (rows as { session_id: string; last_seq: number; chain: string }[]).map((row) => [
      row.session_id,
      { lastSeq: row.last_seq, chain: row.chain },
    ]),
  );
}

function tellDamage(db: DatabaseSync, tell: (sentence: string) => void): void {
  const found = checkPart(db);
  if (found !== null) tell(`${found.message}. narratoria doctor looks at everything that is kept.`);
}

/**
 * What somebody was promised: that a prompt was accepted, how a turn ended, whatever was done to a session. Not what
 * happens within a turn, which comes in floods; a turn that lost its middle with the power was not over.
 */
function mustOutlastPower(records: readonly LogRecord[]): boolean {
  return records.some((record) => record.kind === "event" && PROMISES.test(record.event.event));
}

const PROMISES = /^(?:session:|turn:(?!tell)|context:set)/;

function row<T>(found: unknown, convert: (row: Record<string, SQLInputValue>) => T): T | null {
  return found === undefined ? null : convert(found as Record<string, SQLInputValue>);
}

/** So many rows, or fewer when they are large; at least one. */
function readPage<Row extends { json: string }>(found: Iterable<Row>, limit: number): { rows: Row[]; isCut: boolean } {
  const rows: Row[] = [];
  let bytes = 0;
  for (const row of found) {
    rows.push(row);
    bytes += row.json.length;
    if (bytes >= PAGE_BYTES) return { rows, isCut: true };
  }
  return { rows, isCut: rows.length === limit };
}

/** With a checksum of its own: the chain covers only the log. */
const PACKING = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

/** Null when it is damaged: the log has the state too, only the way to it is longer. */
function unpackState(bytes: Uint8Array): JsonObject | null {
  try {
    return JSON.parse(zstdDecompressSync(bytes).toString()) as JsonObject;
  } catch {
    return null;
  }
}
