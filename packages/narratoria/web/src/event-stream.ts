/**
 * A session's events, live. Browsers allow six connections to a server, so all tabs that show a session share one
 * stream: the tab that holds the session's lock reads it and passes on what comes. `session-store.ts` folds it.
 *
 * 1. Whoever reads passes batches on with the number they follow: a tab that missed one notices, and asks anew.
 * 2. When the reading tab closes, its lock goes to another tab, which continues after the last event it knows.
 * 3. More sessions open than connections to spare: the tabs left over ask for the whole picture now and then.
 */
import type { NarratoriaEvent } from "../../src/story/event.ts";
import { openEvents } from "./api.ts";
import { createEventReader } from "./server-sent-events.ts";

export interface PageReader {
  /** The number of the last event it knows. */
  seq: () => number;
  /** `after` is the number these events follow. */
  events: (after: number, events: NarratoriaEvent[]) => void;
  connection: (connection: "live" | "lost") => void;
  /** Fetches the whole picture; false when the server cannot be reached. */
  refresh: () => Promise<boolean>;
}

interface Passed {
  after: number;
  events: NarratoriaEvent[];
  connection: "live" | "lost";
}

const STREAMS_AT_ONCE = 4;
const ASK_EVERY_MS = 1500;
const SLOWEST_RETRY_MS = 5000;
/** The server says every 15 seconds that it is there; a connection that is silent for so long leads nowhere. */
const LONGEST_SILENCE_MS = 40_000;

/** Follows until the returned function is called. */
export function followSession(sessionId: string, reader: PageReader): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const channel = new BroadcastChannel(`narratoria:${sessionId}`);
  channel.addEventListener("message", ({ data }: MessageEvent<Passed>) => {
    reader.connection(data.connection);
    if (data.events.length > 0) reader.events(data.after, data.events);
  });
  signal.addEventListener("abort", () => channel.close());
  void holdLock(`narratoria:${sessionId}`, signal, () => lead(sessionId, reader, channel, signal));
  return () => stopping.abort();
}

async function lead(
  sessionId: string,
  reader: PageReader,
  channel: BroadcastChannel,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  const tell = (after: number, events: NarratoriaEvent[], connection: "live" | "lost"): void => {
    if (signal.aborted) return;
    channel.postMessage({ after, events, connection } satisfies Passed);
    reader.connection(connection);
    if (events.length > 0) reader.events(after, events);
  };
  while (!signal.aborted) {
    const opened = await takeStreamSlot(signal, () =>
      readStream(sessionId, reader, signal, (after, events) => {
        failures = 0;
        tell(after, events, "live");
      }),
    );
    if (signal.aborted) return;
    if (opened === "no slot") await pause(ASK_EVERY_MS, signal);
    else {
      tell(reader.seq(), [], "lost");
      await pause(Math.min(SLOWEST_RETRY_MS, 250 * 2 ** failures++), signal);
    }
    // The whole picture first: whatever happened meanwhile, and a head that moved, is in it.
    if (await reader.refresh()) {
      if (opened === "no slot") tell(reader.seq(), [], "live");
    } else if (opened === "no slot") tell(reader.seq(), [], "lost");
  }
}

/** Reads until the connection breaks, falls silent or the signal comes; passes events on once a frame. */
async function readStream(
  sessionId: string,
  reader: PageReader,
  signal: AbortSignal,
  pass: (after: number, events: NarratoriaEvent[]) => void,
): Promise<void> {
  let waiting: NarratoriaEvent[] = [];
  let last = reader.seq();
  const flush = (): void => {
    if (waiting.length === 0) return;
    const [after, events] = [last, waiting];
    waiting = [];
    last = events.at(-1)?.seq ?? last;
    pass(after, events);
  };
  const read = createEventReader(({ event, data }) => {
    if (event !== "message") return;
    if (waiting.length === 0) onNextFrame(flush);
    waiting.push(JSON.parse(data) as NarratoriaEvent);
  });

  const ending = new AbortController();
  const end = (): void => ending.abort();
  signal.addEventListener("abort", end, { once: true });
  let silence = setTimeout(end, LONGEST_SILENCE_MS);
  try {
    const stream = await openEvents(sessionId, last, ending.signal);
    if (stream === null) return;
    pass(last, []);
    const pieces = stream.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await pieces.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(end, LONGEST_SILENCE_MS);
      read(value);
    }
  } catch {
    // The connection broke: whoever called asks again.
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", end);
    end();
    flush();
  }
}

/** Frames do not come in a hidden tab, which may be the one that reads for all others. */
function onNextFrame(run: () => void): void {
  if (document.hidden) setTimeout(run, 30);
  else requestAnimationFrame(run);
}

/** Only pages from this machine or over https have locks; without them every tab reads for itself. */
async function holdLock(name: string, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
  const locks = navigator.locks as LockManager | undefined;
  if (locks === undefined) return run();
  await locks.request(name, { signal }, run).catch(() => undefined);
}

async function takeStreamSlot(signal: AbortSignal, run: () => Promise<void>): Promise<"ran" | "no slot"> {
  const locks = navigator.locks as LockManager | undefined;
  if (locks === undefined) {
    await run();
    return "ran";
  }
  for (let slot = 0; slot < STREAMS_AT_ONCE && !signal.aborted; slot++) {
    const ran = await locks.request(`narratoria-stream-${slot}`, { ifAvailable: true }, async (lock) => {
      if (lock === null) return false;
      await run();
      return true;
    });
    if (ran) return "ran";
  }
  return "no slot";
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((settle) => {
    const timer = setTimeout(settle, ms);
    const stop = (): void => {
      clearTimeout(timer);
      settle();
    };
    signal.addEventListener("abort", stop, { once: true });
    // A laptop that wakes up or a network that returns is worth a try at once.
    window.addEventListener("online", stop, { once: true, signal });
  });
}
