/** Executes a plan once and writes down how it ended: what `narratoria run` does. A turn may execute a plan again. */
import type { ExecutionResult } from "../../story/execution-result.ts";
import type { Engine, PlanOrder, PlanScene } from "../seams/engine.ts";

export async function executeOnce(
  order: PlanOrder,
  scene: PlanScene,
  engine: Engine,
  signal: AbortSignal,
): Promise<ExecutionResult> {
  const began = scene.clocks.plans.elapsed();
  await engine.execute(order, scene, signal);
  return endPlan(order, scene, began, signal);
}

/** `plan:end`, and the result that it completes. */
export async function endPlan(
  { plan, record: { log, results } }: PlanOrder,
  scene: PlanScene,
  began: number,
  signal: AbortSignal,
): Promise<ExecutionResult> {
  const { success, failedTools, disabledSkills } = results.result(scene.state().value);
  await log.emit({
    event: "plan:end",
    component: "runtime",
    status: success ? "ok" : "error",
    duration_ms: Math.round(scene.clocks.plans.elapsed() - began),
    request_id: plan.requestId,
    data: { success, failedTools, disabledSkills, cancelled: signal.aborted },
  });
  return results.result(scene.state().value);
}
