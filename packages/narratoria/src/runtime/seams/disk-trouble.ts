/** What a disk that takes nothing more says, in words for a player: no bug of ours, and it may pass. */

export interface DiskTrouble {
  code: "disk_full" | "disk_failing" | "disk_read_only";
  message: string;
}

const FULL: DiskTrouble = {
  code: "disk_full",
  message: "There is no room left on the disk, so this could not be kept. Make some room and try again.",
};
const FAILING: DiskTrouble = {
  code: "disk_failing",
  message: "The disk could not be read or written, so this could not be kept. Look after the disk and try again.",
};
const READ_ONLY: DiskTrouble = {
  code: "disk_read_only",
  message: "The disk may only be read here, so this could not be kept.",
};

const BY_CODE = new Map([
  ["ENOSPC", FULL],
  ["EDQUOT", FULL],
  ["EIO", FAILING],
  ["EROFS", READ_ONLY],
]);

/** SQLite's own numbers; their extended forms have more in the bytes above. */
const BY_SQLITE = new Map([
  [13, FULL],
  [10, FAILING],
  [8, READ_ONLY],
]);

/** Null when the error is something else: a bug, most likely. */
export function diskTroubleIn(error: unknown): DiskTrouble | null {
  if (!(error instanceof Error)) return null;
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown };
  const known = BY_CODE.get(String(code)) ?? (typeof errcode === "number" ? BY_SQLITE.get(errcode & 0xff) : undefined);
  return known ?? (error.cause === undefined ? null : diskTroubleIn(error.cause));
}
