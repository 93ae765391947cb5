/**
 * Rows that are taken out of a log on purpose leave a cut: the chain of checksums that the next row goes on from. So rows
 * can go a few at a time, and the log is whole after each step (`chain.ts` says what a chain is). A cut at the number of
 * a row stands for what that row was before it was written anew.
 */
import type { DatabaseSync } from "node:sqlite";

export interface Cuts {
  /** A row is about to go. What was cut since the last row that stays is said by this one. */
  cut(sessionId: string, row: { seq: number; chain: string }, lastKept: number): void;
}

export function createCuts(db: DatabaseSync): Cuts {
  const select = db.prepare("SELECT chain FROM cuts WHERE session_id = ? AND seq = ?");
  const insert = db.prepare("INSERT OR REPLACE INTO cuts VALUES (?, ?, ?)");
  const forget = db.prepare("DELETE FROM cuts WHERE session_id = ? AND seq >= ? AND seq < ?");
  return {
    cut(sessionId, { seq, chain }, lastKept) {
      const before = select.get(sessionId, seq) as { chain: string } | undefined;
      insert.run(sessionId, seq, before?.chain ?? chain);
      forget.run(sessionId, lastKept, seq);
    },
  };
}
