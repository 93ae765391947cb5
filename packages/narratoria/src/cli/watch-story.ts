/**
 * Prints a session from where it is on, and puts its questions to the player. The view is folded here from the
 * session's stream; `story-printer.ts` prints what it has gained.
 */
import { isRefusal, type SessionService } from "../index.ts";
import { type AskView, foldView, leavesTheView, type NarratoriaEvent, type SessionView } from "../story/index.ts";
import type { StoryPrinter } from "./story-printer.ts";
import { trackProgress } from "./stream-progress.ts";
import type { Terminal } from "./terminal.ts";

export interface Watching {
  /** The last event that was shown. */
  seq(): number;
  /** Settles when everything that happened so far is shown. */
  caughtUp(): Promise<void>;
  close(): void;
}

export async function watchStory(
  sessions: SessionService,
  sessionId: string,
  printer: StoryPrinter,
  terminal: Terminal,
  ask: (question: AskView) => void,
): Promise<Watching> {
  const begun = await sessions.view(sessionId);
  if (isRefusal(begun)) return NOTHING_TO_WATCH;
  let view = begun;
  await greet(view, printer, terminal);

  const progress = trackProgress(view.seq);
  const asked = new Set<string>();
  const waiting: NarratoriaEvent[] = [];
  let showing: Promise<void> | null = null;

  async function showAll(): Promise<void> {
    while (waiting.length > 0) {
      const at = waiting.findIndex(mustBeSeen);
      const events = waiting.splice(0, at === -1 ? waiting.length : at + 1);
      view = events.some(leavesTheView) ? await viewAnew() : foldView(view, events);
      await show();
    }
    showing = null;
  }

  async function viewAnew(): Promise<SessionView> {
    const now = await sessions.view(sessionId);
    return isRefusal(now) ? view : now;
  }

  async function show(): Promise<void> {
    await printer.follow(view);
    for (const question of view.asks.filter(({ askId }) => !asked.has(askId))) {
      asked.add(question.askId);
      ask(question);
    }
    progress.advance(view.seq);
  }

  await show();
  const reader = {
    take: ({ event }: { event: () => NarratoriaEvent }) => {
      waiting.push(event());
      showing ??= showAll();
      return true;
    },
    closed: progress.stop,
  };
  const following = await sessions.follow(sessionId, view.seq, reader, "runs");
  if (isRefusal(following)) return NOTHING_TO_WATCH;
  return {
    seq: progress.seq,
    caughtUp: async () => {
      const now = await sessions.view(sessionId);
      if (!isRefusal(now)) await progress.reached(now.seq);
    },
    close: () => {
      following.close();
      progress.stop();
    },
  };
}

const NOTHING_TO_WATCH: Watching = { seq: () => 0, caughtUp: async () => {}, close: () => {} };

async function greet(view: SessionView, printer: StoryPrinter, terminal: Terminal): Promise<void> {
  printer.title(view);
  if (view.turns.every(({ status }) => status === "running")) return;
  terminal.lines([terminal.style.dim(`You are at turn ${view.turnCount - 1}. /help shows what else you can do.`), ""]);
  await printer.recap(view);
}

/** Everything else may be folded together with what follows; these would be over before anyone saw them. */
function mustBeSeen({ event }: NarratoriaEvent): boolean {
  return event === "turn:start" || event === "turn:end" || event === "tool:start" || event === "session:head";
}
