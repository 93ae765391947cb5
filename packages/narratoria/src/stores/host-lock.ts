/**
 * One host per data folder. The lock is SQLite's own, on a file beside the store: it goes with the process, however that
 * ends, and leaves the store itself open to commands that only read.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DATA_FILES, makeDataFolder, orInWords } from "./data-folder-check.ts";

export interface HostLock {
  release(): void;
}

/** Null when another host has it. A folder that is not ours or cannot be written to throws a StoreError. */
export function lockDataFolder(dataDir: string): HostLock | null {
  makeDataFolder(dataDir);
  return orInWords(dataDir, () => lock(join(dataDir, DATA_FILES.lock)));
}

function lock(file: string): HostLock | null {
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(file);
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE;");
    const held = db;
    return { release: () => held.close() };
  } catch (error) {
    db?.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw error;
  }
}

const SQLITE_BUSY = 5;
