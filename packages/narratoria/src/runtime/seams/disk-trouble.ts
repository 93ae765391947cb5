/**
 * What a disk that takes nothing more says, what a store says that finds something else than it has written, and what the
 * system says to who has too many files open, in words for a player: no bug of ours, and it may pass or be mended.
 */

export interface DiskTrouble {
  code: "disk_full" | "disk_failing" | "disk_read_only" | "log_damaged" | "data_gone" | "too_many_open";
  message: string;
}

/** A record is not what was written, or (null) does not fit the others: it is not believed. */
export class DamagedLog extends Error {
  readonly sessionId: string;
  readonly seq: number | null;

  constructor(sessionId: string, seq: number | null) {
    super(`${seq === null ? "what is kept" : `event ${seq}`} of session ${sessionId} is not what was written`);
    this.sessionId = sessionId;
    this.seq = seq;
  }
}

/** What the store keeps is no longer where it was opened. */
export class DataGone extends Error {}

const FULL: DiskTrouble = {
  code: "disk_full",
  message: "There is no room left on the disk, so this could not be kept. Make some room and try again.",
};
const QUOTA: DiskTrouble = {
  code: "disk_full",
  message:
    "Your share of the disk (its quota) is used up, so this could not be kept. Remove something of yours and try again.",
};
const FAILING: DiskTrouble = {
  code: "disk_failing",
  message: "The disk could not be read or written, so this could not be kept. Look after the disk and try again.",
};
const READ_ONLY: DiskTrouble = {
  code: "disk_read_only",
  message: "The disk may only be read here, so this could not be kept.",
};
export const TOO_MANY_OPEN: DiskTrouble = {
  code: "too_many_open",
  message:
    "Narratoria has as many files and connections open as it may. Close some of its pages, or let it have more " +
    "(ulimit -n), and try again.",
};

const DAMAGED_FILE: DiskTrouble = {
  code: "log_damaged",
  message:
    "The file that stories are kept in is damaged. End Narratoria; narratoria doctor says what is left, and " +
    "narratoria doctor --repair keeps that.",
};

const BY_CODE = new Map([
  ["ENOSPC", FULL],
  ["EDQUOT", QUOTA],
  ["EIO", FAILING],
  ["EROFS", READ_ONLY],
  ["EMFILE", TOO_MANY_OPEN],
  ["ENFILE", TOO_MANY_OPEN],
]);

/** SQLite's own numbers; their extended forms have more in the bytes above. */
const BY_SQLITE = new Map([
  [13, FULL],
  [10, FAILING],
  [8, READ_ONLY],
  [11, DAMAGED_FILE],
  [26, DAMAGED_FILE],
]);

/** Null when the error is something else: a bug, most likely. */
export function diskTroubleIn(error: unknown): DiskTrouble | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof DamagedLog) return damaged(error);
  if (error instanceof DataGone) return { code: "data_gone", message: error.message };
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown };
  const known = BY_CODE.get(String(code)) ?? (typeof errcode === "number" ? BY_SQLITE.get(errcode & 0xff) : undefined);
  return known ?? (error.cause === undefined ? null : diskTroubleIn(error.cause));
}

function damaged({ seq }: DamagedLog): DiskTrouble {
  const cure = "narratoria doctor says what is damaged, and narratoria doctor --repair keeps what is whole.";
  return {
    code: "log_damaged",
    message: `${seq === null ? "What is kept" : `Event ${seq}`} of this story is not what was written, so it is not told on. ${cure}`,
  };
}
