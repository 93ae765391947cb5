/** Follows a session's chain of checksums from its start and says where it breaks: what `chain.ts` makes, this reads. */
import type { DatabaseSync } from "node:sqlite";
import type { Damage } from "../runtime/seams/store.ts";
import { chainBlock, chainEvent, startOfChain } from "./chain.ts";
import { parseEvent } from "./stored-event.ts";
import { prepareNumbered } from "./prepare-numbered.ts";
import { createChainLookup } from "./verify-rows.ts";

/** A row of either table. */
export interface LogRow {
  seq: number;
  last_seq: number;
  turn_id: string | null;
  event_id: string | null;
  name: string | null;
  json: string;
  span_id: string | null;
  first_number: number;
  progress: number | null;
  is_compressed: number;
  lines: Uint8Array;
  chain: string;
}

/** Of the session ?1, those after the number ?2: so many. */
export const ROWS_AFTER = `
  SELECT seq, seq AS last_seq, turn_id, event_id, name, json, NULL AS span_id, 0 AS first_number, NULL AS progress,
    0 AS is_compressed, NULL AS lines, chain FROM events WHERE session_id = ?1 AND seq > ?2
  UNION ALL
  SELECT first_seq, last_seq, turn_id, NULL, NULL, envelope, span_id, first_number, progress,
    is_compressed, lines, chain FROM line_blocks WHERE session_id = ?1 AND first_seq > ?2
  ORDER BY seq LIMIT ?3`;

const PAGE = 50;

/** A page at a time: others may have their turn in between. What is written meanwhile is not looked at. */
export type DamageSearch = (sessionId: string) => Generator<undefined, Damage[], undefined>;

export function createDamageSearch(db: DatabaseSync): DamageSearch {
  const rowsAfter = prepareNumbered(db, ROWS_AFTER);
  const fits = createChainCheck(db);
  const chainBelow = createChainLookup(db);
  const selectEnd = db.prepare("SELECT last_seq AS until, chain AS expected FROM sessions WHERE session_id = ?");

  return function* search(sessionId) {
    const nobody = { until: Number.MAX_SAFE_INTEGER, expected: startOfChain(sessionId) };
    const { until, expected } = (selectEnd.get(sessionId) ?? nobody) as typeof nobody;
    const damage: Damage[] = [];
    let last: LogRow | null = null;
    let chain = startOfChain(sessionId);
    for (let at = 0; ;) {
      const found = rowsAfter.all(sessionId, at, PAGE) as object[] as LogRow[];
      const page = found.filter(({ seq }) => seq <= until);
      for (const row of page) {
        if (!fits(sessionId, chain, row)) damage.push(breakAt(row, last));
        else if (!isFiledRight(row, sessionId)) damage.push({ kind: "altered", seq: row.seq });
        ({ chain, seq: at } = row);
        last = row;
      }
      if (page.length < PAGE) break;
      yield;
    }
    const isWhole = chain === expected || chainBelow(sessionId, Number.MAX_SAFE_INTEGER) === expected;
    if (!isWhole) damage.push({ kind: "cut", after: last?.last_seq ?? 0 });
    return damage;
  };
}

/** All at once. */
export function createDamageFinder(db: DatabaseSync): (sessionId: string) => Damage[] {
  const search = createDamageSearch(db);
  // The rows and the end they must come to are of one moment, also when another process is writing.
  return (sessionId) => {
    db.exec("BEGIN");
    try {
      for (const work = search(sessionId); ;) {
        const step = work.next();
        if (step.done === true) return step.value;
      }
    } finally {
      db.exec("COMMIT");
    }
  };
}

/** Whether a row goes on from the one before it, or from where something was taken out on purpose. */
export function createChainCheck(db: DatabaseSync): (sessionId: string, before: string, row: LogRow) => boolean {
  const chainBelow = createChainLookup(db);
  return (sessionId, before, row) =>
    row.chain === chainOf(before, row) || row.chain === chainOf(chainBelow(sessionId, row.seq), row);
}

export function chainOf(before: string, row: LogRow): string {
  const { seq, json, last_seq: lastSeq, first_number: firstNumber, is_compressed: isCompressed } = row;
  if (row.event_id !== null) return chainEvent(before, seq, json);
  const { progress, lines } = row;
  return chainBlock(before, { firstSeq: seq, lastSeq, firstNumber, progress, envelope: json, isCompressed, lines });
}

/** Numbers are without gaps, save in sessions of old files: there a gap that was always one may stand for a change. */
function breakAt(row: LogRow, last: LogRow | null): Damage {
  const { seq } = row;
  return follows(row, last) ? { kind: "altered", seq } : { kind: "missing", after: last?.last_seq ?? 0, before: seq };
}

/** Whether nothing is missing between the two; before the first, when it is one that sessions begin with. */
export function follows({ seq, name }: LogRow, last: LogRow | null): boolean {
  return last === null ? name === "session:start" || name === "session:fork" : seq === last.last_seq + 1;
}

/** The columns by which a row is found say what is in it. */
export function isFiledRight(row: LogRow, sessionId: string): boolean {
  const { session_id, turn_id = null, span_id = null, id, event } = parseEvent(row.json);
  if (session_id !== sessionId || turn_id !== row.turn_id) return false;
  return row.event_id === null ? span_id === row.span_id : id === row.event_id && event === row.name;
}
