/**
 * One turn: ask the narrator, validate its plan, execute it, ask again, until the narrator ends the turn or nothing
 * more can be tried; then it ends with template-based narration. Everything is written to the log as it happens.
 */
import type { DraftOf, EventDraft } from "../../story/event.ts";
import type { ExecutionResult } from "../../story/execution-result.ts";
import { createResultFold, type ResultFold } from "../../story/fold-result.ts";
import type { Plan } from "../../story/plan.ts";
import { planProblem } from "../../story/plan-problem.ts";
import { NARRATOR_MEMORY } from "../../story/session-state.ts";
import { noteOutcome, restingSkills, type HealthRecord } from "../../story/skill-health.ts";
import { mayRetry } from "../execution/attempt-tool.ts";
import { CancelReason, isOverPlanLimit, isShutdown } from "../execution/cancel-reason.ts";
import { foldingInto } from "../execution/event-log.ts";
import { endPlan } from "../execution/execute-once.ts";
import { planAsJson, validatePlan, type PlanValidation } from "../execution/validate-plan.ts";
import type { ToolSources } from "../mounts/resolve-tool.ts";
import type { Engine, PlanScene } from "../seams/engine.ts";
import type { Narrator, NarratorAnswer, NarratorTool, PlannedSoFar, StoryContext } from "../seams/narrator.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import { fallbackNarration } from "./fallback-narration.ts";
import { createReplans } from "./replans.ts";

export interface TurnToRun {
  readonly turnId: string;
  readonly number: number;
  /** Null for the opening scene. */
  readonly prompt: string | null;
  readonly seed: number;
  readonly narrator: Narrator;
  readonly sources: ToolSources;
  /** What the narrator is told; the state is the scene's, as it is at each question. */
  readonly told: Omit<StoryContext, "state" | "seed">;
  readonly health: HealthRecord;
  readonly enabledSkills: ReadonlyMap<string, number>;
  readonly turnMs: number;
  /** What an interrupted turn had done already. */
  readonly resumed: ResumedTurn;
  /** Writes several events in one commit. */
  append(drafts: readonly EventDraft[]): void;
  /** What the player has read of this turn. */
  toldSoFar(): readonly string[];
  describeTools(signal: AbortSignal): Promise<readonly NarratorTool[]>;
  newId(): string;
}

export interface ResumedTurn {
  readonly plans: readonly PlannedSoFar[];
  /** The plan that was running, and what had become of it. */
  readonly unfinished: { readonly plan: Plan; readonly results: ResultFold } | null;
}

export const NOTHING_DONE: ResumedTurn = { plans: [], unfinished: null };

export type TurnEnding = "completed" | "cancelled" | "interrupted" | "failed";

const MOST_PLANS = 20;
const MOST_EXECUTIONS = 3;

export async function runTurn(
  turn: TurnToRun,
  engine: Engine,
  scene: PlanScene,
  signal: AbortSignal,
): Promise<TurnEnding> {
  const plans: PlannedSoFar[] = [...turn.resumed.plans];
  const replans = createReplans(restingSkills(turn.health, turn.number, turn.enabledSkills), plans);
  let health = plans.reduce((record, planned) => noteOutcomes(record, planned, turn.number), turn.health);
  const overLimit = new AbortController();
  const { turnMs } = turn;
  const timer = scene.deadlines.start(turnMs, () => overLimit.abort(new CancelReason("turn_timeout", turnMs)));
  const stop = AbortSignal.any([signal, overLimit.signal]);
  try {
    if (turn.resumed.unfinished !== null) await resumePlan(turn.resumed.unfinished);
    while (!stop.aborted && replans.mayPlan() && plans.length < MOST_PLANS) {
      const answer = await askNarrator();
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
  async function askNarrator(): Promise<NarratorAnswer | null> {
    const question = {
      prompt: turn.prompt,
      context: { ...turn.told, state: scene.state().value, seed: turn.seed },
      disabledSkills: replans.disabledSkills(),
      plans,
      told: turn.toldSoFar(),
      sessionId: scene.whose.sessionId,
    };
    const stage = { tell, tools: () => turn.describeTools(stop) };
    try {
      // Raced: a narrator that does not listen to the signal must not hold the player up.
      const answer = await Promise.race([turn.narrator.next(question, stage, stop), rejectOnAbort(stop)]);
      if (answer.invocation !== undefined) await noteInvocation(answer.invocation);
      if (answer.failure !== undefined && !stop.aborted) await noteFailure(answer.failure);
      return answer;
    } catch (error) {
      if (!stop.aborted) await noteFailure(error);
      return null;
    }
  }

  async function tell(text: string): Promise<void> {
    if (stop.aborted || text === "") return;
    await scene.log.emit({ event: "turn:tell", component: "narrator", data: { turnId: turn.turnId, text } });
  }

  async function noteInvocation({ module, op, durationMs }: NonNullable<NarratorAnswer["invocation"]>): Promise<void> {
    const how = { module, status: "ok", duration_ms: Math.round(durationMs), data: { op } } as const;
    await scene.log.emit({ event: "module:invoke", component: "narrator", ...how });
  }

  async function noteFailure(error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    const how = { module: "narrator", status: "error", duration_ms: 0, data: { op: "next" } } as const;
    const failure = { code: "narrator_failed", message };
    await scene.log.emit({ event: "module:invoke", component: "narrator", ...how, error: failure });
  }

  async function tryPlan(proposal: unknown): Promise<void> {
    const stamped = replans.stamp(proposal, turn.newId());
    const checked = await gatePlan(validatePlan(stamped, turn.sources));
    const about = { event: "plan:create", component: "narrator" } as const;
    if (checked.kind === "invalid") {
      plans.push({ kind: "rejected", plan: stamped, problems: checked.problems });
      replans.noteRejected(stamped);
      const data = { plan: stamped, problems: checked.problems };
      await scene.log.emit({ ...about, status: "rejected", request_id: stamped.requestId, data });
      return;
    }
    const { plan, tools } = checked;
    const skills = Object.fromEntries([...tools].map(([toolId, tool]) => [toolId, tool.skill]));
    await scene.log.emit({ ...about, status: "accepted", request_id: plan.requestId, data: { plan, skills } });
    await runPlan(plan, tools, createResultFold(plan, skills), new Set());
  }

  /** A hook may refuse a valid plan, or change it: then it is checked anew, and what is the runtime's to say stays. */
  async function gatePlan(checked: PlanValidation): Promise<PlanValidation> {
    if (checked.kind === "invalid") return checked;
    const { plan } = checked;
    const verdict = await scene.consent.gate({ event: "plan:create", describe: () => ({ plan: planAsJson(plan) }) });
    if (verdict.kind === "deny") return { kind: "invalid", problems: [planProblem("DENIED", [], verdict.reason)] };
    if (verdict.changed === null) return checked;
    return validatePlan(replans.stamp(verdict.changed["plan"], plan.requestId), turn.sources);
  }

  /** What had finished, whatever came of it, is not run again. */
  async function resumePlan({ plan, results }: NonNullable<ResumedTurn["unfinished"]>): Promise<void> {
    const checked = validatePlan(plan, turn.sources);
    if (checked.kind === "invalid") throw new Error(`a plan that was valid is not any more: ${plan.requestId}`);
    const finished = plan.tools.map(({ toolId }) => toolId).filter((toolId) => results.hasFinished(toolId));
    await runPlan(plan, checked.tools, results, new Set(finished));
  }

  /** Executes a plan, and again where only luck was missing: then just what failed or was skipped. */
  async function runPlan(
    plan: Plan,
    tools: ReadonlyMap<string, ResolvedTool>,
    results: ResultFold,
    finished: ReadonlySet<string>,
  ): Promise<void> {
    const began = scene.deadlines.elapsed();
    const folding = { ...scene, log: foldingInto(results, scene.log) };
    let settled = finished;
    for (let execution = 1; ; execution++) {
      await engine.execute({ plan, tools, settled, results }, folding, stop);
      const result = results.result(scene.state().value);
      if (execution === MOST_EXECUTIONS || stop.aborted || !isWorthAnotherGo(plan, result)) break;
      settled = new Set(result.toolResults.filter(({ ok }) => ok).map(({ toolId }) => toolId));
    }
    if (isShutdown(stop)) return;
    const result = await endPlan({ plan, tools, settled, results }, folding, began, stop);
    const planned = { kind: "executed", plan, result } as const;
    health = noteOutcomes(health, planned, turn.number);
    plans.push(planned);
    replans.noteExecuted(plan, result);
  }

  function end(answer: Extract<NarratorAnswer, { kind: "end" }>): TurnEnding {
    const { narrative, choices, memory, ending } = answer;
    const remembered: DraftOf<"context:set"> = {
      event: "context:set",
      component: "narrator",
      data: { key: NARRATOR_MEMORY, value: memory },
    };
    return emitEnd("completed", { narrative, choices, ...(ending !== undefined && { ending }) }, [remembered]);
  }

  /** What the player could choose before is still what they can do. */
  function endCancelled(): TurnEnding {
    const notice = "You stopped this turn. What had happened by then has happened.";
    return emitEnd("cancelled", { narrative: "", choices: [...turn.told.choices], notice });
  }

  function endWithFallback(): TurnEnding {
    const { narrative, choices } = fallbackNarration(turn.prompt, turn.told.choices, turn.seed);
    const notice = overLimit.signal.aborted ? "This took longer than a turn may." : null;
    return emitEnd("completed", { narrative, choices, fallback: true, ...(notice !== null && { notice }) });
  }

  /** With what belongs to it in one commit: a turn that was interrupted has remembered nothing. */
  function emitEnd(
    status: "completed" | "cancelled",
    data: Omit<DraftOf<"turn:end">["data"], "turnId" | "health">,
    besides: EventDraft[] = [],
  ): TurnEnding {
    const record = { turnId: turn.turnId, ...data, health: { ...health } };
    turn.append([...besides, { event: "turn:end", component: "runtime", status, data: record }]);
    return status;
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
