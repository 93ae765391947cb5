/**
 * Brings a file that older code has written to today's schema, one version after the other, each step in a transaction
 * of its own: whatever ends the process, the file is of one version or of the next. `sqlite-schema.ts` has the result.
 */
import type { DatabaseSync } from "node:sqlite";
import { numberPerSession } from "./number-per-session.ts";
import { takeOutRows } from "./take-out-rows.ts";

export type Migration = (db: DatabaseSync) => void;

/** The first leads from version 1 to 2, and so on. A step never changes once it was released. */
const MIGRATIONS: readonly Migration[] = [numberPerSession, takeOutRows];

export function migrate(db: DatabaseSync, steps: readonly Migration[] = MIGRATIONS): void {
  for (const [index, step] of steps.entries()) {
    db.exec("BEGIN IMMEDIATE");
    try {
      // Only now: another process may have done it while this one was waiting.
      if (versionOf(db) === index + 1) {
        step(db);
        db.exec(`PRAGMA user_version = ${index + 2}`);
      }
      db.exec("COMMIT");
    } catch (error) {
      if (db.isTransaction) db.exec("ROLLBACK");
      throw error;
    }
  }
}

export function versionOf(db: DatabaseSync): number {
  return (db.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;
}
