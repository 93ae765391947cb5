/** Log lines in bulk: kept as printed, compressed, and made into events again when somebody reads them. */
import { Buffer } from "node:buffer";
import type { DatabaseSync } from "node:sqlite";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { LogEvent } from "@narratoria/tool/protocol";
import type { EventOf, LineEnvelope } from "../story/event.ts";
import { asRun, shownMessage } from "../story/log-lines.ts";
import { DamagedLog } from "../runtime/seams/disk-trouble.ts";
import type { LogRecord, StoredEvent } from "../runtime/seams/store.ts";
import { chainBlock } from "./chain.ts";
import { storedEvent } from "./stored-event.ts";
import type { RowVerifier } from "./verify-rows.ts";
import { prepareNumbered } from "./prepare-numbered.ts";

type LineEvent = EventOf<"tool:event">;
export type LineBlock = Extract<LogRecord, { kind: "lines" }>;

/** Below this, compressing costs more than it saves. */
const WORTH_COMPRESSING = 1024;
const TYPICAL_COMPRESSION = 8;
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export interface LineBlocks {
  /** Gives the chain's new end. */
  insert(block: LineBlock, sessionId: string, firstSeq: number, chain: string): string;
  /** Of one session, after a number, oldest first: at most `limit` events, of no block that begins beyond `until`. */
  after(sessionId: string, after: number, limit: number, until: number): EventPage;
  /** The same with one event for each block: its last line, which tells of the run that it ends. */
  runsAfter(sessionId: string, after: number, limit: number, until: number): EventPage;
  /** The first block after a number, as it was printed. */
  next(sessionId: string, after: number): { block: LineBlock; lastSeq: number } | null;
  ofSpan(spanId: string, from: number, count: number): Iterable<LineEvent>;
  latest(spanId: string): { line: LineEvent; progress: number | null } | null;
  count(spanId: string): number;
}

export interface EventPage {
  events: StoredEvent[];
  /** Up to here nothing is left out. */
  until: number;
}

/** So many bytes are read at once, and what goes beyond them last: others wait meanwhile. */
export const PAGE_BYTES = 1024 * 1024;

interface BlockRow {
  session_id: string;
  first_seq: number;
  last_seq: number;
  turn_id: string | null;
  span_id: string;
  first_number: number;
  progress: number | null;
  envelope: string;
  is_compressed: number;
  lines: Uint8Array;
  chain: string;
}

export function createLineBlocks(db: DatabaseSync, verify: Pick<RowVerifier, "block">): LineBlocks {
  const insertion = db.prepare(
    `INSERT INTO line_blocks (session_id, first_seq, last_seq, turn_id, span_id, first_number, progress, envelope,
       is_compressed, lines, chain) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  // The inner select finds the block that a number lies in: without it every block before would be looked at.
  const selectAfter = prepareNumbered(
    db,
    `SELECT * FROM line_blocks WHERE session_id = ?1 AND last_seq > ?2 AND first_seq <= ?3 AND first_seq >= coalesce(
       (SELECT max(first_seq) FROM line_blocks WHERE session_id = ?1 AND first_seq <= ?2), 0)
     ORDER BY first_seq LIMIT 1`,
  );
  const selectOfSpan = prepareNumbered(
    db,
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

  function insert(block: LineBlock, sessionId: string, firstSeq: number, before: string): string {
    const { number: firstNumber, progress } = block;
    const text = Buffer.from(block.lines.join("\n"));
    const isCompressed = text.length >= WORTH_COMPRESSING ? 1 : 0;
    const lines = isCompressed === 1 ? zstdCompressSync(text, FASTEST) : text;
    const lastSeq = firstSeq + block.lines.length - 1;
    const { seq: _, turn_id = null, span_id = null, ...rest } = block.first;
    const envelope = JSON.stringify({ turn_id, span_id, ...rest });
    const chain = chainBlock(before, { firstSeq, lastSeq, firstNumber, progress, envelope, isCompressed, lines });
    const about = [sessionId, firstSeq, lastSeq, turn_id, span_id, firstNumber, progress, envelope, isCompressed];
    insertion.run(...about, lines, chain);
    return chain;
  }

  function blockAfter(sessionId: string, seq: number, until = Infinity): BlockRow | null {
    const row = selectAfter.get(sessionId, seq, Math.min(until, Number.MAX_SAFE_INTEGER));
    return row === undefined ? null : believed(row);
  }

  function believed(found: object): BlockRow {
    const row = found as BlockRow;
    const { first_seq: firstSeq, last_seq: lastSeq, first_number: firstNumber, is_compressed: isCompressed } = row;
    const { progress, envelope, lines } = row;
    if (![row.span_id, row.turn_id].every((id) => envelope.includes(JSON.stringify(id))))
      throw new DamagedLog(row.session_id, firstSeq);
    verify.block(
      row.session_id,
      { firstSeq, lastSeq, firstNumber, progress, envelope, isCompressed, lines },
      row.chain,
    );
    return row;
  }

  function after(sessionId: string, seq: number, limit: number, until: number): EventPage {
    const events: StoredEvent[] = [];
    let bytes = 0;
    // One block at a time: a page of events must not unpack a hundred megabytes.
    const next = (at: number): BlockRow | null => blockAfter(sessionId, at, until);
    for (let row = next(seq); row !== null; row = next(row.last_seq)) {
      const skipped = Math.max(0, seq + 1 - row.first_seq);
      for (const event of unpack(row, skipped, skipped + limit - events.length)) {
        events.push(event);
        bytes += event.json.length;
        if (events.length === limit || bytes >= PAGE_BYTES) return { events, until: event.seq };
      }
    }
    return { events, until: Infinity };
  }

  function runsAfter(sessionId: string, seq: number, limit: number, until: number): EventPage {
    const events: StoredEvent[] = [];
    let bytes = 0;
    for (let at = seq; ;) {
      if (events.length === limit || bytes >= PAGE_BYTES) return { events, until: at };
      const row = blockAfter(sessionId, at, until);
      if (row === null) return { events, until: Infinity };
      // Small as it is when compressed, all of it is unpacked for its last line.
      bytes += row.is_compressed === 1 ? row.lines.length * TYPICAL_COMPRESSION : row.lines.length;
      // Who has read to the middle of a block is told of its other half.
      const count = row.last_seq - Math.max(at, row.first_seq - 1);
      const run = asRun(lastLineOf(row), { count, progress: row.progress });
      events.push(storedEvent({ seq: row.last_seq, turnId: row.turn_id, name: run.event }, JSON.stringify(run)));
      at = row.last_seq;
    }
  }

  function next(sessionId: string, seq: number): { block: LineBlock; lastSeq: number } | null {
    const row = blockAfter(sessionId, seq);
    if (row === null) return null;
    const { first_seq, first_number: number, progress, last_seq: lastSeq } = row;
    const first = { ...envelopeOf(row), seq: first_seq };
    return { block: { kind: "lines", first, number, progress, lines: linesOf(row) }, lastSeq };
  }

  /** A block at a time: a thousand lines of a megabyte each must not be in memory at once. */
  function* ofSpan(spanId: string, from: number, count: number): Iterable<LineEvent> {
    for (const found of selectOfSpan.iterate(spanId, from, from + count)) {
      const row = believed(found);
      const first = Math.max(0, from - row.first_number);
      const write = lineWriter(row);
      const printed = linesOf(row).slice(first, from + count - row.first_number);
      for (const [index, line] of printed.entries()) yield JSON.parse(write(first + index, line)) as LineEvent;
    }
  }

  function latest(spanId: string): { line: LineEvent; progress: number | null } | null {
    const found = selectLast.get(spanId);
    if (found === undefined) return null;
    const row = believed(found);
    const told = selectProgress.get(spanId) as { progress: number } | undefined;
    return { line: lastLineOf(row), progress: told?.progress ?? null };
  }

  function count(spanId: string): number {
    return (selectCount.get(spanId) as { n: number } | undefined)?.n ?? 0;
  }
  return { insert, after, runsAfter, next, ofSpan, latest, count };
}

/** The lines of a block from one place to before another. */
function unpack(row: BlockRow, from: number, to: number): StoredEvent[] {
  const write = lineWriter(row);
  const about = { turnId: row.turn_id, name: "tool:event" } as const;
  return linesOf(row)
    .slice(from, to)
    .map((line, index) => storedEvent({ ...about, seq: row.first_seq + from + index }, write(from + index, line)));
}

/** Its words only, and no more of them than a view shows: the line itself is read with `ofSpan`. */
function lastLineOf(row: BlockRow): LineEvent {
  const { version, type, level, message } = JSON.parse(linesOf(row).at(-1) ?? "{}") as LogEvent;
  const short = JSON.stringify({ version, type, level, message: shownMessage(message) });
  return JSON.parse(lineWriter(row)(row.last_seq - row.first_seq, short)) as LineEvent;
}

function linesOf(row: BlockRow): string[] {
  const bytes = row.is_compressed === 1 ? zstdDecompressSync(row.lines) : Buffer.from(row.lines);
  return bytes.toString("utf8").split("\n");
}

function envelopeOf(row: BlockRow): LineEnvelope {
  return JSON.parse(row.envelope) as LineEnvelope;
}

/** Puts the lines of a block into its envelope, as text: what a tool printed is JSON already. */
function lineWriter(row: BlockRow): (index: number, printed: string) => string {
  const { id: _, seq: __, data, ...envelope } = envelopeOf(row);
  const start = JSON.stringify(envelope).slice(0, -1);
  const about = JSON.stringify({ ...data, event: 0 }).slice(0, -2);
  return (index, printed) => {
    // The id follows from the line's place, so that it is the same whenever it is read.
    const id = JSON.stringify(`${row.span_id}:${row.first_number + index}`);
    return `${start},"id":${id},"seq":${row.first_seq + index},"data":${about}${onOneLine(printed)}}}`;
  };
}

/** JSON may have carriage returns between its values, and they end a line of an event stream. */
function onOneLine(printed: string): string {
  return printed.includes("\r") ? JSON.stringify(JSON.parse(printed)) : printed;
}
