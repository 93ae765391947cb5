/**
 * One turn: ask the narrator, validate its plan, execute it, ask again, until the narrator ends the turn or nothing
 * more can be tried; then it ends with template-based narration. Everything is written to the log as it happens.
 */
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { ExecutionResult } from "../story/execution-result.ts";
import type { Plan } from "../story/plan.ts";
import { noteOutcome, restingSkills, type HealthRecord } from "../story/skill-health.ts";
import { CancelReason, isShutdown } from "./cancel-reason.ts";
import { executePlan, type ExecutionContext } from "./execute-plan.ts";
import { fallbackNarration } from "./fallback-narration.ts";
import type { Narrator, NarratorAnswer, PlannedSoFar, StoryContext } from "./narrator.ts";
import { createReplans } from "./replans.ts";
import type { ToolSources } from "./resolve-tool.ts";
import { validatePlan } from "./validate-plan.ts";

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
  context: ExecutionContext;
  newId(): string;
  limits: { turnMs: number };
  /** What an interrupted turn had done already. */
  resumed: ResumedTurn;
}

export interface ResumedTurn {
  plans: readonly PlannedSoFar[];
  /** The plan that was running, with the results of the tools that had finished. */
  unfinished: { plan: Plan; settled: ExecutionResult["toolResults"] } | null;
}

export const NOTHING_DONE: ResumedTurn = { plans: [], unfinished: null };

export type TurnEnding = "completed" | "cancelled" | "interrupted";

const MOST_PLANS = 20;
const MOST_EXECUTIONS = 3;

export async function runTurn(turn: TurnToRun, signal: AbortSignal): Promise<TurnEnding> {
  const { context } = turn;
  const plans: PlannedSoFar[] = [...turn.resumed.plans];
  const replans = createReplans(restingSkills(turn.health, turn.number), plans);
  let { health } = turn;
  const overLimit = new AbortController();
  const { turnMs } = turn.limits;
  const startLimit = context.deadlines?.start ?? context.clock.after;
  const timer = startLimit(turnMs, () => overLimit.abort(new CancelReason("turn_timeout", turnMs)));
  const stop = AbortSignal.any([signal, overLimit.signal]);
  try {
    if (turn.resumed.unfinished !== null) {
      const { plan, settled } = turn.resumed.unfinished;
      await runPlan(plan, settled);
    }
    while (!stop.aborted && replans.mayPlan() && plans.length < MOST_PLANS) {
      const answer = await ask();
      if (answer === null) break;
      if (answer.kind === "end") return await end(answer);
      await tryPlan(answer.plan);
    }
    if (isShutdown(signal)) return "interrupted";
    return signal.aborted ? await endCancelled() : await endWithFallback();
  } finally {
    timer.cancel();
  }

  /** Null when the narrator itself failed: the player must not notice more than a short answer. */
  async function ask(): Promise<NarratorAnswer | null> {
    const story = { ...turn.story, state: context.sizedState().value, seed: turn.seed };
    const question = { prompt: turn.prompt, context: story, disabledSkills: replans.disabledSkills(), plans };
    try {
      return await turn.narrator.next(question, stop);
    } catch (error) {
      if (!stop.aborted) await note("narrator_failed", error);
      return null;
    }
  }

  async function tryPlan(proposal: unknown): Promise<void> {
    const stamped = replans.stamp(proposal, turn.newId());
    const checked = validatePlan(stamped, turn.sources);
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
    await runPlan(checked.plan, []);
  }

  /** Executes a plan, and again where only luck was missing: then just what failed or was skipped. */
  async function runPlan(plan: Plan, settled: ExecutionResult["toolResults"]): Promise<void> {
    const checked = validatePlan(plan, turn.sources);
    if (checked.kind === "invalid") throw new Error(`a plan that was valid is not any more: ${plan.requestId}`);
    let done = settled;
    let result: ExecutionResult;
    for (let execution = 1; ; execution++) {
      result = await executePlan(plan, checked.tools, context, stop, done);
      if (execution === MOST_EXECUTIONS || stop.aborted || !isWorthAnotherGo(plan, result)) break;
      done = result.toolResults.filter(({ ok }) => ok);
    }
    if (isShutdown(stop)) return;
    for (const tool of result.toolResults) {
      if (tool.state !== "skipped") health = noteOutcome(health, tool.skill, tool.ok, turn.number);
    }
    plans.push({ kind: "executed", plan, result });
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

  async function end(answer: Extract<NarratorAnswer, { kind: "end" }>): Promise<TurnEnding> {
    const { narrative, choices, memory, ending } = answer;
    await context.emit({ event: "context:set", component: "narrator", data: { key: "narrator", value: memory } });
    return emitEnd("completed", { narrative, choices: choices as unknown as Json, ...(ending !== undefined && { ending }) });
  }

  /** What the player could choose before is still what they can do. */
  async function endCancelled(): Promise<TurnEnding> {
    const choices = [...turn.story.choices];
    const notice = "You stopped this turn. What had happened by then has happened.";
    return emitEnd("cancelled", { narrative: "", choices: choices as unknown as Json, notice });
  }

  async function endWithFallback(): Promise<TurnEnding> {
    const { narrative, choices } = fallbackNarration(turn.prompt, turn.story.choices, turn.seed);
    const notice = overLimit.signal.aborted ? "This took longer than a turn may." : null;
    const data = { narrative, choices: choices as unknown as Json, fallback: true };
    return emitEnd("completed", notice === null ? data : { ...data, notice });
  }

  async function emitEnd(status: TurnEnding, data: JsonObject): Promise<TurnEnding> {
    const record = { turnId: turn.turnId, ...data, health: health as unknown as Json };
    await context.emit({ event: "turn:end", component: "runtime", status, data: record });
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
    culprits.every(({ errorDetail }) => {
      const { category, code } = errorDetail ?? {};
      if (code === "SPAWN_FAILED" || code === "LINGERED" || code === "CANCELLED") return false;
      return category === "timeout" || category === "process_error";
    })
  );
}
