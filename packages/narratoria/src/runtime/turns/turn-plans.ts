/**
 * The plans of one turn: each is checked, put before the gates, written down, executed, and remembered for the next
 * question to the narrator. `replans.ts` counts them; `turn.ts` decides when there is another.
 */
import type { ExecutionResult } from "../../story/execution-result.ts";
import { createResultFold, type ResultFold } from "../../story/fold-result.ts";
import type { Plan } from "../../story/plan.ts";
import { planProblem, type PlanProblem } from "../../story/plan-problem.ts";
import { noteOutcome, restingSkills, type HealthRecord } from "../../story/skill-health.ts";
import { mayRetry } from "../execution/attempt-tool.ts";
import { isOverPlanLimit, isShutdown } from "../execution/cancel-reason.ts";
import { keepRecord } from "../execution/event-log.ts";
import { endPlan } from "../execution/execute-once.ts";
import { planAsJson, validatePlan, type PlanValidation } from "../execution/validate-plan.ts";
import type { ToolSources } from "../mounts/resolve-tool.ts";
import type { Engine, EventWriter, PlanOrder, PlanScene } from "../seams/engine.ts";
import type { PlannedSoFar } from "../seams/narrator.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import type { PlanningSoFar } from "./ask-narrator.ts";
import { createReplans } from "./replans.ts";
import type { TurnStart, UnfinishedPlan } from "./turn-start.ts";

export interface TurnPlans {
  soFar(): PlanningSoFar;
  /** How the skills are doing after all that was executed. */
  health(): HealthRecord;
  /** Whether another plan may be tried. */
  mayPlan(): boolean;
  /** Tries what the narrator proposes: plan JSON, not yet trusted. */
  attempt(proposal: unknown): Promise<void>;
  /** Goes on with a plan that was interrupted: what had finished, whatever came of it, is not run again. */
  resume(unfinished: UnfinishedPlan): Promise<void>;
}

/** What plans can use, and how it did so far. */
export interface SkillsAtHand {
  readonly sources: ToolSources;
  readonly health: HealthRecord;
  readonly enabledSkills: ReadonlyMap<string, number>;
}

export interface PlanMeans {
  readonly engine: Engine;
  newId(): string;
}

const MOST_PLANS = 20;
const MOST_EXECUTIONS = 3;

export function createTurnPlans(
  { number, resumed }: Pick<TurnStart, "number" | "resumed">,
  { sources, health: healthBefore, enabledSkills }: SkillsAtHand,
  { engine, newId }: PlanMeans,
  log: EventWriter,
  scene: PlanScene,
  stop: AbortSignal,
): TurnPlans {
  const plans: PlannedSoFar[] = [...resumed.plans];
  const replans = createReplans(restingSkills(healthBefore, number, enabledSkills), plans);
  let health = plans.reduce((record, planned) => noteOutcomes(record, planned, number), healthBefore);

  async function attempt(proposal: unknown): Promise<void> {
    const stamped = replans.stamp(proposal, newId());
    const checked = await gatePlan(validatePlan(stamped, sources));
    const about = { event: "plan:create", component: "narrator" } as const;
    if (checked.kind === "invalid") {
      plans.push({ kind: "rejected", plan: stamped, problems: checked.problems });
      replans.noteRejected(stamped);
      const data = { plan: stamped, problems: checked.problems };
      await log.emit({ ...about, status: "rejected", request_id: stamped.requestId, data });
      return;
    }
    const { plan, tools } = checked;
    const skills = Object.fromEntries([...tools].map(([toolId, tool]) => [toolId, tool.skill]));
    await log.emit({ ...about, status: "accepted", request_id: plan.requestId, data: { plan, skills } });
    await runPlan(plan, tools, createResultFold(plan, skills), new Set());
  }

  /** A hook may refuse a valid plan, or change it: then it is checked anew, and what is the runtime's to say stays. */
  async function gatePlan(checked: PlanValidation): Promise<PlanValidation> {
    if (checked.kind === "invalid") return checked;
    const { plan } = checked;
    const verdict = await scene.consent.gate({ event: "plan:create", describe: () => ({ plan: planAsJson(plan) }) });
    if (verdict.kind === "deny") return { kind: "invalid", problems: [planProblem("DENIED", [], verdict.reason)] };
    if (verdict.changed === null) return checked;
    return validatePlan(replans.stamp(verdict.changed["plan"], plan.requestId), sources);
  }

  async function resume({ plan, results }: UnfinishedPlan): Promise<void> {
    const toolIds = plan.tools.map(({ toolId }) => toolId);
    const finished = new Set(toolIds.filter((toolId) => results.hasFinished(toolId)));
    const checked = validatePlan(plan, sources);
    if (checked.kind === "valid") return runPlan(plan, checked.tools, results, finished);
    const unfinished = toolIds.filter((toolId) => !finished.has(toolId));
    return abandonPlan(plan, results, unfinished, checked.problems);
  }

  /** Since it was interrupted the story has changed: what was not done will not be, and the narrator hears of it. */
  async function abandonPlan(
    plan: Plan,
    results: ResultFold,
    unfinished: readonly string[],
    problems: readonly PlanProblem[],
  ): Promise<void> {
    const began = scene.clocks.plans.elapsed();
    const record = keepRecord(results, log);
    const reason = `the plan cannot go on: ${problems.map(({ message }) => message).join("; ")}`;
    const about = { component: "runtime", status: "skipped", request_id: plan.requestId } as const;
    for (const toolId of unfinished) {
      const data = { toolId, skill: results.tool(toolId).skill, attempt: 0, reason };
      await record.log.emit({ event: "tool:end", data, ...about });
    }
    await concludePlan({ plan, tools: new Map(), settled: new Set(), record }, began);
  }

  /** Executes a plan, and again where only luck was missing: then just what failed or was skipped. */
  async function runPlan(
    plan: Plan,
    tools: ReadonlyMap<string, ResolvedTool>,
    results: ResultFold,
    finished: ReadonlySet<string>,
  ): Promise<void> {
    const began = scene.clocks.plans.elapsed();
    const record = keepRecord(results, log);
    let settled = finished;
    for (let execution = 1; ; execution++) {
      await engine.execute({ plan, tools, settled, record }, scene, stop);
      const result = results.result(scene.state().value);
      if (execution === MOST_EXECUTIONS || stop.aborted || !isWorthAnotherGo(plan, result)) break;
      settled = new Set(result.toolResults.filter(({ ok }) => ok).map(({ toolId }) => toolId));
    }
    if (isShutdown(stop)) return;
    await concludePlan({ plan, tools, settled, record }, began);
  }

  async function concludePlan(order: PlanOrder, began: number): Promise<void> {
    const { plan } = order;
    const result = await endPlan(order, scene, began, stop);
    const planned = { kind: "executed", plan, result } as const;
    health = noteOutcomes(health, planned, number);
    plans.push(planned);
    replans.noteExecuted(plan, result);
  }

  return {
    soFar: () => ({ plans, disabledSkills: replans.disabledSkills() }),
    health: () => health,
    mayPlan: () => replans.mayPlan() && plans.length < MOST_PLANS,
    attempt,
    resume,
  };
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
    ({ attempts, state, errorDetail }) =>
      attempts.length > 0 && state !== "skipped" && errorDetail?.code !== "CANCELLED",
  );
  return ran.reduce((health, { skill, ok }) => noteOutcome(health, skill, ok, turnNumber), record);
}
