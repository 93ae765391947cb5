/**
 * One turn: ask the narrator (`ask-narrator.ts`), try its plan (`turn-plans.ts`), ask again, until the narrator ends the
 * turn or nothing more can be tried; then it ends with template-based narration (`end-turn.ts`). Everything is written
 * to the log as it happens.
 */
import { followSignal } from "../seams/follow-signal.ts";
import type { EventDraft } from "../../story/event.ts";
import { CancelReason, isShutdown } from "../execution/cancel-reason.ts";
import type { EventWriter, PlanScene } from "../seams/engine.ts";
import { createAskNarrator, type Briefing } from "./ask-narrator.ts";
import { createTurnEnds, type TurnEnding } from "./end-turn.ts";
import { createTurnPlans, type PlanMeans, type SkillsAtHand } from "./turn-plans.ts";
import type { TurnStart } from "./turn-start.ts";

export interface TurnToRun {
  readonly start: TurnStart;
  readonly briefing: Briefing;
  readonly skills: SkillsAtHand;
  readonly pen: TurnPen;
}

/** What a turn is written with. */
export interface TurnPen {
  readonly log: EventWriter;
  /** Writes several events in one commit. */
  append(drafts: readonly EventDraft[]): void;
}

export interface TurnMeans extends PlanMeans {
  readonly turnMs: number;
}

export async function runTurn(
  { start, briefing, skills, pen }: TurnToRun,
  means: TurnMeans,
  scene: PlanScene,
  signal: AbortSignal,
): Promise<TurnEnding> {
  const following = followSignal(signal);
  const stop = following.signal;
  const { turnMs } = means;
  const timer = scene.clocks.plans.after(turnMs, () => following.abort(new CancelReason("turn_timeout", turnMs)));
  const ask = createAskNarrator(start, briefing, pen.log, scene, stop);
  const plans = createTurnPlans(start, skills, means, pen.log, scene, stop);
  const ends = createTurnEnds(start, briefing.background.choices, pen.append);
  try {
    if (start.resumed.unfinished !== null) await plans.resume(start.resumed.unfinished);
    while (!stop.aborted && plans.mayPlan()) {
      const answer = await ask(plans.soFar());
      if (answer === null) break;
      if (answer.kind === "end") return ends.told(answer, plans.health());
      await plans.attempt(answer.plan);
    }
    if (isShutdown(signal)) return "interrupted";
    return signal.aborted ? ends.cancelled(plans.health()) : ends.withFallback(stop.aborted, plans.health());
  } finally {
    timer.cancel();
    following.letGo();
  }
}
