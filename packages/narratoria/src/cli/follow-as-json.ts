/** Every event of a session as a line of JSON on stdout, at the pace at which it is read. */
import { isRefusal, type SessionService, type Subscription } from "../index.ts";
import type { AskView } from "../story/index.ts";
import { withoutSteering } from "./print-json.ts";
import { trackProgress } from "./stream-progress.ts";
import type { Watching } from "./watch-story.ts";

export async function followAsJson(
  sessions: SessionService,
  sessionId: string,
  after: number,
  ask: (question: AskView) => void,
): Promise<Watching> {
  const progress = trackProgress(after);
  let isFull = false;
  let following: Subscription | undefined;
  // The reader went away, as `| head -1` does: what cannot be written keeps nobody waiting.
  process.stdout.once("close", progress.stop);

  const followed = await sessions.follow(sessionId, after, {
    take: (streamed) => {
      isFull = !process.stdout.write(`${withoutSteering(streamed.json)}\n`);
      if (isFull) process.stdout.once("drain", goOn);
      const event = streamed.event();
      if (event.event === "ask:open") ask(event.data);
      progress.advance(streamed.seq);
      return !isFull;
    },
    closed: progress.stop,
  });
  if (isRefusal(followed)) progress.stop();
  else following = followed;
  // It may have been full, and drained, before there was anything to resume.
  if (!isFull) following?.resume();

  function goOn(): void {
    isFull = false;
    following?.resume();
  }

  async function caughtUp(): Promise<void> {
    const view = await sessions.view(sessionId);
    if (isRefusal(view)) return;
    await progress.reached(view.seq);
    await new Promise<void>((done) => process.stdout.write("", () => done()));
  }

  return {
    seq: progress.seq,
    caughtUp,
    close: () => {
      following?.close();
      progress.stop();
      process.stdout.off("close", progress.stop).off("drain", goOn);
    },
  };
}
