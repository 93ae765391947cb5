/**
 * Bytes to lines: incremental, byte-exact, bounded. `protocol.ts` reads what a line says.
 *
 * Invariants:
 * 1. Only `\n` ends a line (U+2028 and friends are ordinary characters).
 * 2. At most `maxLineBytes` plus one chunk is held, whatever arrives.
 * 3. Text is decoded only from whole lines, so a character split over two chunks is intact.
 * 4. A bad line is reported once, in order, and the splitter goes on behind it: whether to stop is the caller's choice.
 */
import { Buffer, isUtf8 } from "node:buffer";

export const DEFAULT_MAX_LINE_BYTES = 8 * 1024 * 1024;
/** How much of a line an error message quotes. */
export const EXCERPT_CHARACTERS = 200;

export type Frame =
  /** `terminated` is false only for a last line without its newline. */
  | { kind: "line"; number: number; text: string; terminated: boolean }
  | {
      kind: "bad_line";
      number: number;
      code: "INVALID_UTF8" | "LINE_TOO_LONG";
      reason: string;
      excerpt: string;
      /** How it ends, where that was asked for. */
      ending?: string;
      terminated: boolean;
    };

type BadLine = Extract<Frame, { kind: "bad_line" }>;

export interface LineSplitter {
  push(chunk: Uint8Array): Frame[];
  /** The last line, when it had no newline. */
  end(): Frame[];
}

/** A buffer grown beyond this for one long line is given back. */
const KEPT_BUFFER_BYTES = 256 * 1024;
const ENDING_BYTES = 4 * EXCERPT_CHARACTERS;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export interface SplitterOptions {
  maxLineBytes?: number;
  /** Bad lines are quoted with their ending, so one that is too long is reported only when it has ended. */
  quoteEndings?: boolean;
}

export function createLineSplitter(options: SplitterOptions = {}): LineSplitter {
  const { maxLineBytes = DEFAULT_MAX_LINE_BYTES, quoteEndings = false } = options;
  let number = 0;
  // One growing buffer rather than a list of chunks: eight million one-byte chunks would cost a gigabyte of objects.
  let held = Buffer.alloc(0);
  let heldBytes = 0;
  let skippingToNewline = false;
  /** Of a line that is skipped: what to report when it has ended. */
  let skipped: { frame: BadLine; ending: Buffer } | null = null;
  let atStart = true;

  function push(chunk: Uint8Array): Frame[] {
    let rest: Buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const frames: Frame[] = [];
    if (skippingToNewline) {
      const end = rest.indexOf(NEWLINE);
      skip(end === -1 ? rest : rest.subarray(0, end));
      if (end === -1) return frames;
      skippingToNewline = false;
      reportSkipped(frames, true);
      rest = rest.subarray(end + 1);
    }
    const lastNewline = rest.lastIndexOf(NEWLINE);
    if (lastNewline === -1) {
      hold(rest, frames);
      return frames;
    }
    takeBlock(takeHeldWith(rest.subarray(0, lastNewline)), frames);
    hold(rest.subarray(lastNewline + 1), frames);
    return frames;
  }

  function end(): Frame[] {
    const frames: Frame[] = [];
    reportSkipped(frames, false);
    if (heldBytes > 0) takeLine(takeHeldWith(Buffer.alloc(0)), frames, false);
    return frames;
  }

  /** Keeps the beginning of a line that has not ended yet, up to the limit. */
  function hold(bytes: Buffer, frames: Frame[]): void {
    if (bytes.length === 0) return;
    if (heldBytes + bytes.length > held.length) {
      const grown = Buffer.allocUnsafe(2 * (heldBytes + bytes.length));
      held.copy(grown, 0, 0, heldBytes);
      held = grown;
    }
    heldBytes += bytes.copy(held, heldBytes);
    const markBytes = atStart && startsWithByteOrderMark(held.subarray(0, heldBytes)) ? 3 : 0;
    if (heldBytes - markBytes <= maxLineBytes) return;
    number++;
    const line = takeHeldWith(Buffer.alloc(0));
    skippingToNewline = true;
    if (!quoteEndings) return void frames.push(tooLong(line, true));
    skipped = { frame: tooLong(line, true), ending: Buffer.alloc(0) };
    skip(line);
  }

  function skip(bytes: Buffer): void {
    if (skipped !== null) skipped.ending = Buffer.from(Buffer.concat([skipped.ending, bytes]).subarray(-ENDING_BYTES));
  }

  function reportSkipped(frames: Frame[], terminated: boolean): void {
    if (skipped !== null) frames.push({ ...skipped.frame, ending: quoteEnding(skipped.ending), terminated });
    skipped = null;
  }

  function takeHeldWith(bytes: Buffer): Buffer {
    const all = heldBytes === 0 ? bytes : Buffer.concat([held.subarray(0, heldBytes), bytes]);
    if (held.length > KEPT_BUFFER_BYTES) held = Buffer.alloc(0);
    heldBytes = 0;
    if (!atStart) return all;
    atStart = false;
    return startsWithByteOrderMark(all) ? all.subarray(3) : all;
  }

  /** One or more whole lines. Decoding them at once is several times faster than one by one. */
  function takeBlock(block: Buffer, frames: Frame[]): void {
    if (block.length > maxLineBytes || !isUtf8(block)) {
      for (let from = 0; from <= block.length;) {
        const newline = block.indexOf(NEWLINE, from);
        const to = newline === -1 ? block.length : newline;
        takeLine(block.subarray(from, to), frames, true);
        from = to + 1;
      }
      return;
    }
    const text = block.toString("utf8");
    for (let from = 0; from <= text.length;) {
      const newline = text.indexOf("\n", from);
      const to = newline === -1 ? text.length : newline;
      number++;
      pushText(text.slice(from, text.charCodeAt(to - 1) === CARRIAGE_RETURN && to > from ? to - 1 : to), frames, true);
      from = to + 1;
    }
  }

  function takeLine(bytes: Buffer, frames: Frame[], terminated: boolean): void {
    number++;
    if (bytes.length > maxLineBytes) {
      frames.push({ ...tooLong(bytes, terminated), ...endingOf(bytes) });
      return;
    }
    if (!isUtf8(bytes)) {
      const bad = { kind: "bad_line", number, code: "INVALID_UTF8", reason: "not valid UTF-8" } as const;
      frames.push({ ...bad, excerpt: quote(bytes), ...endingOf(bytes), terminated });
      return;
    }
    const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
    pushText(bytes.toString("utf8", 0, end), frames, terminated);
  }

  function pushText(text: string, frames: Frame[], terminated: boolean): void {
    if (!isBlank(text)) frames.push({ kind: "line", number, text, terminated });
  }

  function endingOf(bytes: Buffer): { ending?: string } {
    return quoteEndings ? { ending: quoteEnding(bytes.subarray(-ENDING_BYTES)) } : {};
  }

  function tooLong(bytes: Buffer, terminated: boolean): BadLine {
    const reason = `longer than ${maxLineBytes} bytes`;
    // Quoted up to the limit only: how much more has arrived by now is chance.
    const excerpt = quote(bytes.subarray(0, maxLineBytes));
    return { kind: "bad_line", number, code: "LINE_TOO_LONG", reason, excerpt, terminated };
  }

  return { push, end };
}

function startsWithByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function isBlank(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code !== 0x20 && code !== 0x09 && code !== CARRIAGE_RETURN) return false;
  }
  return true;
}

function quote(bytes: Buffer): string {
  return bytes.toString("utf8", 0, 4 * EXCERPT_CHARACTERS).slice(0, EXCERPT_CHARACTERS);
}

function quoteEnding(bytes: Buffer): string {
  return bytes.toString("utf8").slice(-EXCERPT_CHARACTERS);
}
