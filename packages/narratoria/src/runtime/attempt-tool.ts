/**
 * One tool of a plan, attempt after attempt, until it completes or may not be tried again. A runner makes the attempt;
 * `execute-plan.ts` decides when a tool's turn has come.
 */
import { randomUUID } from "node:crypto";
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import type { AssetEvent, StatePatchEvent } from "@narratoria/tool/protocol";
import type { AssetRecord, AttemptRecord, ErrorDetail, ToolResult } from "../story/execution-result.ts";
import { progressOf } from "../story/fold-tool-event.ts";
import { parsePointer } from "../story/json-pointer.ts";
import { composePatches } from "../story/merge-patch.ts";
import type { PlanTool } from "../story/plan.ts";
import { visibleState } from "../story/read-scope.ts";
import type { ExecutionContext } from "./execute-plan.ts";
import type { AssetFile, TakenAsset } from "./assets.ts";
import { cancelledOutcome, cancelMessage } from "./cancel-reason.ts";
import { keepEvents } from "./kept-events.ts";
import { authorize, refusalFor, type Authorization } from "./policy.ts";
import { refusePatch } from "./refuse-patch.ts";
import type { ResolvedTool } from "./resolve-tool.ts";
import { redact, secretsFor } from "./secrets.ts";
import type { AttemptOutcome, AttemptReport, ReceivedEvent, SinkReply } from "./tool-runner.ts";

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

/** Log lines that wait to be written. */
interface GatheredLines {
  texts: string[];
  progress: number | null;
}

const MOST_BACKOFF_MS = 60_000;
/** A Python tool's time limit when nobody says another. */
const PYTHON_TOOL_MS = 10_000;

export async function attemptTool(
  job: ToolToAttempt,
  context: ExecutionContext,
  signal: AbortSignal,
): Promise<ToolAttempts> {
  const { tool, resolved } = job;
  const secrets = secretsFor(resolved.needs, process.env);
  const began = context.clock.elapsed();
  const kept = keepEvents();
  const assets: AssetRecord[] = [];
  const attempts: AttemptRecord[] = [];
  let output: Json = null;
  let { input } = job;
  let assetWarnings: string[] = [];

  const refusal = await askForPermission();
  if (refusal !== null) {
    await noteUnstarted("failed", refusal.message, refusal);
    return { result: toResult({ kind: "failed", error: refusal }), assets };
  }
  for (;;) {
    const denied = await askGates();
    if (denied !== null) {
      await noteUnstarted("failed", denied.message, denied);
      return { result: toResult({ kind: "failed", error: denied }), assets };
    }
    const made = await context.slots.use(makeAttempt, signal);
    if (made === null && attempts.length === 0) {
      const reason = cancelMessage(signal.reason);
      await noteUnstarted("skipped", reason);
      return { result: skippedResult(tool.toolId, resolved.skill, reason), assets };
    }
    const outcome = made ?? cancelledOutcome(signal.reason);
    if (!willRetry(outcome)) return { result: toResult(outcome), assets };
    await context.clock.sleep(backoffMs(tool, attempts.length), signal);
  }

  function willRetry(outcome: AttemptOutcome): boolean {
    if (outcome.kind === "completed" || signal.aborted) return false;
    return attempts.length <= tool.retryPolicy.maxRetries && mayRetry(outcome.error);
  }

  async function askForPermission(): Promise<ErrorDetail | null> {
    const { policy, sandboxLevel } = context;
    const about = { component: "policy", module: resolved.skill, request_id: job.planId } as const;
    const decisions: Authorization["decisions"] = [];
    for (const { capability, status: granted } of authorize(resolved, policy, sandboxLevel).decisions) {
      const status = granted === "deny" ? await askThePlayer(capability) : granted;
      decisions.push({ capability, status });
      await context.emit({ event: "policy:decision", status, data: { capability, toolId: tool.toolId }, ...about });
    }
    return refusalFor(resolved, decisions, policy, sandboxLevel);
  }

  async function askThePlayer(capability: string): Promise<"allow" | "deny"> {
    const { skill, command, manifest } = resolved;
    const description = manifest?.description ?? null;
    return (await context.permit?.({ skill, toolId: tool.toolId, capability, command, description })) ?? "deny";
  }

  /** What a hook says counts for every attempt. It may change the input. */
  async function askGates(): Promise<ErrorDetail | null> {
    if (context.gate === undefined || signal.aborted) return null;
    const { toolId } = tool;
    const verdict = await context.gate("tool:start", {
      toolId,
      skill: resolved.skill,
      attempt: attempts.length + 1,
      input,
    });
    if (verdict.kind === "deny") return { category: "forbidden", code: "DENIED", message: verdict.reason };
    if (isJsonObject(verdict.data["input"])) input = verdict.data["input"];
    return null;
  }

  async function noteUnstarted(status: "failed" | "skipped", reason: string, error?: ErrorDetail): Promise<void> {
    const data = { toolId: tool.toolId, skill: resolved.skill, attempt: 0, willRetry: false, reason };
    const about = { component: "runtime", module: resolved.skill, request_id: job.planId } as const;
    await context.emit({ event: "tool:end", status, data, ...(error && { error }), ...about });
  }

  async function makeAttempt(): Promise<AttemptOutcome> {
    output = null;
    assetWarnings = [];
    const requestId = context.newId?.() ?? randomUUID();
    const number = attempts.length + 1;
    const about = { request_id: job.planId, span_id: requestId, module: resolved.skill };
    const startedAt = new Date(context.clock.now()).toISOString();
    const start = context.clock.elapsed();
    await context.emit({
      event: "tool:start",
      component: "runtime",
      status: "running",
      data: {
        toolId: tool.toolId,
        skill: resolved.skill,
        attempt: number,
        maxAttempts: tool.retryPolicy.maxRetries + 1,
      },
      ...about,
    });
    const lines: GatheredLines = { texts: [], progress: null };
    const ran = await context.runner.run(
      {
        requestId,
        tool: resolved,
        secrets,
        operation: tool.operation,
        input,
        dependencies: job.dependencies,
        state: visibleState(
          context.sizedState().value,
          resolved.manifest === null ? "everything" : (resolved.manifest.reads ?? []),
        ),
        storyDir: context.storyDir,
        storyTitle: context.storyTitle,
        sessionId: context.sessionId ?? null,
        timeoutMs: timeLimit(tool, resolved, context),
      },
      Object.assign((received: ReceivedEvent) => takeEvent(redact(received, secrets), about, lines), {
        flush: () => writeLines(about, lines),
      }),
      signal,
    );
    const report = redact(ran, secrets);
    if (report.invocation !== undefined) await noteInvocation(report.invocation, report.outcome, about);
    const outcome = await takeReturned(report, about);
    const error = outcome.kind === "completed" ? undefined : outcome.error;
    attempts.push({
      requestId,
      startedAt,
      endedAt: new Date(context.clock.now()).toISOString(),
      outcome: outcome.kind,
      exitCode: report.exitCode,
      signal: report.signal,
      stderrTail: report.stderrTail,
      ...(error && { errorDetail: error }),
      warnings: [...report.warnings, ...assetWarnings],
      eventsAfterDone: report.eventsAfterDone,
      sandbox: report.sandbox,
      trace: report.trace,
    });
    const { exitCode, signal: killedBy, stderrTail, eventsAfterDone, sandbox, trace } = report;
    await context.emit({
      event: "tool:end",
      component: "runtime",
      status: outcome.kind,
      duration_ms: Math.round(context.clock.elapsed() - start),
      data: {
        ...{ toolId: tool.toolId, skill: resolved.skill, attempt: number, willRetry: willRetry(outcome) },
        ...{
          exitCode,
          signal: killedBy,
          stderrTail,
          warnings: attempts.at(-1)?.warnings ?? [],
          eventsAfterDone,
          sandbox,
          trace,
        },
        // What was returned is nowhere else in the log: an interrupted turn's next tools may need it.
        ...(report.output !== undefined && { output: report.output }),
      },
      ...(error && { error }),
      ...about,
    });
    return outcome;
  }

  /** Refuses what the tool may not do, keeps the rest, and writes it to the log, in this order. */
  function takeEvent(received: ReceivedEvent, about: object, lines: GatheredLines): SinkReply | Promise<SinkReply> {
    const { event } = received;
    if (event.type === "log" && context.emitLines !== undefined) {
      // Log lines come in bulk: they are gathered, and written when there is nothing more to gather.
      lines.texts.push(received.text);
      lines.progress = progressOf(event.fields) ?? lines.progress;
      kept.add(event, Buffer.byteLength(received.text));
      return undefined;
    }
    const behind = writeLines(about, lines);
    if (behind instanceof Promise) return behind.then(() => takeEvent(received, about, lines));
    if (event.type === "asset") return takeAsset(received, event, about);
    if (event.type === "state_patch") {
      const refused = refusePatch(event.patch, received.text, resolved, context.sizedState());
      if (refused !== null) return refused;
      output = composePatches(isJsonObject(output) ? output : {}, event.patch);
    }
    kept.add(event, Buffer.byteLength(received.text));
    const data = { toolId: tool.toolId, event: event as unknown as JsonObject };
    const written = context.emit({ event: "tool:event", component: "runner", data, ...about });
    return written instanceof Promise ? written.then(() => undefined) : undefined;
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

  /** A returned value is the tool's output; a mount may also want it in the state, where it may be refused. */
  async function takeReturned({ outcome, output: returned }: AttemptReport, about: object): Promise<AttemptOutcome> {
    if (outcome.kind !== "completed" || returned === undefined) return outcome;
    const into = resolved.manifest?.into ?? null;
    if (into !== null) {
      const patch = nestAt(into, returned);
      const event: StatePatchEvent = { version: "0", type: "state_patch", patch };
      const received = { event, text: JSON.stringify(event), warnings: [] };
      const refused = await takeEvent(received, about, { texts: [], progress: null });
      if (refused !== undefined) return { kind: "failed", error: refused };
    }
    output = returned;
    return outcome;
  }

  function writeLines(about: object, lines: GatheredLines): void | Promise<void> {
    if (lines.texts.length === 0) return;
    const { texts, progress } = lines;
    Object.assign(lines, { texts: [], progress: null });
    const draft = { event: "tool:event", component: "runner", data: { toolId: tool.toolId }, ...about } as const;
    return context.emitLines?.(draft, texts, progress);
  }

  async function takeAsset(received: ReceivedEvent, event: AssetEvent, about: object): Promise<SinkReply> {
    const { assetId, kind, mediaType, metadata } = event;
    const taken = await takeIfRoom({ ...(received.assetFile ?? { path: event.path, within: [] }), mediaType });
    const what = { toolId: tool.toolId, assetId, kind, mediaType, ...(metadata && { metadata }) };
    const { kind: outcome, ...details } = taken;
    const record: AssetRecord = { ...what, status: outcome, ...details };
    assets.push(record);
    if (taken.kind === "refused") assetWarnings.push(`asset ${assetId} was refused: ${taken.reason}`);
    kept.add(event, Buffer.byteLength(received.text));
    const data = { toolId: tool.toolId, event: event as unknown as JsonObject, asset: { ...record } as JsonObject };
    await context.emit({ event: "tool:event", component: "runner", data, ...about });
    return undefined;
  }

  /** What is stored outlives the tool, so the tool's own disk limit counts here too. */
  async function takeIfRoom(file: AssetFile): Promise<TakenAsset> {
    const { diskMb } = resolved.limits;
    const stored = assets.reduce((bytes, asset) => bytes + (asset.bytes ?? 0), 0);
    if (stored < diskMb * 1024 * 1024) return context.assets.take(file);
    return { kind: "refused", reason: `the tool's assets have more than ${diskMb} MB already` };
  }

  function toResult(final: AttemptOutcome): ToolResult {
    const error = final.kind === "completed" ? undefined : final.error;
    return {
      toolId: tool.toolId,
      skill: resolved.skill,
      ok: final.kind === "completed",
      state: final.kind,
      output,
      executionTime: context.clock.elapsed() - began,
      retryCount: Math.max(0, attempts.length - 1),
      ...(error && { error: error.message, errorDetail: error }),
      ...kept.summary(),
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

/** The patch that puts a value at a place in the state. */
function nestAt(pointer: string, value: Json): JsonObject {
  const tokens = parsePointer(pointer) ?? [];
  const nested = tokens.reduceRight<Json>((inner, token) => Object.fromEntries([[token, inner]]), value);
  return isJsonObject(nested) ? nested : {};
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
