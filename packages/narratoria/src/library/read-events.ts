/** A session's events as something to loop over: what was, then what happens, at the pace of whoever reads. */
import { isRefusal, type Refusal, type SessionService, type StreamedEvent } from "../runtime/seams/session-service.ts";
import type { LogDetail } from "../runtime/seams/store.ts";
import type { NarratoriaEvent } from "../story/event.ts";

export interface EventsOptions {
  /** The number of the last event that is known already; by default everything comes. */
  after?: number | undefined;
  /** "runs" (the default): of a run of log lines only the last. "each": all of them. */
  logs?: LogDetail | undefined;
  /** Ends the loop. */
  signal?: AbortSignal | undefined;
}

const MOST_WAITING = 64;

/** Ends with the session's deletion, the host, the signal, or when the loop is left. */
export async function readSessionEvents(
  sessions: SessionService,
  sessionId: string,
  { after = 0, logs = "runs", signal }: EventsOptions = {},
): Promise<AsyncIterable<NarratoriaEvent> | Refusal> {
  const waiting: StreamedEvent[] = [];
  let isOver = signal?.aborted ?? false;
  let wake = (): void => {};
  const end = (): void => {
    isOver = true;
    wake();
  };
  const following = await sessions.follow(
    sessionId,
    after,
    {
      take: (event) => {
        waiting.push(event);
        wake();
        return waiting.length < MOST_WAITING;
      },
      closed: end,
    },
    logs,
  );
  if (isRefusal(following)) return following;
  const { resume, close } = following;
  signal?.addEventListener("abort", end, { once: true });

  async function* read(): AsyncGenerator<NarratoriaEvent, void> {
    try {
      while (!signal?.aborted) {
        const next = waiting.shift();
        if (next !== undefined) {
          if (waiting.length === 0) resume();
          yield next.event();
        } else if (isOver) return;
        else await new Promise<void>((settle) => (wake = settle));
      }
    } finally {
      signal?.removeEventListener("abort", end);
      close();
    }
  }
  return read();
}
