/**
 * Rows are believed only when they fit the chain of checksums: each is held against the row before it whenever it is
 * read. One that does not fit is a `DamagedLog`, which whoever asked hears in words; `find-damage.ts` looks at them all.
 */
import type { DatabaseSync } from "node:sqlite";
import { DamagedLog } from "../runtime/seams/disk-trouble.ts";
import type { EventName, NarratoriaEvent } from "../story/event.ts";
import { chainBlock, chainEvent, startOfChain, type BlockCells } from "./chain.ts";
import { prepareNumbered } from "./prepare-numbered.ts";

export interface EventRow {
  session_id: string;
  seq: number;
  event_id: string;
  turn_id: string | null;
  name: EventName;
  json: string;
  chain: string;
}

export interface RowVerifier {
  /** In order; they need not follow each other. */
  events(rows: readonly EventRow[]): void;
  block(sessionId: string, cells: BlockCells, chain: string): void;
  /** That nothing of the turn lies between its rows, nor right behind them: the index they were found by may be damaged. */
  wholeTurn(turnId: string, rows: readonly EventRow[], read: TurnReading): void;
}

/** Which rows of a turn were asked for. */
export interface TurnReading {
  after: number;
  names?: readonly EventName[] | undefined;
  /** There may be more behind the last. */
  isCut: boolean;
}

/** What every select of events needs for it. */
export const EVENT_COLUMNS = "session_id, seq, event_id, turn_id, name, json, chain";

export function createRowVerifier(db: DatabaseSync): RowVerifier {
  const chainBelow = createChainLookup(db);
  const ofNames = "(?4 IS NULL OR name IN (SELECT value FROM json_each(?4)))";
  const selectBetween = prepareNumbered(
    db,
    `SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = ?1 AND seq > ?2 AND seq < ?3 AND ${ofNames} ORDER BY seq`,
  );
  const selectNext = prepareNumbered(
    db,
    `SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = ?1 AND seq > ?2 ORDER BY seq LIMIT 1`,
  );

  function events(rows: readonly EventRow[]): void {
    let last: EventRow | null = null;
    for (const row of rows) {
      const { session_id: sessionId, seq, json } = row;
      const follows: boolean = last !== null && last.session_id === sessionId && last.seq === seq - 1;
      const fits = follows && last !== null && row.chain === chainEvent(last.chain, seq, json);
      // The row before it may have been written anew on purpose: then a cut says what it was.
      if (!fits && row.chain !== chainEvent(chainBelow(sessionId, seq), seq, json))
        throw new DamagedLog(sessionId, seq);
      if (!isFiledRight(row)) throw new DamagedLog(sessionId, seq);
      last = row;
    }
  }

  function block(sessionId: string, cells: BlockCells, chain: string): void {
    if (chain !== chainBlock(chainBelow(sessionId, cells.firstSeq), cells)) {
      throw new DamagedLog(sessionId, cells.firstSeq);
    }
  }

  function wholeTurn(turnId: string, rows: readonly EventRow[], { after, names, isCut }: TurnReading): void {
    const named = names === undefined ? null : JSON.stringify(names);
    let last = after;
    for (const { session_id: sessionId, seq } of rows) {
      if (last > 0 && seq > last + 1) areOfOthers(turnId, selectBetween.all(sessionId, last, seq, named));
      last = seq;
    }
    const sessionId = rows[0]?.session_id;
    if (isCut || sessionId === undefined) return;
    const next = selectNext.all(sessionId, last) as object[] as EventRow[];
    areOfOthers(
      turnId,
      next.filter(({ name }) => names === undefined || names.includes(name)),
    );
  }

  function areOfOthers(turnId: string, found: unknown[]): void {
    const rows = found as EventRow[];
    events(rows);
    const missed = rows.find((row) => row.turn_id === turnId);
    if (missed !== undefined) throw new DamagedLog(missed.session_id, missed.seq);
  }
  return { events, block, wholeTurn };
}

/** The chain of the last row of a session, or cut in it, that is numbered below; where there is none, the chain's start. */
export function createChainLookup(db: DatabaseSync): (sessionId: string, below: number) => string {
  const select = prepareNumbered(
    db,
    `SELECT chain FROM (
       SELECT * FROM (SELECT seq, 0 AS is_cut, chain FROM events WHERE session_id = ?1 AND seq < ?2
         ORDER BY seq DESC LIMIT 1)
       UNION ALL
       SELECT * FROM (SELECT first_seq AS seq, 0, chain FROM line_blocks WHERE session_id = ?1 AND first_seq < ?2
         ORDER BY first_seq DESC LIMIT 1)
       UNION ALL
       SELECT * FROM (SELECT seq, 1, chain FROM cuts WHERE session_id = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT 1))
     ORDER BY seq DESC, is_cut DESC LIMIT 1`,
  );
  return (sessionId, below) =>
    (select.get(sessionId, below) as { chain: string } | undefined)?.chain ?? startOfChain(sessionId);
}

/** The columns by which a row is found say what is in it. Found in the text first: parsing takes longer than hashing. */
function isFiledRight(row: EventRow): boolean {
  const { json, event_id: id, turn_id: turnId, name } = row;
  const turn = turnId === null ? !json.includes('"turn_id":"') : json.includes(`"turn_id":${JSON.stringify(turnId)}`);
  if (turn && json.includes(`"event":"${name}"`) && json.includes(id)) return true;
  const event = JSON.parse(json) as NarratoriaEvent;
  return event.id === id && event.event === name && (event.turn_id ?? null) === turnId;
}
