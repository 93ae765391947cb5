/**
 * Executes a plan: start what may start, wait for the next to finish, until every tool has settled. The order is the
 * schedule's (`story/schedule.ts`), the work of one tool is `attempt-tool.ts`'s.
 */
import type { Json } from "@narratoria/tool/json";
import type { PlanTool } from "../../story/plan.ts";
import { resolveReferences } from "../../story/references.ts";
import { complete, createSchedule, isFinished, ready, skipUnstarted, start } from "../../story/schedule.ts";
import { followSignal } from "../seams/follow-signal.ts";
import type { PlanOrder, PlanScene } from "../seams/engine.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import { attemptTool } from "./attempt-tool.ts";
import { CancelReason, cancelMessage } from "./cancel-reason.ts";
import type { Means } from "./means.ts";

export async function executePlan(
  order: PlanOrder,
  scene: PlanScene,
  means: Means,
  signal: AbortSignal,
): Promise<void> {
  const { plan, tools, settled } = order;
  const { log, results } = order.record;
  const completed = [...settled].filter((toolId) => results.tool(toolId).ok);
  const schedule = createSchedule(plan, means.mostAtOnce, new Set(completed));
  /** A tool that has settled may still be writing down which others it made skip. */
  let underWay = 0;
  let wake = (): void => {};
  let failure: { error: unknown } | null = null;
  const following = followSignal(signal);
  const stop = following.signal;
  const limitMs = plan.timeoutMs ?? means.limits.planMs;
  const timer = scene.clocks.plans.after(limitMs, () => following.abort(new CancelReason("plan_timeout", limitMs)));
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
  following.letGo();
  if (failure !== null) throw (failure as { error: unknown }).error;

  async function runTool(tool: PlanTool): Promise<void> {
    underWay++;
    try {
      if (!settled.has(tool.toolId)) await attempt(tool);
    } catch (error) {
      fail(error);
    }
    const { state } = results.tool(tool.toolId);
    const skipped = complete(schedule, tool.toolId, state === "completed" || state === "timeout" ? state : "failed");
    await skipAll(skipped, `skipped because ${tool.toolId} did not complete`);
    underWay--;
    wake();
  }

  /** Not a tool's doing but ours (a full disk, a bug): nothing more starts, and the caller hears of it. */
  function fail(error: unknown): void {
    failure ??= { error };
    following.abort(error);
  }

  async function attempt(tool: PlanTool): Promise<void> {
    const outputs = outputsOf(tool);
    const input = resolveReferences(tool.input, outputs);
    const dependencies = Object.fromEntries(outputs);
    const resolved = tools.get(tool.toolId) as ResolvedTool;
    await attemptTool({ planId: plan.requestId, tool, resolved, input, dependencies, log }, means, scene, stop);
  }

  async function skipAll(toolIds: readonly string[], reason: string): Promise<void> {
    for (const toolId of toolIds) {
      const skill = tools.get(toolId)?.skill ?? toolId;
      const data = { toolId, skill, attempt: 0, reason };
      const about = { component: "runtime", status: "skipped", request_id: plan.requestId } as const;
      try {
        await log.emit({ event: "tool:end", data, ...about });
      } catch (error) {
        fail(error);
      }
    }
  }

  function outputsOf(tool: PlanTool): Map<string, Json> {
    return new Map(
      tool.dependencies.map((id) => {
        const result = results.tool(id);
        return [id, result.ok ? result.output : null];
      }),
    );
  }
}
