/**
 * Whether events of a session's stream follow on what is known. Numbers are given per session and without holes, so one
 * that is not the next tells that something was missed, or that the log has begun anew (a data folder of yesterday was
 * put back). `session-store.ts` then asks for the whole picture.
 */
import type { NarratoriaEvent } from "../../src/story/event.ts";

export type Continuity = "goes on" | "missed some" | "began anew";

export function continuityOf(known: number, events: readonly NarratoriaEvent[]): Continuity {
  let last = known;
  for (const event of events) {
    const { seq } = event;
    if (typeof seq !== "number") continue;
    const first = seq - numbersOf(event) + 1;
    if (first > last + 1) return "missed some";
    if (first <= last) return "began anew";
    last = seq;
  }
  return "goes on";
}

/** A run of log lines comes as its last one, and has a number for each. */
function numbersOf(event: NarratoriaEvent): number {
  return event.event === "tool:event" ? (event.data.lines?.count ?? 1) : 1;
}
