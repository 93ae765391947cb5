/**
 * Asks the narrator what is next, with all it is told, and writes down what became of the question. `turn.ts` does what
 * it answers.
 */
import type { DraftOf, EventError } from "../../story/event.ts";
import type { EventWriter, PlanScene } from "../seams/engine.ts";
import {
  NarratorFailed,
  type Invocation,
  type Narrator,
  type NarratorAnswer,
  type NarratorQuestion,
  type NarratorTool,
  type PlannedSoFar,
  type Stage,
  type StoryContext,
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

/** One that is no module. */
const THE_NARRATOR: Invocation = { module: "narrator", op: "next", durationMs: 0 };

export function createAskNarrator(
  start: TurnStart,
  briefing: Briefing,
  log: EventWriter,
  scene: Pick<PlanScene, "whose" | "state">,
  stop: AbortSignal,
): AskNarrator {
  const { narrator, background } = briefing;
  const stage: Stage = { tell, tools: () => briefing.tools(stop), noteDecisions };
  let isAsked = false;

  async function ask({ plans, disabledSkills }: PlanningSoFar): Promise<NarratorAnswer | null> {
    const question = {
      prompt: start.prompt,
      choiceId: start.choiceId,
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

  async function noteDecisions(decisions: readonly DraftOf<"policy:decision">[]): Promise<void> {
    for (const decision of decisions) await log.emit(decision);
  }

  async function noteInvocation({ module, op, durationMs }: Invocation, error?: EventError): Promise<void> {
    const status = error === undefined ? "ok" : "error";
    const how = { module, status, duration_ms: Math.round(durationMs), data: { op } } as const;
    await log.emit({ event: "module:invoke", component: "narrator", ...how, ...(error && { error }) });
  }

  function noteFailure(error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    const asked = error instanceof NarratorFailed ? error.invocation : THE_NARRATOR;
    return noteInvocation(asked, { code: "narrator_failed", message });
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
