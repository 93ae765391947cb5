/**
 * What became of a plan, as the fold of its events: the one way an execution result is made, while the plan runs, when
 * it is resumed, and when it is read back years later.
 */
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { ToolEvent } from "@narratoria/tool/protocol";
import type { EventOf, NarratoriaEvent } from "./event.ts";
import type { AssetRecord, AttemptRecord, ExecutionResult, ToolResult } from "./execution-result.ts";
import { keepEvents, type KeptEvents } from "./kept-events.ts";
import { composeInto } from "./merge-patch.ts";
import { MOST_GENERATIONS, type Plan } from "./plan.ts";
import { sizeOf } from "./state-size.ts";

export interface ResultFold {
  /** An event of this plan, in the log's order. */
  take(event: NarratoriaEvent): void;
  /** A log line of one of its tools, where those are not events of their own. */
  takeLine(toolId: string, line: ToolEvent): void;
  /** Log lines between others, so many that none of them could be kept. */
  skipLines(toolId: string, count: number): void;
  /** What has become of a tool so far; a tool that has not ended counts as skipped. */
  tool(toolId: string): ToolResult;
  /** Completed, or failed for good. What was stopped with its host, or was about to be tried again, has not finished. */
  hasFinished(toolId: string): boolean;
  /** `state` is the session's after the plan. */
  result(state: JsonObject): ExecutionResult;
}

export function createResultFold(plan: Plan, skills: Readonly<Record<string, string>> = {}): ResultFold {
  const tools = new Map<string, ToolFold>();
  let end: EventOf<"plan:end"> | null = null;
  let wasStopped = false;

  function toolOf(toolId: string): ToolFold {
    const known =
      tools.get(toolId) ?? createToolFold(toolId, Object.hasOwn(skills, toolId) ? skills[toolId] : undefined);
    tools.set(toolId, known);
    return known;
  }

  function take(event: NarratoriaEvent): void {
    switch (event.event) {
      case "plan:end":
        end = event;
        return;
      case "tool:start":
        return toolOf(event.data.toolId).start(event);
      case "tool:event":
        return toolOf(event.data.toolId).print(event);
      case "tool:end":
        wasStopped ||= event.error?.code === "CANCELLED";
        return toolOf(event.data.toolId).end(event);
      default:
    }
  }

  function result(state: JsonObject): ExecutionResult {
    const toolResults = plan.tools.map(({ toolId }) => toolOf(toolId).result());
    const success = plan.tools.every(({ required }, index) => !required || toolResults[index]?.ok === true);
    const failedRequired = plan.tools.flatMap(({ required }, index) => {
      const made = toolResults[index];
      return required && made !== undefined && hasFailed(made) ? [made.skill] : [];
    });
    const { generationAttempt } = plan.metadata;
    return {
      planId: plan.requestId,
      success,
      narrative: plan.narrative,
      executionTime: end?.duration_ms ?? 0,
      toolResults,
      failedTools: toolResults.filter(hasFailed).map(({ toolId }) => toolId),
      generationAttempt,
      // Logs of before `cancelled` was kept tell it by how their tools ended.
      canReplan: !success && generationAttempt < MOST_GENERATIONS && !(end?.data.cancelled ?? wasStopped),
      disabledSkills: [...new Set([...plan.disabledSkills, ...failedRequired])],
      aggregatedState: state,
      aggregatedAssets: plan.tools.flatMap(({ toolId }) => toolOf(toolId).assets),
    };
  }

  return {
    take,
    takeLine: (toolId, line) => toolOf(toolId).kept.add(line, sizeOfEvent(line)),
    skipLines: (toolId, count) => toolOf(toolId).kept.skip(count),
    tool: (toolId) => toolOf(toolId).result(),
    hasFinished: (toolId) => toolOf(toolId).hasFinished(),
    result,
  };
}

interface ToolFold {
  readonly assets: AssetRecord[];
  readonly kept: KeptEvents;
  start(event: EventOf<"tool:start">): void;
  print(event: EventOf<"tool:event">): void;
  end(event: EventOf<"tool:end">): void;
  hasFinished(): boolean;
  result(): ToolResult;
}

function createToolFold(toolId: string, skillOfPlan: string | undefined): ToolFold {
  const assets: AssetRecord[] = [];
  const attempts: AttemptRecord[] = [];
  const kept = keepEvents();
  let begun: EventOf<"tool:start"> | null = null;
  let last: EventOf<"tool:end"> | null = null;
  /** The latest attempt's patches as one; null until there is one. */
  let patches: JsonObject | null = null;
  let attemptsMs = 0;

  function print({ data }: EventOf<"tool:event">): void {
    const { event: printed, asset } = data;
    kept.add(printed, sizeOfEvent(printed));
    if (asset) assets.push(asset);
    if (printed.type === "state_patch") composeInto((patches ??= {}), printed.patch);
  }

  function end(event: EventOf<"tool:end">): void {
    last = event;
    attemptsMs += event.duration_ms ?? 0;
    if (event.span_id) attempts.push(toAttempt(event, begun));
    begun = null;
  }

  function result(): ToolResult {
    const skill = last?.data.skill ?? skillOfPlan ?? toolId;
    if (last === null || last.status === "skipped")
      return skippedResult(toolId, skill, last?.data.reason ?? "it had not run yet");
    const { status: state, error } = last;
    return {
      toolId,
      skill,
      ok: state === "completed",
      state,
      output: outputOf(last, patches),
      executionTime: last.data.elapsed_ms ?? attemptsMs,
      retryCount: Math.max(0, attempts.length - 1),
      ...(error && { error: error.message, errorDetail: error }),
      ...kept.summary(),
      attempts: [...attempts],
    };
  }

  return {
    assets,
    kept,
    start: (event) => {
      begun = event;
      patches = null;
    },
    print,
    end,
    hasFinished: () => {
      if (begun !== null || last === null || last.status === "skipped") return false;
      return last.data.willRetry !== true && last.error?.code !== "CANCELLED";
    },
    result,
  };
}

function outputOf({ data }: EventOf<"tool:end">, patches: JsonObject | null): Json {
  return data.output === undefined ? patches : data.output;
}

/** A tool that never started. */
function skippedResult(toolId: string, skill: string, reason: string): ToolResult {
  const nothing = { output: null, executionTime: 0, retryCount: 0, events: [], eventCount: 0, eventsOmitted: 0 };
  return { toolId, skill, ok: false, state: "skipped", error: reason, attempts: [], ...nothing };
}

function toAttempt(end: EventOf<"tool:end">, start: EventOf<"tool:start"> | null): AttemptRecord {
  const { data, error, status } = end;
  const startedAt = (start?.ts ?? end.ts) * 1000;
  // The clock on the wall may have been put back meanwhile.
  const endedAt = Math.max(end.ts * 1000, startedAt + (end.duration_ms ?? 0));
  return {
    requestId: end.span_id ?? "",
    startedAt: new Date(startedAt).toISOString(),
    endedAt: new Date(endedAt).toISOString(),
    outcome: status === "skipped" ? "failed" : status,
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

function hasFailed({ state }: ToolResult): boolean {
  return state === "failed" || state === "timeout";
}

/** As its value weighs, not as it was printed: what is read back must be judged alike. */
function sizeOfEvent(event: ToolEvent): number {
  switch (event.type) {
    case "log":
      return event.message.length + sizeOf(event.fields ?? null);
    case "state_patch":
      return sizeOf(event.patch);
    case "ui_event":
      return event.event.length + sizeOf(event.payload ?? null);
    case "asset":
      return event.path.length + sizeOf(event.metadata ?? null);
    case "error":
      return event.errorMessage.length + sizeOf(event.details ?? null);
    case "done":
      return event.summary?.length ?? 0;
  }
}
