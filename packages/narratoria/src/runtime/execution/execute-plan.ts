/**
 * Executes a plan: start what may start, wait for the next to finish, until every tool has settled. The order is the
 * schedule's (`story/schedule.ts`), the work of one tool is `attempt-tool.ts`'s.
 */
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { AssetRecord, ExecutionResult, ToolResult } from "../../story/execution-result.ts";
import { MOST_GENERATIONS, type Plan, type PlanTool } from "../../story/plan.ts";
import { resolveReferences } from "../../story/references.ts";
import { complete, createSchedule, isFinished, ready, skipUnstarted, start } from "../../story/schedule.ts";
import type { AssetStore } from "../seams/assets.ts";
import { attemptTool, skippedResult } from "./attempt-tool.ts";
import { CancelReason, cancelMessage } from "./cancel-reason.ts";
import type { Clock } from "../seams/clock.ts";
import type { EventDraft } from "../../story/event.ts";
import type { Deadlines } from "./deadlines.ts";
import type { Gated, Verdict } from "../policy/hooks.ts";
import type { PermissionRequest } from "../policy/permissions.ts";
import type { Policy } from "../policy/policy.ts";
import type { SizedState } from "./refuse-patch.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import type { SandboxLevel } from "../../story/execution-result.ts";
import type { Slots } from "./slots.ts";
import type { ToolRunner } from "../seams/tool-runner.ts";

export interface ExecutionContext {
  storyDir: string;
  storyTitle?: string | undefined;
  /** The session the plan belongs to, where there is one. */
  sessionId?: string;
  runner: ToolRunner;
  assets: AssetStore;
  slots: Slots;
  clock: Clock;
  limits: { toolMs: number; planMs: number };
  /** Writes to the log; a promise asks to wait until it is written. */
  emit(draft: EventDraft): void | Promise<void>;
  /** Writes log lines of one attempt, as printed, in one go; where it is missing each is an event of its own. */
  emitLines?(draft: EventDraft, lines: string[], progress: number | null): void | Promise<void>;
  /** The session state as it is now. */
  sizedState(): SizedState;
  policy: Policy;
  /** Asks whoever can be asked for what the policy does not grant; where it is missing the answer is no. */
  permit?(request: PermissionRequest): Promise<"allow" | "deny">;
  /** Limits that stand still while somebody is asked. */
  deadlines?: Deadlines;
  sandboxLevel: SandboxLevel;
  /** Asks the hooks that have a say; where it is missing nobody has. */
  gate?(event: Gated, data: JsonObject): Promise<Verdict>;
  /** For attempts; random ones where it is missing. */
  newId?(): string;
}

/** What an earlier execution of the same plan left. */
export interface EarlierExecution {
  /** The tools that are not to run again. */
  settled: readonly ToolResult[];
  assets: readonly AssetRecord[];
}

export async function executePlan(
  plan: Plan,
  tools: ReadonlyMap<string, ResolvedTool>,
  context: ExecutionContext,
  signal: AbortSignal,
  earlier: EarlierExecution = { settled: [], assets: [] },
): Promise<ExecutionResult> {
  const began = context.clock.elapsed();
  const results = new Map(earlier.settled.map((result) => [result.toolId, result]));
  const completed = earlier.settled.filter(({ ok }) => ok).map(({ toolId }) => toolId);
  const schedule = createSchedule(plan, context.slots.count, new Set(completed));
  const assets: AssetRecord[] = [...earlier.assets];
  /** A tool that has settled may still be writing down which others it made skip. */
  let underWay = 0;
  let wake = (): void => {};
  let failure: { error: unknown } | null = null;
  const overLimit = new AbortController();
  const limitMs = plan.timeoutMs ?? context.limits.planMs;
  const startLimit = context.deadlines?.start ?? context.clock.after;
  const timer = startLimit(limitMs, () => overLimit.abort(new CancelReason("plan_timeout", limitMs)));
  const stop = AbortSignal.any([signal, overLimit.signal]);
  stop.addEventListener("abort", () => wake());

  for (;;) {
    if (stop.aborted) await skipAll(skipUnstarted(schedule), cancelMessage(stop.reason));
    for (let tool = ready(schedule); tool !== null; tool = ready(schedule)) {
      start(schedule, tool.toolId);
      void runTool(tool);
    }
    if (isFinished(schedule) && underWay === 0) break;
    await new Promise<void>((next) => (wake = next));
  }
  timer.cancel();
  if (failure !== null) throw (failure as { error: unknown }).error;
  return toExecutionResult();

  async function runTool(tool: PlanTool): Promise<void> {
    underWay++;
    try {
      if (!results.has(tool.toolId)) await attempt(tool);
    } catch (error) {
      fail(error);
    }
    const state = results.get(tool.toolId)?.state;
    const skipped = complete(schedule, tool.toolId, state === "completed" || state === "timeout" ? state : "failed");
    await skipAll(skipped, `skipped because ${tool.toolId} did not complete`);
    underWay--;
    wake();
  }

  /** Not a tool's doing but ours (a full disk, a bug): nothing more starts, and the caller hears of it. */
  function fail(error: unknown): void {
    failure ??= { error };
    overLimit.abort(error);
  }

  async function attempt(tool: PlanTool): Promise<void> {
    const outputs = outputsOf(tool);
    const input = resolveReferences(tool.input, outputs);
    const dependencies = Object.fromEntries(outputs);
    const resolved = tools.get(tool.toolId) as ResolvedTool;
    const job = { planId: plan.requestId, tool, resolved, input, dependencies };
    const attempts = await attemptTool(job, context, stop);
    results.set(tool.toolId, attempts.result);
    assets.push(...attempts.assets);
  }

  async function skipAll(toolIds: string[], reason: string): Promise<void> {
    for (const toolId of toolIds) {
      const skill = tools.get(toolId)?.skill ?? toolId;
      results.set(toolId, skippedResult(toolId, skill, reason));
      try {
        const data = { toolId, skill, attempt: 0, reason };
        await context.emit({
          event: "tool:end",
          component: "runtime",
          status: "skipped",
          data,
          request_id: plan.requestId,
        });
      } catch (error) {
        fail(error);
      }
    }
  }

  function outputsOf(tool: PlanTool): Map<string, Json> {
    return new Map(
      tool.dependencies.map((id) => {
        const result = results.get(id);
        return [id, result?.ok ? result.output : null];
      }),
    );
  }

  /** What the next plan should do without. */
  function failedRequiredSkills(): string[] {
    const failed = plan.tools.filter(({ toolId, required }) => required && hasFailed(results.get(toolId)));
    return failed.map(({ toolId }) => tools.get(toolId)?.skill ?? toolId);
  }

  function toExecutionResult(): ExecutionResult {
    const toolResults = plan.tools.map(({ toolId }) => results.get(toolId) as ToolResult);
    const success = plan.tools.every((tool) => !tool.required || results.get(tool.toolId)?.ok === true);
    const { generationAttempt } = plan.metadata;
    const byTool = Map.groupBy(assets, ({ toolId }) => toolId);
    return {
      planId: plan.requestId,
      success,
      narrative: plan.narrative,
      executionTime: context.clock.elapsed() - began,
      toolResults,
      failedTools: toolResults.filter(hasFailed).map(({ toolId }) => toolId),
      generationAttempt,
      canReplan: !success && generationAttempt < MOST_GENERATIONS && !signal.aborted,
      disabledSkills: [...new Set([...plan.disabledSkills, ...failedRequiredSkills()])],
      aggregatedState: context.sizedState().value,
      aggregatedAssets: plan.tools.flatMap(({ toolId }) => byTool.get(toolId) ?? []),
    };
  }
}

function hasFailed(result: ToolResult | undefined): boolean {
  return result?.state === "failed" || result?.state === "timeout";
}
