/** The bookkeeping of a turn's plans: how many replans there were, of which plan, and what they must do without. */
import { isJsonObject, type JsonObject } from "@narratoria/tool/json";
import type { RejectedPlan } from "../../story/event.ts";
import type { ExecutionResult } from "../../story/execution-result.ts";
import { MOST_GENERATIONS, type Plan } from "../../story/plan.ts";

export interface Replans {
  mayPlan(): boolean;
  disabledSkills(): string[];
  /** The narrator's plan with what is the runtime's to say. */
  stamp(proposal: unknown, requestId: string): JsonObject & { requestId: string };
  noteRejected(plan: Identified): void;
  noteExecuted(plan: Identified, result: PlanVerdict): void;
}

type Identified = Pick<Plan, "requestId">;
/** What replanning needs of an execution result. */
type PlanVerdict = Pick<ExecutionResult, "success" | "disabledSkills">;

/** What became of a plan: as much of `PlannedSoFar` as counts here. */
export type PlanFate =
  | { kind: "executed"; plan: Identified; result: PlanVerdict }
  | { kind: "rejected"; plan: Pick<RejectedPlan, "requestId"> };

export function createReplans(resting: readonly string[], before: readonly PlanFate[]): Replans {
  let generation = 1;
  let parentPlanId: string | null = null;
  let disabled = [...resting];

  function noteRejected({ requestId }: Identified): void {
    generation++;
    parentPlanId = requestId;
  }

  function noteExecuted(plan: Identified, result: PlanVerdict): void {
    // What failed in this turn stays disabled for all of it, whatever succeeds later.
    disabled = [...new Set([...disabled, ...result.disabledSkills])];
    if (result.success) {
      generation = 1;
      parentPlanId = null;
    } else {
      noteRejected(plan);
    }
  }

  for (const planned of before) {
    if (planned.kind === "executed") noteExecuted(planned.plan, planned.result);
    else noteRejected({ requestId: planned.plan.requestId ?? "" });
  }
  return {
    mayPlan: () => generation <= MOST_GENERATIONS,
    disabledSkills: () => disabled,
    stamp: (proposal, requestId) => ({
      ...(isJsonObject(proposal) ? proposal : { tools: null }),
      requestId,
      disabledSkills: disabled,
      metadata: { generationAttempt: generation, parentPlanId },
    }),
    noteRejected,
    noteExecuted,
  };
}
