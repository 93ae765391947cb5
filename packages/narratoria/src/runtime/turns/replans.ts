/** The bookkeeping of a turn's plans: how many replans there were, of which plan, and what they must do without. */
import { isJsonObject, type JsonObject } from "@narratoria/tool/json";
import type { ExecutionResult } from "../../story/execution-result.ts";
import { MOST_GENERATIONS, type Plan } from "../../story/plan.ts";
import type { PlannedSoFar } from "../seams/narrator.ts";

export interface Replans {
  mayPlan(): boolean;
  disabledSkills(): string[];
  /** The narrator's plan with what is the runtime's to say. */
  stamp(proposal: unknown, requestId: string): JsonObject & { requestId: string };
  noteRejected(plan: { requestId: string }): void;
  noteExecuted(plan: Plan, result: ExecutionResult): void;
}

export function createReplans(resting: readonly string[], before: readonly PlannedSoFar[]): Replans {
  let generation = 1;
  let parentPlanId: string | null = null;
  let disabled = [...resting];

  function noteRejected({ requestId }: { requestId: string }): void {
    generation++;
    parentPlanId = requestId;
  }

  function noteExecuted(plan: Plan, result: ExecutionResult): void {
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
    else noteRejected(planned.plan as { requestId: string });
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
