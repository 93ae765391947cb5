/**
 * One host per data folder. The lock is SQLite's own, on a file beside the store: it goes with the process, however that
 * ends, and leaves the store itself open to commands that only read.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { diskTroubleIn } from "../runtime/seams/disk-trouble.ts";
import { DATA_FILES, ELSEWHERE, makeDataFolder } from "./data-folder-check.ts";
import { StoreError } from "./open-database.ts";

export interface HostLock {
  release(): void;
}

/** Null when another host has it. A folder that is not ours or cannot be written to throws a StoreError. */
export function lockDataFolder(dataDir: string): HostLock | null {
  let db: DatabaseSync | null = null;
  try {
    makeDataFolder(dataDir);
    db = new DatabaseSync(join(dataDir, DATA_FILES.lock));
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE;");
    const held = db;
    return { release: () => held.close() };
  } catch (error) {
    db?.close();
    if (error instanceof StoreError) throw error;
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    const reason = diskTroubleIn(error)?.message ?? `${explain(error as Error)}; ${ELSEWHERE}`;
    throw new StoreError(`${dataDir} cannot be used to keep stories: ${reason}`);
  }
}

function explain(error: NodeJS.ErrnoException): string {
  return REASONS.get(error.code ?? "") ?? error.message;
}

const REASONS = new Map([
  ["EACCES", "this user may not write there"],
  ["EPERM", "this user may not write there"],
  ["EROFS", "nothing can be written there"],
  ["ENOTDIR", "it lies in something that is no folder"],
  ["ENOENT", "nothing can be made there"],
  ["ENOSPC", "the disk is full"],
]);

const SQLITE_BUSY = 5;
