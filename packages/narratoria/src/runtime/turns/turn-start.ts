/** What a turn begins with: what was typed, the moment it was typed in, and what it had done before it was interrupted. */
import type { JsonObject } from "@narratoria/tool/json";
import type { ResultFold } from "../../story/fold-result.ts";
import type { Plan } from "../../story/plan.ts";
import type { PlannedSoFar } from "../seams/narrator.ts";

export interface TurnStart {
  readonly turnId: string;
  readonly number: number;
  /** Null for the opening scene. */
  readonly prompt: string | null;
  /** The choice that was taken, where the player did not type. */
  readonly choiceId: string | null;
  readonly seed: number;
  readonly stateAtStart: JsonObject;
  /** What an interrupted turn had done already. */
  readonly resumed: ResumedTurn;
}

export interface ResumedTurn {
  readonly plans: readonly PlannedSoFar[];
  /** The plan that was running, and what had become of it. */
  readonly unfinished: UnfinishedPlan | null;
}

export interface UnfinishedPlan {
  readonly plan: Plan;
  readonly results: ResultFold;
}

export const NOTHING_DONE: ResumedTurn = { plans: [], unfinished: null };
