/**
 * A session's events as server-sent events. The queue is bounded: when a reader is slower than the story, the log is
 * asked to wait (`EventReader.event` returns false) and goes on when the reader has caught up.
 */
import type { NarratoriaEvent } from "../story/event.ts";
import {
  type EventReader,
  isRefusal,
  type Refusal,
  type SessionService,
  type Subscription,
} from "../runtime/seams/session-service.ts";
import type { LogDetail } from "../runtime/seams/store.ts";

/** One event beyond this may still be taken; then the reader counts as full. */
const MAX_QUEUED_BYTES = 256 * 1024;
const KEEP_ALIVE_MS = 15_000;
const RECONNECT_MS = 1_000;

const encoder = new TextEncoder();

export function openEventStream(
  sessions: Pick<SessionService, "follow">,
  sessionId: string,
  after: number,
  logs: LogDetail = "each",
): ReadableStream<Uint8Array> | Refusal {
  let followed: Subscription | Refusal | undefined;
  let keepAlive: NodeJS.Timeout | undefined;
  let isOpen = true;
  let isFull = false;

  function stop(): void {
    isOpen = false;
    clearInterval(keepAlive);
    if (followed !== undefined && !isRefusal(followed)) followed.close();
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const send = (text: string): void => controller.enqueue(encoder.encode(text));
        send(`retry: ${RECONNECT_MS}\n\n`);
        const reader: EventReader = {
          event: (event) => {
            if (!isOpen) return false;
            send(frame(event));
            isFull = (controller.desiredSize ?? 0) <= 0;
            return !isFull;
          },
          closed: () => {
            if (!isOpen) return;
            send("event: bye\ndata: {}\n\n");
            stop();
            controller.close();
          },
        };
        followed = sessions.follow(sessionId, after, reader, logs);
        if (isRefusal(followed) || !isOpen) return;
        // A full queue holds something to send anyway.
        keepAlive = setInterval(() => isFull || send(": still here\n\n"), KEEP_ALIVE_MS).unref();
      },
      pull: () => {
        if (!isFull || followed === undefined || isRefusal(followed)) return;
        isFull = false;
        followed.resume();
      },
      cancel: stop,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_QUEUED_BYTES }),
  );
  return isRefusal(followed) ? followed : stream;
}

/** JSON has no raw line breaks, so the event is one line. */
function frame(event: NarratoriaEvent): string {
  const id = typeof event.seq === "number" ? `id: ${event.seq}\n` : "";
  return `${id}data: ${JSON.stringify(event)}\n\n`;
}
