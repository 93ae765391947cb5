/** An event read from the log: its text as it was written, parsed only when somebody looks inside. */
import type { NarratoriaEvent } from "../story/event.ts";
import type { StoredEvent } from "../runtime/seams/store.ts";

export function storedEvent(about: Pick<StoredEvent, "seq" | "turnId" | "name">, json: string): StoredEvent {
  let event: NarratoriaEvent | null = null;
  return { ...about, json, event: () => (event ??= parseEvent(json)) };
}

export function parseEvent(json: string): NarratoriaEvent {
  return JSON.parse(json) as NarratoriaEvent;
}
