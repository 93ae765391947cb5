/**
 * What the store has lost at the end of its log: less of a session than `ends-file.ts` remembers, or something else in
 * its place. Asked whenever a store is opened, before anything is written: the next commit would cover what is left
 * of a damaged write-ahead log.
 */
import type { DatabaseSync } from "node:sqlite";
import type { Ends } from "./ends-file.ts";
import { createChainLookup } from "./verify-rows.ts";

export interface LostEnd {
  sessionId: string;
  /** Null: the session is gone altogether. */
  title: string | null;
  /** The last number that is left; 0 when nothing is. */
  after: number;
  /** The last number that was durable. */
  until: number;
}

export function findLostEnds(db: DatabaseSync, remembered: Ends): LostEnd[] {
  const select = db.prepare("SELECT title, last_seq, chain FROM sessions WHERE session_id = ?");
  const chainBelow = createChainLookup(db);
  const lost: LostEnd[] = [];
  for (const [sessionId, { lastSeq, chain }] of remembered) {
    const found = select.get(sessionId) as { title: string; last_seq: number; chain: string } | undefined;
    // Usually it is the very end, and nothing has to be looked up.
    if (found?.last_seq === lastSeq && found.chain === chain) continue;
    if (found === undefined) lost.push({ sessionId, title: null, after: 0, until: lastSeq });
    else if (chainBelow(sessionId, lastSeq + 1) !== chain)
      lost.push({ sessionId, title: found.title, after: Math.min(found.last_seq, lastSeq - 1), until: lastSeq });
  }
  return lost;
}

/** As in "the last 66 events of two stories are missing". */
export function wordsForLostEnds(lost: readonly LostEnd[]): string {
  const cut = lost.filter(({ title }) => title !== null);
  const gone = lost.length - cut.length;
  const events = cut.reduce((sum, { after, until }) => sum + until - after, 0);
  const parts = [
    ...(cut.length === 0
      ? []
      : [`the last ${events === 1 ? "event" : counted(events, "event")} of ${counted(cut.length, "story")}`]),
    ...(gone === 0 ? [] : [`${counted(gone, "story")} altogether`]),
  ];
  return `${parts.join(", and ")} ${events + gone === 1 ? "is" : "are"} missing`;
}

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

export function counted(count: number, noun: "event" | "story" | "file"): string {
  const plural = noun === "story" ? "stories" : `${noun}s`;
  const shown = noun === "story" ? (NUMBERS[count] ?? String(count)) : String(count);
  return `${shown} ${count === 1 ? noun : plural}`;
}
