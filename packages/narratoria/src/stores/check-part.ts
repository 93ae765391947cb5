/**
 * Holds some of the log against its checksums when a store is opened: the latest rows, and others by chance, so that
 * every part comes up in time. All of it would make opening slower with every story told.
 */
import type { DatabaseSync } from "node:sqlite";
import { DamagedLog } from "../runtime/seams/disk-trouble.ts";
import { createRowVerifier, EVENT_COLUMNS, type EventRow } from "./verify-rows.ts";

const ROWS = 100;

/** Null, or where it found something else than was written. `chance` is from 0 to 1. */
export function checkPart(db: DatabaseSync, chance: number = Math.random()): DamagedLog | null {
  const verify = createRowVerifier(db);
  const select = db.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE rowid > ? ORDER BY rowid LIMIT ${ROWS}`);
  const { last } = db.prepare("SELECT coalesce(max(rowid), 0) AS last FROM events").get() as { last: number };
  try {
    for (const from of [last - ROWS, Math.floor(chance * last) - ROWS / 2]) {
      verify.events(select.all(Math.max(0, from)) as object[] as EventRow[]);
    }
    return null;
  } catch (error) {
    if (error instanceof DamagedLog) return error;
    throw error;
  }
}
