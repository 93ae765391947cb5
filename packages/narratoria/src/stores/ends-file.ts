/**
 * Where each session's log ended when that was last made durable, in a file of its own beside the store. SQLite drops
 * what is damaged or cut off at the end of its write-ahead log without a word; this is how `lost-ends.ts` notices.
 *
 * It never says more than the store has: a session's end is noted after its commit, and forgotten before its removal.
 * So whatever ends the process, only damage can leave the store behind this file.
 */
import { hash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";

/** Where a session's log ends: its last number, and its chain of checksums there. */
export interface End {
  lastSeq: number;
  chain: string;
}

export type Ends = ReadonlyMap<string, End>;

export interface EndsFile {
  /** Durable when it returns, save on a disk that takes nothing: then the next note says it. */
  note(ends: Ends): void;
  /** Throws when it cannot be written: what is deleted while it is remembered would count as lost. */
  forget(sessionIds: Iterable<string>): void;
  close(): void;
}

/** Of a store that outlives nothing. */
export const NO_ENDS_FILE: EndsFile = { note: () => {}, forget: () => {}, close: () => {} };

export function endsFileOf(storeFile: string): string {
  return `${storeFile}-ends`;
}

/** What the file says; a line that is damaged says nothing. Empty when there is none. */
export function readEnds(storeFile: string): Map<string, End> {
  const ends = new Map<string, End>();
  for (const line of textOf(endsFileOf(storeFile)).split("\n")) {
    const noted = readLine(line);
    if (noted === null) continue;
    const [sessionId, lastSeq, chain] = noted;
    if (lastSeq === 0) ends.delete(sessionId);
    else ends.set(sessionId, { lastSeq, chain });
  }
  return ends;
}

/** Begins with what the store has now. */
export function openEndsFile(storeFile: string, now: Ends): EndsFile {
  const file = endsFileOf(storeFile);
  const known = new Map(now);
  const unsaid = new Map<string, End>();
  let lines = 0;
  let descriptor = writeAnew();

  /** One line a session; what was noted since the last time is in it. */
  function writeAnew(): number {
    const beside = openSync(`${file}.new`, WRITE | constants.O_TRUNC, 0o600);
    try {
      writeSync(beside, [...known].map(([sessionId, end]) => lineOf(sessionId, end)).join(""));
      fsyncSync(beside);
    } finally {
      closeSync(beside);
    }
    renameSync(`${file}.new`, file);
    lines = known.size;
    return openSync(file, WRITE | constants.O_APPEND, 0o600);
  }

  function say(): void {
    // Somebody may have taken the file away, or put another in its place: it is made again.
    if (lines > MOST_LINES + 2 * known.size || !isStillThere()) {
      const before = descriptor;
      descriptor = writeAnew();
      closeSync(before);
    } else {
      writeSync(descriptor, [...unsaid].map(([sessionId, end]) => lineOf(sessionId, end)).join(""));
      fsyncSync(descriptor);
      lines += unsaid.size;
    }
    unsaid.clear();
  }

  function isStillThere(): boolean {
    const [mine, found] = [fstatSync(descriptor), statSync(file, { throwIfNoEntry: false })];
    return found !== undefined && mine.ino === found.ino && mine.dev === found.dev;
  }

  return {
    note: (ends) => {
      for (const [sessionId, end] of ends) {
        known.set(sessionId, end);
        unsaid.set(sessionId, end);
      }
      if (unsaid.size === 0) return;
      try {
        say();
      } catch {
        // What was committed stays committed; a disk without room is told of by whoever writes to the store next.
      }
    },
    forget: (sessionIds) => {
      const before = new Map(known);
      for (const sessionId of sessionIds) {
        known.delete(sessionId);
        unsaid.set(sessionId, GONE);
      }
      try {
        say();
      } catch (error) {
        for (const sessionId of sessionIds) {
          const end = before.get(sessionId);
          if (end === undefined) continue;
          known.set(sessionId, end);
          unsaid.set(sessionId, end);
        }
        throw error;
      }
    },
    close: () => closeSync(descriptor),
  };
}

const WRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;
const MOST_LINES = 20_000;
const GONE: End = { lastSeq: 0, chain: "" };

/** The line break comes first, so that half a line that a full disk has left does not spoil the next. */
function lineOf(sessionId: string, { lastSeq, chain }: End): string {
  const said = JSON.stringify([sessionId, lastSeq, chain]);
  return `\n${checkOf(said)} ${said}`;
}

function readLine(line: string): [sessionId: string, lastSeq: number, chain: string] | null {
  const at = line.indexOf(" ");
  const said = line.slice(at + 1);
  // What fits its checksum was written by `lineOf`.
  return at > 0 && line.slice(0, at) === checkOf(said) ? (JSON.parse(said) as [string, number, string]) : null;
}

function checkOf(said: string): string {
  return hash("sha256", said, "base64url").slice(0, 11);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
