/** Every event of a session as a line of JSON on stdout, at the pace at which it is read. */
import { once } from "node:events";
import { isRefusal, type SessionService } from "../runtime/seams/session-service.ts";
import type { AskView } from "../story/session-view.ts";

export interface JsonFollower {
  lastSeq(): number;
  /** Settles when everything that happened so far is written. */
  written(): Promise<void>;
  close(): void;
}

export function followAsJson(
  sessions: SessionService,
  sessionId: string,
  after: number,
  ask: (question: AskView) => void,
): JsonFollower {
  let lastSeq = after;
  let isFull = false;
  const following = sessions.follow(sessionId, after, {
    event: (event) => {
      lastSeq = event.seq ?? lastSeq;
      isFull = !process.stdout.write(`${JSON.stringify(event)}\n`);
      if (isFull) process.stdout.once("drain", goOn);
      if (event.event === "ask:open") ask(event.data as unknown as AskView);
      return !isFull;
    },
    closed: () => {},
  });

  function goOn(): void {
    isFull = false;
    if (!isRefusal(following)) following.resume();
  }

  async function written(): Promise<void> {
    // What is stored already is read one step after following began.
    await Promise.resolve();
    const isWaiting = (): boolean => isFull && !process.stdout.destroyed;
    while (isWaiting()) await once(process.stdout, "drain").catch(() => {});
    await new Promise<void>((done) => process.stdout.write("", () => done()));
  }
  return { lastSeq: () => lastSeq, written, close: () => void (isRefusal(following) || following.close()) };
}
