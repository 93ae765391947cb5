/**
 * One tool of a plan, attempt after attempt, until it completes or may not be tried again. A runner makes the attempt;
 * `may-start.ts` decides whether there may be one, `take-events.ts` takes what the tool says, and `execute-plan.ts`
 * decides when a tool's turn has come.
 */
import { randomUUID } from "node:crypto";
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { AssetRecord, AttemptRecord, ErrorDetail, ToolResult } from "../../story/execution-result.ts";
import type { PlanTool } from "../../story/plan.ts";
import { visibleState } from "../../story/read-scope.ts";
import { cancelledOutcome, cancelMessage } from "./cancel-reason.ts";
import type { ExecutionContext } from "./execute-plan.ts";
import { askForPermission, askGates } from "./may-start.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import { redact, secretsFor } from "../policy/secrets.ts";
import { createIntake } from "./take-events.ts";
import type { AttemptOutcome, AttemptReport, ToolCall } from "../seams/tool-runner.ts";

export interface ToolAttempts {
  result: ToolResult;
  assets: AssetRecord[];
}

export interface ToolToAttempt {
  planId: string;
  tool: PlanTool;
  resolved: ResolvedTool;
  input: JsonObject;
  dependencies: { [toolId: string]: Json };
}

const MOST_BACKOFF_MS = 60_000;
/** A Python tool's time limit when nobody says another. */
const PYTHON_TOOL_MS = 10_000;

export async function attemptTool(
  job: ToolToAttempt,
  context: ExecutionContext,
  signal: AbortSignal,
): Promise<ToolAttempts> {
  const { tool, resolved, planId } = job;
  const { toolId } = tool;
  const { skill } = resolved;
  const secrets = secretsFor(resolved.needs, process.env);
  const intake = createIntake(toolId, resolved, secrets, context);
  const began = context.clock.elapsed();
  const attempts: AttemptRecord[] = [];
  let { input } = job;

  const refusal = await askForPermission(toolId, planId, resolved, context);
  if (refusal !== null) return refuse(refusal);
  for (;;) {
    const gates = await askGates({ toolId, skill, attempt: attempts.length + 1, input }, context);
    if (gates.kind === "denied") return refuse(gates.error);
    ({ input } = gates);
    const made = await context.slots.use(makeAttempt, signal);
    if (made === null && attempts.length === 0) return skip(cancelMessage(signal.reason));
    const outcome = made ?? cancelledOutcome(signal.reason);
    if (!willRetry(outcome)) return { result: toResult(outcome), assets: intake.assets };
    await context.clock.sleep(backoffMs(tool, attempts.length), signal);
  }

  function willRetry(outcome: AttemptOutcome): boolean {
    if (outcome.kind === "completed" || signal.aborted) return false;
    return attempts.length <= tool.retryPolicy.maxRetries && mayRetry(outcome.error);
  }

  async function refuse(error: ErrorDetail): Promise<ToolAttempts> {
    await noteUnstarted("failed", error.message, error);
    return { result: toResult({ kind: "failed", error }), assets: intake.assets };
  }

  async function skip(reason: string): Promise<ToolAttempts> {
    await noteUnstarted("skipped", reason);
    return { result: skippedResult(toolId, skill, reason), assets: intake.assets };
  }

  async function noteUnstarted(status: "failed" | "skipped", reason: string, error?: ErrorDetail): Promise<void> {
    const data = { toolId, skill, attempt: 0, willRetry: false, reason };
    const about = { component: "runtime", module: skill, request_id: planId } as const;
    await context.emit({ event: "tool:end", status, data, ...(error && { error }), ...about });
  }

  async function makeAttempt(): Promise<AttemptOutcome> {
    const requestId = context.newId?.() ?? randomUUID();
    const number = attempts.length + 1;
    const about = { request_id: planId, span_id: requestId, module: skill };
    const started = { at: new Date(context.clock.now()).toISOString(), elapsed: context.clock.elapsed() };
    const startData = { toolId, skill, attempt: number, maxAttempts: tool.retryPolicy.maxRetries + 1 };
    await context.emit({ event: "tool:start", component: "runtime", status: "running", data: startData, ...about });

    const taking = intake.begin(about);
    const report = redact(await context.runner.run(callFor(requestId), taking.sink, signal), secrets);
    if (report.invocation !== undefined) await noteInvocation(report.invocation, report.outcome, about);
    const outcome = await taking.takeReturned(report);

    const error = outcome.kind === "completed" ? undefined : outcome.error;
    const { exitCode, signal: killedBy, stderrTail, eventsAfterDone, sandbox, trace } = report;
    const warnings = [...report.warnings, ...taking.warnings];
    const facts = { exitCode, signal: killedBy, stderrTail, warnings, eventsAfterDone, sandbox, trace };
    const endedAt = new Date(context.clock.now()).toISOString();
    const record = { requestId, startedAt: started.at, endedAt, outcome: outcome.kind, ...facts };
    attempts.push({ ...record, ...(error && { errorDetail: error }) });
    await context.emit({
      event: "tool:end",
      component: "runtime",
      status: outcome.kind,
      duration_ms: Math.round(context.clock.elapsed() - started.elapsed),
      data: {
        toolId,
        skill,
        attempt: number,
        willRetry: willRetry(outcome),
        ...facts,
        ...(report.output !== undefined && { output: report.output }),
      },
      ...(error && { error }),
      ...about,
    });
    return outcome;
  }

  function callFor(requestId: string): ToolCall {
    const { manifest } = resolved;
    return {
      requestId,
      tool: resolved,
      secrets,
      operation: tool.operation,
      input,
      dependencies: job.dependencies,
      state: visibleState(context.sizedState().value, manifest === null ? "everything" : (manifest.reads ?? [])),
      storyDir: context.storyDir,
      storyTitle: context.storyTitle,
      sessionId: context.sessionId ?? null,
      timeoutMs: timeLimit(tool, resolved, context),
    };
  }

  async function noteInvocation(
    { op, durationMs }: NonNullable<AttemptReport["invocation"]>,
    outcome: AttemptOutcome,
    about: object,
  ): Promise<void> {
    const how = outcome.kind === "completed" ? { status: "ok" } : { status: "error", error: outcome.error };
    const duration = { duration_ms: Math.round(durationMs) };
    await context.emit({ event: "module:invoke", component: "runner", data: { op }, ...duration, ...how, ...about });
  }

  function toResult(final: AttemptOutcome): ToolResult {
    const error = final.kind === "completed" ? undefined : final.error;
    return {
      toolId,
      skill,
      ok: final.kind === "completed",
      state: final.kind,
      output: intake.output(),
      executionTime: context.clock.elapsed() - began,
      retryCount: Math.max(0, attempts.length - 1),
      ...(error && { error: error.message, errorDetail: error }),
      ...intake.summary(),
      attempts,
    };
  }
}

/** A tool that never started. */
export function skippedResult(toolId: string, skill: string, reason: string): ToolResult {
  const nothing = { output: null, executionTime: 0, retryCount: 0, events: [], eventCount: 0, eventsOmitted: 0 };
  return { toolId, skill, ok: false, state: "skipped", error: reason, attempts: [], ...nothing };
}

/** The plan's word, else the manifest's, else the protocol's. */
function timeLimit(tool: PlanTool, { manifest }: ResolvedTool, { limits }: ExecutionContext): number {
  return (
    tool.timeoutMs ?? manifest?.timeoutMs ?? (manifest?.protocol === "namel3ss/1" ? PYTHON_TOOL_MS : limits.toolMs)
  );
}

/** Whether another attempt could mend it. */
export function mayRetry({ category, code }: ErrorDetail): boolean {
  switch (category) {
    case "tool_failure":
      return code !== "bad_request" && code !== "unsupported_op";
    case "process_error":
      return code !== "SPAWN_FAILED" && code !== "CANCELLED";
    case "timeout":
      return code !== "LINGERED";
    case "protocol_violation":
      return code === "MISSING_DONE";
    case "forbidden":
      return false;
  }
}

function backoffMs(tool: PlanTool, retry: number): number {
  return Math.min(tool.retryPolicy.backoffMs * 2 ** (retry - 1), MOST_BACKOFF_MS);
}
