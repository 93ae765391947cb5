/**
 * Reads one text file of a story, and only what a story may be made of: a regular file that really lies in its folder,
 * up to a size. Nothing here waits: a pipe or a device is recognised before it is opened.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  statSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { HAS_PROC } from "../seams/proc.ts";
import { decodeText } from "./decode-text.ts";
import { isInside, realLocation } from "./real-location.ts";

/** The most bytes of a file, by what it is. `docs/write-a-story.md` has the table. */
export const MOST_BYTES = {
  storyFile: 8 * 1024 * 1024,
  /** All ink files of a story together. */
  ink: 16 * 1024 * 1024,
  plans: 8 * 1024 * 1024,
  manifest: 256 * 1024,
  skill: 8 * 1024 * 1024,
  namel3ss: 256 * 1024,
  recording: 32 * 1024 * 1024,
} as const;

export type StoryText =
  | { kind: "text"; text: string }
  | { kind: "missing" }
  /** `why` goes on where the file's name stops: "is a folder, not a file". */
  | { kind: "refused"; why: string };

/** `file` is named from `dir`, the story's folder. */
export function readStoryText(dir: string, file: string, mostBytes: number): StoryText {
  const path = join(dir, file);
  const real = realLocation(path);
  if (!isInside(real, realLocation(dir))) return { kind: "refused", why: "lies outside the story folder" };
  const stat = statAt(real);
  if (stat === null)
    return isLink(path) ? { kind: "refused", why: "is a link that leads nowhere" } : { kind: "missing" };
  const unfit = whyUnfit(stat, mostBytes);
  if (unfit !== null) return { kind: "refused", why: unfit };
  try {
    return readRegularFile(real, mostBytes);
  } catch (error) {
    return { kind: "refused", why: `cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown"}` };
  }
}

/** What lies at a path, links followed; null when that is nothing, or nothing we may look at. Nothing is opened. */
export function statAt(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** What a path is that ought to be a regular file, in words; null when it is one. */
export function describeNoFile(stat: Stats): string | null {
  if (stat.isFile()) return null;
  if (stat.isDirectory()) return "is a folder, not a file";
  if (stat.isFIFO()) return "is a named pipe, not a file";
  return stat.isSocket() ? "is a socket, not a file" : "is a device, not a file";
}

/** Judged again on what was opened: between looking and opening it may have become something else. */
function readRegularFile(real: string, mostBytes: number): StoryText {
  // Without O_NONBLOCK opening a pipe waits for somebody to write to it.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY;
  const descriptor = openSync(real, flags);
  try {
    const stat = fstatSync(descriptor);
    const unfit = whyUnfit(stat, mostBytes) ?? (leadsTo(descriptor, real) ? null : "changed while it was read");
    if (unfit !== null) return { kind: "refused", why: unfit };
    // One byte more than may be: a file that grows meanwhile is noticed.
    const buffer = Buffer.allocUnsafe(Math.min(mostBytes, stat.size) + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = readSync(descriptor, buffer, length, buffer.length - length, null);
    }
    if (length > stat.size) return { kind: "refused", why: "changed while it was read" };
    const decoded = decodeText(buffer.subarray(0, length));
    return decoded.kind === "text" ? decoded : { kind: "refused", why: decoded.why };
  } finally {
    closeSync(descriptor);
  }
}

function whyUnfit(stat: Stats, mostBytes: number): string | null {
  const noFile = describeNoFile(stat);
  if (noFile !== null) return `${noFile}; stories are read from plain files only`;
  if (stat.size <= mostBytes) return null;
  return `is larger than ${inWords(mostBytes)}, and no more is read of it; make it smaller`;
}

/** O_NOFOLLOW looks at the last step only: a folder on the way may have become a link meanwhile. */
function leadsTo(descriptor: number, real: string): boolean {
  if (!HAS_PROC) return true;
  return readlinkSync(`/proc/self/fd/${descriptor}`) === real;
}

function inWords(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;
}
