/** Log lines in bulk: kept as printed, compressed, and made into events again when somebody reads them. */
import { Buffer } from "node:buffer";
import type { DatabaseSync } from "node:sqlite";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { JsonObject } from "@narratoria/tool/json";
import type { LogEvent } from "@narratoria/tool/protocol";
import type { NarratoriaEvent } from "../story/event.ts";
import { asRun, shownMessage } from "../story/log-lines.ts";
import type { LogRecord } from "../runtime/seams/store.ts";

export type LineBlock = Extract<LogRecord, { kind: "lines" }>;

/** Below this, compressing costs more than it saves. */
const WORTH_COMPRESSING = 1024;
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export interface LineBlocks {
  insert(block: LineBlock): void;
  /** Of one session, after a number, oldest first: at most `limit` events. */
  after(sessionId: string, after: number, limit: number): NarratoriaEvent[];
  /** The same with one event for each block: its last line, which tells of the run that it ends. */
  runsAfter(sessionId: string, after: number, limit: number): NarratoriaEvent[];
  /** The first block after a number, as it was printed. */
  next(sessionId: string, after: number): { block: LineBlock; lastSeq: number } | null;
  ofSpan(spanId: string, from: number, count: number): Iterable<NarratoriaEvent>;
  latest(spanId: string): { line: NarratoriaEvent; progress: number | null } | null;
  count(spanId: string): number;
}

interface BlockRow {
  first_seq: number;
  last_seq: number;
  first_number: number;
  progress: number | null;
  envelope: string;
  is_compressed: number;
  lines: Uint8Array;
}

export function createLineBlocks(db: DatabaseSync): LineBlocks {
  const insertion = db.prepare(
    `INSERT INTO line_blocks (first_seq, last_seq, session_id, turn_id, span_id, first_number, progress, envelope,
       is_compressed, lines) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  // The inner select finds the block that a number lies in: without it every block before would be looked at.
  const selectAfter = db.prepare(
    `SELECT * FROM line_blocks WHERE session_id = ?1 AND last_seq > ?2 AND first_seq >= coalesce(
       (SELECT max(first_seq) FROM line_blocks WHERE session_id = ?1 AND first_seq <= ?2), 0)
     ORDER BY first_seq LIMIT 1`,
  );
  const selectOfSpan = db.prepare(
    `SELECT * FROM line_blocks WHERE span_id = ?1 AND first_number < ?3 AND first_number >= coalesce(
       (SELECT max(first_number) FROM line_blocks WHERE span_id = ?1 AND first_number <= ?2), 0)
     ORDER BY first_number`,
  );
  const selectLast = db.prepare("SELECT * FROM line_blocks WHERE span_id = ? ORDER BY first_number DESC LIMIT 1");
  const selectCount = db.prepare(
    "SELECT first_number + last_seq - first_seq + 1 AS n FROM line_blocks WHERE span_id = ? ORDER BY first_number DESC LIMIT 1",
  );
  const selectProgress = db.prepare(
    "SELECT progress FROM line_blocks WHERE span_id = ? AND progress IS NOT NULL ORDER BY first_number DESC LIMIT 1",
  );

  function insert({ first, number, lines, progress }: LineBlock): void {
    const text = Buffer.from(lines.join("\n"));
    const isCompressed = text.length >= WORTH_COMPRESSING;
    const { seq = 0, session_id = null, turn_id = null, span_id = null, ...envelope } = first;
    const firstSeq = seq ?? 0;
    insertion.run(
      firstSeq,
      firstSeq + lines.length - 1,
      session_id,
      turn_id,
      span_id,
      number,
      progress,
      JSON.stringify({ session_id, turn_id, span_id, ...envelope }),
      isCompressed ? 1 : 0,
      isCompressed ? zstdCompressSync(text, FASTEST) : text,
    );
  }

  function after(sessionId: string, seq: number, limit: number): NarratoriaEvent[] {
    const events: NarratoriaEvent[] = [];
    // One block at a time: a page of events must not unpack a hundred megabytes.
    for (let at = seq; events.length < limit;) {
      const row = selectAfter.get(sessionId, at) as unknown as BlockRow | undefined;
      if (row === undefined) break;
      events.push(...unpack(row).filter((event) => (event.seq ?? 0) > seq));
      at = row.last_seq;
    }
    return events.slice(0, limit);
  }

  function runsAfter(sessionId: string, seq: number, limit: number): NarratoriaEvent[] {
    const events: NarratoriaEvent[] = [];
    for (let at = seq; events.length < limit;) {
      const row = selectAfter.get(sessionId, at) as unknown as BlockRow | undefined;
      if (row === undefined) break;
      // Who has read to the middle of a block is told of its other half.
      const count = row.last_seq - Math.max(at, row.first_seq - 1);
      events.push(asRun(lastLineOf(row), { count, progress: row.progress }));
      at = row.last_seq;
    }
    return events;
  }

  function next(sessionId: string, seq: number): { block: LineBlock; lastSeq: number } | null {
    const row = selectAfter.get(sessionId, seq) as unknown as BlockRow | undefined;
    if (row === undefined) return null;
    const { first_seq, first_number: number, progress, last_seq: lastSeq } = row;
    const first = { ...(JSON.parse(row.envelope) as NarratoriaEvent), seq: first_seq };
    return { block: { kind: "lines", first, number, progress, lines: linesOf(row) }, lastSeq };
  }

  /** A block at a time: a thousand lines of a megabyte each must not be in memory at once. */
  function* ofSpan(spanId: string, from: number, count: number): Iterable<NarratoriaEvent> {
    for (const found of selectOfSpan.iterate(spanId, from, from + count)) {
      const row = found as unknown as BlockRow;
      const first = Math.max(0, from - row.first_number);
      yield* unpack(row).slice(first, from + count - row.first_number);
    }
  }

  function latest(spanId: string): { line: NarratoriaEvent; progress: number | null } | null {
    const row = selectLast.get(spanId) as unknown as BlockRow | undefined;
    if (row === undefined) return null;
    const told = selectProgress.get(spanId) as { progress: number } | undefined;
    return { line: lastLineOf(row), progress: told?.progress ?? null };
  }

  function count(spanId: string): number {
    return (selectCount.get(spanId) as { n: number } | undefined)?.n ?? 0;
  }
  return { insert, after, runsAfter, next, ofSpan, latest, count };
}

function unpack(row: BlockRow): NarratoriaEvent[] {
  const envelope = JSON.parse(row.envelope) as NarratoriaEvent;
  return linesOf(row).map((line, index) => lineEvent(envelope, row.first_seq + index, row.first_number + index, line));
}

/** Its words only, and no more of them than a view shows: the line itself is read with `ofSpan`. */
function lastLineOf(row: BlockRow): NarratoriaEvent {
  const envelope = JSON.parse(row.envelope) as NarratoriaEvent;
  const number = row.first_number + row.last_seq - row.first_seq;
  const { version, type, level, message } = JSON.parse(linesOf(row).at(-1) ?? "{}") as LogEvent;
  const short = JSON.stringify({ version, type, level, message: shownMessage(message) });
  return lineEvent(envelope, row.last_seq, number, short);
}

function linesOf(row: BlockRow): string[] {
  const bytes = row.is_compressed === 1 ? zstdDecompressSync(row.lines) : Buffer.from(row.lines);
  return bytes.toString("utf8").split("\n");
}

/** The event of one line: its id follows from its place, so that it is the same whenever it is read. */
function lineEvent(envelope: NarratoriaEvent, seq: number, number: number, line: string): NarratoriaEvent {
  const event = JSON.parse(line) as JsonObject;
  return { ...envelope, id: `${envelope.span_id}:${number}`, seq, data: { ...envelope.data, event } };
}
