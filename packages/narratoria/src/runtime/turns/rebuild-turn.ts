/** What a turn had planned and done, read back from its events: to resume it, and to show it as execution results. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import type { ToolEvent } from "@narratoria/tool/protocol";
import type { NarratoriaEvent } from "../../story/event.ts";
import type {
  AssetRecord,
  AttemptRecord,
  ErrorDetail,
  ExecutionResult,
  ToolResult,
} from "../../story/execution-result.ts";
import { composePatches, mergePatch } from "../../story/merge-patch.ts";
import { MOST_GENERATIONS, type Plan } from "../../story/plan.ts";
import type { PlanProblem } from "../../story/plan-problem.ts";
import { skippedResult } from "../execution/attempt-tool.ts";
import { patchOf } from "../../story/event.ts";
import type { PlannedSoFar } from "../seams/narrator.ts";
import type { ResumedTurn } from "./turn.ts";

/** `events` are without log lines, which a result only counts here: `countLogs` tells how many an attempt has. */
export function rebuildTurn(
  events: readonly NarratoriaEvent[],
  stateAtStart: JsonObject,
  countLogs: (spanId: string) => number,
): ResumedTurn {
  const plans: PlannedSoFar[] = [];
  const ofPlans = Map.groupBy(events, ({ request_id }) => request_id ?? null);
  const statesAfter = statesAfterPlans(events, stateAtStart);
  let unfinished: ResumedTurn["unfinished"] = null;
  for (const created of events.filter(({ event }) => event === "plan:create")) {
    const data = created.data ?? {};
    if (created.status === "rejected") {
      plans.push({ kind: "rejected", plan: data["plan"], problems: data["problems"] as unknown as PlanProblem[] });
      continue;
    }
    const plan = data["plan"] as unknown as Plan;
    const ofPlan = ofPlans.get(plan.requestId) ?? [];
    const result = rebuildResult(plan, ofPlan, statesAfter.get(plan.requestId) ?? stateAtStart, countLogs);
    if (ofPlan.some(({ event }) => event === "plan:end")) plans.push({ kind: "executed", plan, result });
    else {
      const settled = result.toolResults.filter(({ toolId }) => hasFinished(toolId, ofPlan));
      unfinished = { plan, settled, assets: result.aggregatedAssets };
    }
  }
  return { plans, unfinished };
}

/** The attempts that were running when the events stop. */
export function unendedAttempts(events: readonly NarratoriaEvent[]): string[] {
  const spans = (name: string): string[] =>
    events.flatMap(({ event, span_id }) => (event === name ? (span_id ?? []) : []));
  const ended = new Set(spans("tool:end"));
  return spans("tool:start").filter((span) => !ended.has(span));
}

/** Completed, or failed for good. What was stopped with its host, or was about to be tried again, has not finished. */
function hasFinished(toolId: string, events: readonly NarratoriaEvent[]): boolean {
  const last = events.findLast(({ event, data }) => data?.["toolId"] === toolId && event !== "tool:event");
  if (last?.event !== "tool:end" || last.status === "skipped") return false;
  return last.data?.["willRetry"] !== true && last.error?.code !== "CANCELLED";
}

/** The session state when each plan had ended, or as far as it had come. */
function statesAfterPlans(events: readonly NarratoriaEvent[], stateAtStart: JsonObject): Map<string, JsonObject> {
  const states = new Map<string, JsonObject>();
  let state = stateAtStart;
  for (const event of events) {
    const patch = patchOf(event);
    if (patch !== null) state = mergePatch(state, patch);
    if (event.request_id) states.set(event.request_id, state);
  }
  return states;
}

function rebuildResult(
  plan: Plan,
  events: readonly NarratoriaEvent[],
  aggregatedState: JsonObject,
  countLogs: (spanId: string) => number,
): ExecutionResult {
  const ofTools = Map.groupBy(events, ({ data }) => data?.["toolId"]);
  const toolResults = plan.tools.map(({ toolId }) => rebuildTool(toolId, ofTools.get(toolId) ?? [], countLogs));
  const end = events.find(({ event }) => event === "plan:end");
  const failed = toolResults.filter(({ state }) => state === "failed" || state === "timeout");
  const success = end?.data?.["success"] === true;
  const { generationAttempt } = plan.metadata;
  return {
    planId: plan.requestId,
    success,
    narrative: plan.narrative,
    executionTime: end?.duration_ms ?? 0,
    toolResults,
    failedTools: failed.map(({ toolId }) => toolId),
    generationAttempt,
    canReplan: !success && generationAttempt < MOST_GENERATIONS,
    disabledSkills: (end?.data?.["disabledSkills"] as string[] | undefined) ?? plan.disabledSkills,
    aggregatedState,
    aggregatedAssets: events.flatMap(({ data }) =>
      isJsonObject(data?.["asset"]) ? [data["asset"] as unknown as AssetRecord] : [],
    ),
  };
}

function rebuildTool(
  toolId: string,
  events: readonly NarratoriaEvent[],
  countLogs: (spanId: string) => number,
): ToolResult {
  const ends = events.filter(({ event }) => event === "tool:end");
  const last = ends.at(-1);
  const { skill = toolId, reason = "it had not run yet" } = (last?.data ?? {}) as { skill?: string; reason?: string };
  if (last === undefined || last.status === "skipped") {
    return skippedResult(toolId, skill, reason);
  }
  const made = ends.filter(({ span_id }) => span_id);
  const starts = new Map(events.filter(({ event }) => event === "tool:start").map((start) => [start.span_id, start]));
  const printed = events.filter(({ event }) => event === "tool:event");
  const patches = printed.filter(({ span_id }) => span_id === last.span_id).map(({ data }) => data?.["event"]);
  const logCount = [...starts.keys()].reduce((total, spanId) => total + countLogs(spanId ?? ""), 0);
  const ok = last.status === "completed";
  const error = last.error as ErrorDetail | null | undefined;
  return {
    toolId,
    skill,
    ok,
    state: last.status as ToolResult["state"],
    output: last.data?.["output"] ?? composeOutput(patches),
    executionTime: ends.reduce((total, end) => total + (end.duration_ms ?? 0), 0),
    retryCount: Math.max(0, made.length - 1),
    ...(error && { error: error.message, errorDetail: error }),
    events: printed.map(({ data }) => data?.["event"] as unknown as ToolEvent),
    eventCount: printed.length + logCount,
    eventsOmitted: logCount,
    attempts: made.map((end) => toAttempt(end, starts.get(end.span_id))),
  };
}

function composeOutput(printed: readonly (Json | undefined)[]): JsonObject | null {
  const patches = printed.filter(isJsonObject).filter(({ type }) => type === "state_patch");
  if (patches.length === 0) return null;
  return patches.reduce<JsonObject>((whole, { patch }) => composePatches(whole, patch as JsonObject), {});
}

function toAttempt(end: NarratoriaEvent, start: NarratoriaEvent | undefined): AttemptRecord {
  const data = (end.data ?? {}) as unknown as AttemptRecord;
  const error = end.error as ErrorDetail | null | undefined;
  return {
    requestId: end.span_id ?? "",
    startedAt: new Date((start?.ts ?? end.ts) * 1000).toISOString(),
    endedAt: new Date(end.ts * 1000).toISOString(),
    outcome: end.status as AttemptRecord["outcome"],
    exitCode: data.exitCode ?? null,
    signal: data.signal ?? null,
    stderrTail: data.stderrTail ?? "",
    ...(error && { errorDetail: error }),
    warnings: data.warnings ?? [],
    eventsAfterDone: data.eventsAfterDone ?? 0,
    sandbox: data.sandbox ?? "none",
    trace: data.trace ?? {},
  };
}
