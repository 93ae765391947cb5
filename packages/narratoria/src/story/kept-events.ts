/**
 * The events a result shows: all of them while they are few, else the first and the last. The log holds them all; a
 * result must stay small whatever a tool prints.
 */
import type { ToolEvent } from "@narratoria/tool/protocol";

export const MOST_EVENTS = 1_000;
const MOST_BYTES = 1024 * 1024;

export interface KeptEvents {
  add(event: ToolEvent, bytes: number): void;
  /** Counts events that would not have been kept anyway: at least `MOST_EVENTS` come before and after them. */
  skip(count: number): void;
  summary(): { events: ToolEvent[]; eventCount: number; eventsOmitted: number };
}

export function keepEvents(): KeptEvents {
  /** Null until there are too many: only then it is known which are the first half. */
  let first: Kept[] | null = null;
  let last: Kept[] = [];
  let lastFrom = 0;
  let bytesKept = 0;
  let eventCount = 0;

  function add(event: ToolEvent, bytes: number): void {
    eventCount++;
    last.push({ event, bytes });
    bytesKept += bytes;
    if (!isTooMuch()) return;
    first ??= last.splice(0, lengthOfFirstHalf(last));
    while (isTooMuch()) bytesKept -= last[lastFrom++]?.bytes ?? 0;
    // Dropped ones are cut off in bulk: shifting them one by one would be quadratic.
    if (lastFrom > MOST_EVENTS) {
      last = last.slice(lastFrom);
      lastFrom = 0;
    }
  }

  function isTooMuch(): boolean {
    return (first?.length ?? 0) + last.length - lastFrom > MOST_EVENTS || bytesKept > MOST_BYTES;
  }

  function summary(): ReturnType<KeptEvents["summary"]> {
    const events = [...(first ?? []), ...last.slice(lastFrom)].map(({ event }) => event);
    return { events, eventCount, eventsOmitted: eventCount - events.length };
  }
  return { add, skip: (count) => void (eventCount += count), summary };
}

interface Kept {
  event: ToolEvent;
  bytes: number;
}

function lengthOfFirstHalf(events: readonly Kept[]): number {
  let sum = 0;
  return events.findIndex(({ bytes }, index) => index === MOST_EVENTS / 2 || (sum += bytes) > MOST_BYTES / 2);
}
