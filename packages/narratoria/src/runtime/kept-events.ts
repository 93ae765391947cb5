/**
 * The events a result shows: all of them while they are few, else the first and the last. The log holds them all; a
 * result must stay small whatever a tool prints.
 */
import type { ToolEvent } from "@narratoria/tool/protocol";

const MOST_EVENTS = 1_000;
const MOST_BYTES = 1024 * 1024;

export interface KeptEvents {
  add(event: ToolEvent, bytes: number): void;
  summary(): { events: ToolEvent[]; eventCount: number; eventsOmitted: number };
}

export function keepEvents(): KeptEvents {
  const first: ToolEvent[] = [];
  let firstBytes = 0;
  let firstIsFull = false;
  let last: { event: ToolEvent; bytes: number }[] = [];
  let lastFrom = 0;
  let lastBytes = 0;
  let eventCount = 0;

  function add(event: ToolEvent, bytes: number): void {
    eventCount++;
    if (!firstIsFull && first.length < MOST_EVENTS / 2 && firstBytes + bytes <= MOST_BYTES / 2) {
      first.push(event);
      firstBytes += bytes;
      return;
    }
    firstIsFull = true;
    last.push({ event, bytes });
    lastBytes += bytes;
    while (last.length - lastFrom > MOST_EVENTS / 2 || lastBytes > MOST_BYTES / 2) {
      lastBytes -= last[lastFrom]?.bytes ?? 0;
      lastFrom++;
    }
    // Dropped ones are cut off in bulk: shifting them one by one would be quadratic.
    if (lastFrom > MOST_EVENTS) {
      last = last.slice(lastFrom);
      lastFrom = 0;
    }
  }

  function summary(): ReturnType<KeptEvents["summary"]> {
    const events = [...first, ...last.slice(lastFrom).map(({ event }) => event)];
    return { events, eventCount, eventsOmitted: eventCount - events.length };
  }
  return { add, summary };
}
