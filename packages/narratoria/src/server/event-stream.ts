/**
 * A session's events as server-sent events. The queue is bounded: when a reader is slower than the story, the log is
 * asked to wait (`StreamReader.take` returns false) and goes on when the reader has caught up.
 */
import {
  isRefusal,
  type LogDetail,
  type Refusal,
  type SessionService,
  type StreamedEvent,
  type StreamReader,
  type Subscription,
} from "../index.ts";

/** One event beyond this may still be taken; then the reader counts as full. */
const MAX_QUEUED_BYTES = 256 * 1024;
const KEEP_ALIVE_MS = 15_000;
const RECONNECT_MS = 1_000;

const encoder = new TextEncoder();

export async function openEventStream(
  sessions: Pick<SessionService, "follow">,
  sessionId: string,
  after: number,
  logs: LogDetail = "each",
  onEnd: () => void = () => {},
): Promise<ReadableStream<Uint8Array> | Refusal> {
  let followed: Subscription | null = null;
  let keepAlive: NodeJS.Timeout | undefined;
  let isOpen = true;
  let isFull = false;

  function stop(): void {
    clearInterval(keepAlive);
    followed?.close();
    if (isOpen) onEnd();
    isOpen = false;
  }

  let queue: ReadableStreamDefaultController<Uint8Array> | undefined;
  const send = (text: string): void => queue?.enqueue(encoder.encode(text));
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        queue = controller;
        send(`retry: ${RECONNECT_MS}\n\n`);
      },
      pull: () => {
        if (!isFull) return;
        isFull = false;
        followed?.resume();
      },
      cancel: stop,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_QUEUED_BYTES }),
  );

  const reader: StreamReader = {
    take: (event) => {
      if (!isOpen) return false;
      send(frame(event));
      isFull = (queue?.desiredSize ?? 0) <= 0;
      return !isFull;
    },
    closed: () => {
      if (!isOpen) return;
      send("event: bye\ndata: {}\n\n");
      stop();
      queue?.close();
    },
  };
  const following = await sessions.follow(sessionId, after, reader, logs);
  if (isRefusal(following)) return following;
  followed = following;
  // The session may have gone away meanwhile.
  if (!isOpen) stop();
  // A full queue holds something to send anyway.
  else keepAlive = setInterval(() => isFull || send(": still here\n\n"), KEEP_ALIVE_MS).unref();
  return stream;
}

/** The event as it is stored: JSON has no raw line breaks, so it is one line. */
function frame({ seq, json }: StreamedEvent): string {
  return `id: ${seq}\ndata: ${json}\n\n`;
}
