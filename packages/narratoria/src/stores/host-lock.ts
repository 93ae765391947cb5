/**
 * One host per data folder. The lock is SQLite's own, on a file beside the store: it goes with the process, however that
 * ends, and leaves the store itself open to commands that only read.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface HostLock {
  release(): void;
}

/** Null when another host has it. */
export function lockDataFolder(dataDir: string): HostLock | null {
  mkdirSync(dataDir, { recursive: true });
  const db = new DatabaseSync(join(dataDir, "host.lock"));
  try {
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE;");
    return { release: () => db.close() };
  } catch {
    db.close();
    return null;
  }
}
