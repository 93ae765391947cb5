/**
 * One tool of a plan, attempt after attempt, until it completes or may not be tried again. A runner makes the attempt;
 * `may-start.ts` decides whether there may be one, `take-events.ts` takes what the tool says, and `execute-plan.ts`
 * decides when a tool's turn has come. What became of it is told in events, and in nothing else.
 */
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { DraftOf } from "../../story/event.ts";
import type { ErrorDetail } from "../../story/execution-result.ts";
import type { PlanTool } from "../../story/plan.ts";
import { visibleState } from "../../story/read-scope.ts";
import type { EventWriter, PlanScene } from "../seams/engine.ts";
import { followSignal } from "../seams/follow-signal.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import type { Haste } from "../seams/sandbox.ts";
import type { AttemptOutcome, AttemptReport, AttemptCall } from "../seams/tool-runner.ts";
import { cancelledOutcome, cancelMessage } from "./cancel-reason.ts";
import { askConsent, gateAttempt } from "./may-start.ts";
import { createIntake } from "./take-events.ts";
import type { Means } from "./means.ts";
import type { Slot } from "./slots.ts";

export interface ToolToAttempt {
  planId: string;
  tool: PlanTool;
  resolved: ResolvedTool;
  input: JsonObject;
  dependencies: { [toolId: string]: Json };
  /** Where it is written what becomes of it. */
  log: EventWriter;
}

const MOST_BACKOFF_MS = 60_000;
/** Other stories' tools were running all the time. */
const MOST_WAITING_MS = 600_000;
const NO_SLOT: ErrorDetail = {
  category: "timeout",
  code: "NO_SLOT",
  message: `other tools were running for ${MOST_WAITING_MS / 60_000} minutes, so this one had no turn`,
};
/** A Python tool's time limit when nobody says another. */
const PYTHON_TOOL_MS = 10_000;

export async function attemptTool(
  job: ToolToAttempt,
  means: Means,
  scene: PlanScene,
  signal: AbortSignal,
): Promise<void> {
  const { tool, resolved, planId, log } = job;
  const { toolId } = tool;
  const { skill } = resolved;
  const { clock } = means;
  const { attempts: time, plans: planTime } = scene.clocks;
  const intake = createIntake({ toolId, tool: resolved, log }, means.assets, scene);
  const about = { module: skill, request_id: planId };
  let made = 0;
  let began: number | null = null;
  let { input } = job;

  let consent = await askConsent({ toolId, tool: resolved }, scene.consent, about, log);
  for (;;) {
    if (consent.kind === "refused") return noteUnstarted("failed", consent.error.message, consent.error);
    const gates = await gateAttempt({ toolId, skill, attempt: made + 1, input }, scene.consent);
    if (gates.kind === "denied") return noteUnstarted("failed", gates.error.message, gates.error);
    ({ input } = gates);
    const slot = await acquireSlot();
    if (slot === "none free") return noteUnstarted("timeout", NO_SLOT.message, NO_SLOT);
    if (slot === null && made === 0) return noteUnstarted("skipped", cancelMessage(signal.reason));
    if (slot === null) return noteStopped();
    const outcome = await attemptIf(consent.isStillSo, slot).finally(() => slot.release());
    if (outcome === "changed") {
      consent = await askConsent({ toolId, tool: resolved }, scene.consent, about, log);
      continue;
    }
    if (!willRetry(outcome)) return;
    await clock.sleep(backoffMs(tool, made), signal);
  }

  /** Null when it was stopped before one was free. */
  async function acquireSlot(): Promise<Slot | null | "none free"> {
    if (signal.aborted) return null;
    const waiting = followSignal(signal);
    const slot = means.slots.acquire(scene.whose.sessionId ?? planId, waiting.signal);
    const timer = time.after(MOST_WAITING_MS, () => waiting.abort("too long"));
    try {
      if (!(slot instanceof Promise)) return slot;
      await log.emit({
        event: "tool:wait",
        component: "runtime",
        status: "waiting",
        data: { toolId, skill },
        ...about,
      });
      return (await planTime.standStill(() => slot)) ?? (signal.aborted ? null : "none free");
    } finally {
      timer.cancel();
      waiting.letGo();
    }
  }

  function willRetry(outcome: AttemptOutcome): boolean {
    if (outcome.kind === "completed" || signal.aborted) return false;
    return made <= tool.retryPolicy.maxRetries && mayRetry(outcome.error);
  }

  /** Between two attempts: the next one is not made any more. */
  function noteStopped(): Promise<void> {
    const { kind, error } = cancelledOutcome(signal.reason);
    return noteUnstarted(kind, error.message, error);
  }

  /** Attempt 0 was never started. */
  async function noteUnstarted(
    status: "failed" | "timeout" | "skipped",
    reason: string,
    error?: ErrorDetail,
  ): Promise<void> {
    const data = { toolId, skill, attempt: 0, willRetry: false, reason, elapsed_ms: sinceFirst() };
    await log.emit({ event: "tool:end", component: "runtime", status, data, ...(error && { error }), ...about });
  }

  function sinceFirst(): number {
    return began === null ? 0 : Math.round(time.elapsed() - began);
  }

  /** Gates, slots and the wait before another attempt take time, in which the tool may have become another. */
  async function attemptIf(isStillSo: () => Promise<boolean>, { haste }: Slot): Promise<AttemptOutcome | "changed"> {
    return (await isStillSo()) ? makeAttempt(haste) : "changed";
  }

  async function makeAttempt(haste: Haste): Promise<AttemptOutcome> {
    const requestId = means.newId();
    const startedAt = time.elapsed();
    began ??= startedAt;
    made++;
    const span = { ...about, span_id: requestId };
    const start = { toolId, skill, attempt: made, maxAttempts: tool.retryPolicy.maxRetries + 1 };
    await log.emit({ event: "tool:start", component: "runtime", status: "running", data: start, ...span });

    const taking = intake.begin(span);
    const report = await means.runner.run(callFor(requestId, haste), taking.port, signal);
    if (report.invocation !== undefined) await noteInvocation(report.invocation, report.outcome, span);
    const outcome = await taking.takeReturned(report);
    const durationMs = Math.round(time.elapsed() - startedAt);
    await log.emit(endOf(report, outcome, taking.warnings, durationMs, span));
    return outcome;
  }

  function endOf(
    report: AttemptReport,
    outcome: AttemptOutcome,
    warnings: readonly string[],
    durationMs: number,
    span: { module: string; request_id: string; span_id: string },
  ): DraftOf<"tool:end"> {
    const { exitCode, signal: killedBy, stderrTail, eventsAfterDone, sandbox, trace, output } = report;
    return {
      event: "tool:end",
      component: "runtime",
      status: outcome.kind,
      duration_ms: durationMs,
      data: {
        toolId,
        skill,
        attempt: made,
        willRetry: willRetry(outcome),
        elapsed_ms: sinceFirst(),
        exitCode,
        signal: killedBy,
        stderrTail,
        warnings: [...report.warnings, ...warnings],
        eventsAfterDone,
        sandbox,
        trace,
        ...(outcome.kind === "completed" && output !== undefined && { output }),
      },
      ...(outcome.kind !== "completed" && { error: outcome.error }),
      ...span,
    };
  }

  function callFor(requestId: string, haste: Haste): AttemptCall {
    const { manifest } = resolved;
    const { story, sessionId } = scene.whose;
    return {
      requestId,
      tool: means.registry.refer(story, resolved),
      operation: tool.operation,
      input,
      dependencies: job.dependencies,
      state: visibleState(scene.state().value, manifest === null ? "everything" : (manifest.reads ?? [])),
      storyTitle: story.title,
      sessionId,
      haste,
      timeoutMs: timeLimit(tool, resolved, means),
    };
  }

  async function noteInvocation(
    { op, durationMs }: NonNullable<AttemptReport["invocation"]>,
    outcome: AttemptOutcome,
    span: { module: string; request_id: string; span_id: string },
  ): Promise<void> {
    await log.emit({
      event: "module:invoke",
      component: "runner",
      status: outcome.kind === "completed" ? "ok" : "error",
      duration_ms: Math.round(durationMs),
      data: { op },
      ...(outcome.kind !== "completed" && { error: outcome.error }),
      ...span,
    });
  }
}

/** The plan's limit, else the mount's own (a project's settings are in it), else the protocol's usual one. */
function timeLimit(tool: PlanTool, { manifest }: ResolvedTool, { limits }: Means): number {
  const usual = manifest?.protocol === "namel3ss/1" ? PYTHON_TOOL_MS : limits.toolMs;
  return tool.timeoutMs ?? manifest?.timeoutMs ?? usual;
}

/** How long to wait before the next attempt: doubling with every retry. */
function backoffMs(tool: PlanTool, attemptsMade: number): number {
  return Math.min(MOST_BACKOFF_MS, tool.retryPolicy.backoffMs * 2 ** (attemptsMade - 1));
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
