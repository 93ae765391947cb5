/**
 * Who a confined tool is: ourselves, unless we are root. Root's tools run as nobody; in the full sandbox each runs as a
 * user of its own, because the kernel counts some things by user (watches of files, pending signals, locked memory).
 */
import { constants, statSync } from "node:fs";
import { dirname } from "node:path";

const NOBODY = 65534;
/** Numbers that no account, container or service of systemd uses: 2^28 of them, 64 for each process number. */
const FIRST_PRIVATE = 0x7000_0000;
const EACH_HOST = 64;
const MOST_PROCESSES = 1 << 22;

export interface SandboxUser {
  /** Options for `spawn`. It drops supplementary groups too. */
  spawnAs: { uid?: number; gid?: number };
  /** The owner that files for the tool must have, or null when they are ours anyway. */
  owner: { uid: number; gid: number } | null;
  /** How bubblewrap shows it to the tool: as nobody, whoever it is outside. */
  seenAs: readonly string[];
  giveBack(): void;
}

const OURSELVES: SandboxUser = { spawnAs: {}, owner: null, seenAs: [], giveBack: () => {} };

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The one user all tools share where nothing tells them apart. */
export function sharedUser(): SandboxUser {
  return isRoot() ? as(NOBODY, () => {}) : OURSELVES;
}

const inUse = new Set<number>();

/** Nobody else's until it is given back. With more than 64 tools at once, the rest share. */
export function privateUser(): SandboxUser {
  if (!isRoot()) return OURSELVES;
  const first = FIRST_PRIVATE + (process.pid % MOST_PROCESSES) * EACH_HOST;
  const uid = Array.from({ length: EACH_HOST }, (_, index) => first + index).find((id) => !inUse.has(id));
  if (uid === undefined) return sharedUser();
  inUse.add(uid);
  return as(uid, () => inUse.delete(uid));
}

/** The group is the same for all: what is staged for tools is open to it. */
function as(uid: number, giveBack: () => void): SandboxUser {
  const who = { uid, gid: NOBODY };
  return { spawnAs: who, owner: who, seenAs: ["--uid", String(NOBODY), "--gid", String(NOBODY)], giveBack };
}

export function isSandboxUser(uid: number): boolean {
  return isRoot() && (uid === NOBODY || (uid >= FIRST_PRIVATE && uid < FIRST_PRIVATE + MOST_PROCESSES * EACH_HOST));
}

/** The group that may read what is staged. */
export const SANDBOX_GROUP = NOBODY;

/** Whether the sandbox's user can walk to a folder, judged by what everybody may do. */
export function isReachable(path: string): boolean {
  if (!isRoot()) return true;
  for (let at = path; ; at = dirname(at)) {
    const mode = statSync(at, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & constants.S_IXOTH) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
