/**
 * Asks the narrator what is next, with all it is told, and writes down what became of the question. `turn.ts` does what
 * it answers.
 */
import type { EventWriter, PlanScene } from "../seams/engine.ts";
import type {
  Narrator,
  NarratorAnswer,
  NarratorQuestion,
  NarratorTool,
  PlannedSoFar,
  StoryContext,
} from "../seams/narrator.ts";
import type { TurnStart } from "./turn-start.ts";

/** Who tells the turn, and what they can know. */
export interface Briefing {
  readonly narrator: Narrator;
  readonly background: Background;
  /** What the player has read of this turn. */
  toldSoFar(): readonly string[];
  tools(signal: AbortSignal): Promise<readonly NarratorTool[]>;
}

/** What was known when the turn began. */
export type Background = Pick<StoryContext, "memory" | "choices" | "history">;

/** What this turn has planned, and must do without. */
export interface PlanningSoFar {
  readonly plans: readonly PlannedSoFar[];
  readonly disabledSkills: readonly string[];
}

/** Null when the narrator itself failed: the player must not notice more than a short answer. */
export type AskNarrator = (soFar: PlanningSoFar) => Promise<NarratorAnswer | null>;

export function createAskNarrator(
  start: TurnStart,
  briefing: Briefing,
  log: EventWriter,
  scene: Pick<PlanScene, "whose" | "state">,
  stop: AbortSignal,
): AskNarrator {
  const { narrator, background } = briefing;
  const stage = { tell, tools: () => briefing.tools(stop) };
  let isAsked = false;

  async function ask({ plans, disabledSkills }: PlanningSoFar): Promise<NarratorAnswer | null> {
    const question = {
      prompt: start.prompt,
      context: contextNow(),
      disabledSkills,
      plans,
      told: briefing.toldSoFar(),
      sessionId: scene.whose.sessionId,
    };
    try {
      const answer = await hearAnswer(question);
      if (answer.invocation !== undefined) await noteInvocation(answer.invocation);
      if (answer.failure !== undefined && !stop.aborted) await noteFailure(answer.failure);
      return answer;
    } catch (error) {
      if (!stop.aborted) await noteFailure(error);
      return null;
    }
  }

  async function hearAnswer(question: NarratorQuestion): Promise<NarratorAnswer> {
    isAsked = true;
    try {
      // Raced: a narrator that does not listen to the signal must not hold the player up.
      return await Promise.race([narrator.next(question, stage, stop), rejectOnAbort(stop)]);
    } finally {
      isAsked = false;
    }
  }

  function contextNow(): StoryContext {
    const { memory, choices, history } = background;
    const { stateAtStart, seed } = start;
    return { state: scene.state().value, stateAtStart, memory, choices, history, seed };
  }

  async function tell(text: string): Promise<void> {
    // Whoever goes on after the answer would speak into the plan, or after the end of the turn.
    if (!isAsked || stop.aborted || text === "") return;
    await log.emit({ event: "turn:tell", component: "narrator", data: { turnId: start.turnId, text } });
  }

  async function noteInvocation({ module, op, durationMs }: NonNullable<NarratorAnswer["invocation"]>): Promise<void> {
    const how = { module, status: "ok", duration_ms: Math.round(durationMs), data: { op } } as const;
    await log.emit({ event: "module:invoke", component: "narrator", ...how });
  }

  async function noteFailure(error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    const how = { module: "narrator", status: "error", duration_ms: 0, data: { op: "next" } } as const;
    const failure = { code: "narrator_failed", message };
    await log.emit({ event: "module:invoke", component: "narrator", ...how, error: failure });
  }
  return ask;
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
}
