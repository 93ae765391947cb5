/**
 * One turn: ask the narrator, validate its plan, execute it, ask again, until the narrator ends the turn or nothing
 * more can be tried; then it ends with template-based narration. Everything is written to the log as it happens.
 */
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { ExecutionResult } from "../../story/execution-result.ts";
import type { Plan } from "../../story/plan.ts";
import { noteOutcome, restingSkills, type HealthRecord } from "../../story/skill-health.ts";
import { mayRetry } from "../execution/attempt-tool.ts";
import { CancelReason, isOverPlanLimit, isShutdown } from "../execution/cancel-reason.ts";
import type { EventDraft } from "../../story/event.ts";
import { executePlan, type EarlierExecution, type ExecutionContext } from "../execution/execute-plan.ts";
import { fallbackNarration } from "./fallback-narration.ts";
import type { Narrator, NarratorAnswer, PlannedSoFar, StoryContext } from "../seams/narrator.ts";
import { planProblem } from "../../story/plan-problem.ts";
import { createReplans } from "./replans.ts";
import type { ToolSources } from "../mounts/resolve-tool.ts";
import { validatePlan, type PlanValidation } from "../execution/validate-plan.ts";

export interface TurnToRun {
  turnId: string;
  number: number;
  /** Null for the opening scene. */
  prompt: string | null;
  seed: number;
  narrator: Narrator;
  sources: ToolSources;
  /** What the narrator is told; the state is the context's, as it is at each question. */
  story: Omit<StoryContext, "state" | "seed">;
  health: HealthRecord;
  enabledSkills: ReadonlyMap<string, number>;
  context: ExecutionContext;
  /** Writes several events in one commit. */
  record(drafts: EventDraft[]): void;
  newId(): string;
  limits: { turnMs: number };
  /** What an interrupted turn had done already. */
  resumed: ResumedTurn;
}

export interface ResumedTurn {
  plans: readonly PlannedSoFar[];
  /** The plan that was running, with the tools that had finished, whatever came of them. */
  unfinished: ({ plan: Plan } & EarlierExecution) | null;
}

export const NOTHING_DONE: ResumedTurn = { plans: [], unfinished: null };

export type TurnEnding = "completed" | "cancelled" | "interrupted";

const MOST_PLANS = 20;
const MOST_EXECUTIONS = 3;

export async function runTurn(turn: TurnToRun, signal: AbortSignal): Promise<TurnEnding> {
  const { context } = turn;
  const plans: PlannedSoFar[] = [...turn.resumed.plans];
  const replans = createReplans(restingSkills(turn.health, turn.number, turn.enabledSkills), plans);
  let health = plans.reduce((record, planned) => noteOutcomes(record, planned, turn.number), turn.health);
  const overLimit = new AbortController();
  const { turnMs } = turn.limits;
  const startLimit = context.deadlines?.start ?? context.clock.after;
  const timer = startLimit(turnMs, () => overLimit.abort(new CancelReason("turn_timeout", turnMs)));
  const stop = AbortSignal.any([signal, overLimit.signal]);
  try {
    if (turn.resumed.unfinished !== null) {
      const { plan, ...earlier } = turn.resumed.unfinished;
      await runPlan(plan, earlier);
    }
    while (!stop.aborted && replans.mayPlan() && plans.length < MOST_PLANS) {
      const answer = await ask();
      if (answer === null) break;
      if (answer.kind === "end") return end(answer);
      await tryPlan(answer.plan);
    }
    if (isShutdown(signal)) return "interrupted";
    return signal.aborted ? endCancelled() : endWithFallback();
  } finally {
    timer.cancel();
  }

  /** Null when the narrator itself failed: the player must not notice more than a short answer. */
  async function ask(): Promise<NarratorAnswer | null> {
    const story = { ...turn.story, state: context.sizedState().value, seed: turn.seed };
    const { sessionId } = context;
    const question = {
      prompt: turn.prompt,
      context: story,
      disabledSkills: replans.disabledSkills(),
      plans,
      sessionId,
    };
    try {
      // Raced: a narrator that does not listen to the signal must not hold the player up.
      const answer = await Promise.race([turn.narrator.next(question, stop), rejectOnAbort(stop)]);
      if (answer.invocation !== undefined) await noteInvocation(answer.invocation);
      return answer;
    } catch (error) {
      if (!stop.aborted) await note("narrator_failed", error);
      return null;
    }
  }

  async function noteInvocation({ module, op, durationMs }: NonNullable<NarratorAnswer["invocation"]>): Promise<void> {
    const how = { module, status: "ok", duration_ms: Math.round(durationMs), data: { op } };
    await context.emit({ event: "module:invoke", component: "narrator", ...how });
  }

  async function tryPlan(proposal: unknown): Promise<void> {
    const stamped = replans.stamp(proposal, turn.newId());
    const checked = await askGates(validatePlan(stamped, turn.sources));
    if (checked.kind === "invalid") {
      plans.push({ kind: "rejected", plan: proposal, problems: checked.problems });
      replans.noteRejected(stamped);
      await context.emit({
        event: "plan:create",
        component: "narrator",
        status: "rejected",
        request_id: stamped.requestId,
        data: { plan: stamped as unknown as JsonObject, problems: checked.problems as unknown as Json },
      });
      return;
    }
    const skills = Object.fromEntries([...checked.tools].map(([toolId, tool]) => [toolId, tool.skill]));
    await context.emit({
      event: "plan:create",
      component: "narrator",
      status: "accepted",
      request_id: checked.plan.requestId,
      data: { plan: checked.plan as unknown as JsonObject, skills },
    });
    await runPlan(checked.plan, { settled: [], assets: [] });
  }

  /** A hook may refuse a valid plan, or change it: then it is checked anew, and what is the runtime's to say stays. */
  async function askGates(checked: PlanValidation): Promise<PlanValidation> {
    if (checked.kind === "invalid" || context.gate === undefined) return checked;
    const verdict = await context.gate("plan:create", { plan: checked.plan as unknown as JsonObject });
    if (verdict.kind === "deny") return { kind: "invalid", problems: [planProblem("DENIED", [], verdict.reason)] };
    const changed = verdict.data["plan"];
    if (changed === (checked.plan as unknown)) return checked;
    return validatePlan(replans.stamp(changed, checked.plan.requestId), turn.sources);
  }

  /** Executes a plan, and again where only luck was missing: then just what failed or was skipped. */
  async function runPlan(plan: Plan, before: EarlierExecution): Promise<void> {
    const checked = validatePlan(plan, turn.sources);
    if (checked.kind === "invalid") throw new Error(`a plan that was valid is not any more: ${plan.requestId}`);
    let earlier = before;
    let result: ExecutionResult;
    for (let execution = 1; ; execution++) {
      result = await executePlan(plan, checked.tools, context, stop, earlier);
      if (execution === MOST_EXECUTIONS || stop.aborted || !isWorthAnotherGo(plan, result)) break;
      earlier = { settled: result.toolResults.filter(({ ok }) => ok), assets: result.aggregatedAssets };
    }
    if (isShutdown(stop)) return;
    const planned = { kind: "executed", plan, result } as const;
    health = noteOutcomes(health, planned, turn.number);
    plans.push(planned);
    replans.noteExecuted(plan, result);
    const { success, failedTools, disabledSkills, executionTime } = result;
    await context.emit({
      event: "plan:end",
      component: "runtime",
      status: success ? "ok" : "error",
      duration_ms: Math.round(executionTime),
      request_id: plan.requestId,
      data: { success, failedTools, disabledSkills },
    });
  }

  function end(answer: Extract<NarratorAnswer, { kind: "end" }>): TurnEnding {
    const { narrative, choices, memory, ending } = answer;
    const remembered = {
      event: "context:set",
      component: "narrator",
      data: { key: "narrator", value: memory },
    } as const;
    const data = { narrative, choices: choices as unknown as Json, ...(ending !== undefined && { ending }) };
    return emitEnd("completed", data, [remembered]);
  }

  /** What the player could choose before is still what they can do. */
  function endCancelled(): TurnEnding {
    const choices = [...turn.story.choices];
    const notice = "You stopped this turn. What had happened by then has happened.";
    return emitEnd("cancelled", { narrative: "", choices: choices as unknown as Json, notice });
  }

  function endWithFallback(): TurnEnding {
    const { narrative, choices } = fallbackNarration(turn.prompt, turn.story.choices, turn.seed);
    const notice = overLimit.signal.aborted ? "This took longer than a turn may." : null;
    const data = { narrative, choices: choices as unknown as Json, fallback: true };
    return emitEnd("completed", notice === null ? data : { ...data, notice });
  }

  /** With what belongs to it in one commit: a turn that was interrupted has remembered nothing. */
  function emitEnd(status: TurnEnding, data: JsonObject, besides: EventDraft[] = []): TurnEnding {
    const record = { turnId: turn.turnId, ...data, health: health as unknown as Json };
    turn.record([...besides, { event: "turn:end", component: "runtime", status, data: record }]);
    return status;
  }

  async function note(code: string, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    const data = { op: "next" };
    const about = { event: "module:invoke", component: "narrator", module: "narrator", status: "error" } as const;
    await context.emit({ ...about, duration_ms: 0, data, error: { code, message } });
  }
}

/** A required tool timed out or crashed in a way that a retry could mend. */
function isWorthAnotherGo(plan: Plan, result: ExecutionResult): boolean {
  const required = new Set(plan.tools.filter((tool) => tool.required).map(({ toolId }) => toolId));
  const failed = result.toolResults.filter(({ toolId, ok }) => required.has(toolId) && !ok);
  const culprits = failed.filter(({ state }) => state !== "skipped");
  return (
    culprits.length > 0 &&
    culprits.every(({ errorDetail: error }) => {
      if (error === undefined || isOverPlanLimit(error) || !mayRetry(error)) return false;
      return error.category === "timeout" || error.category === "process_error";
    })
  );
}

/** Counts what the skills themselves did: not what was never started, nor what somebody stopped. */
function noteOutcomes(record: HealthRecord, planned: PlannedSoFar, turnNumber: number): HealthRecord {
  if (planned.kind === "rejected") return record;
  const ran = planned.result.toolResults.filter(
    ({ attempts, errorDetail }) => attempts.length > 0 && errorDetail?.code !== "CANCELLED",
  );
  return ran.reduce((health, { skill, ok }) => noteOutcome(health, skill, ok, turnNumber), record);
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
}
