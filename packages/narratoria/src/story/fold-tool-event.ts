/** The part of the fold that follows tools: their attempts, their logs, and what they do to the story. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import type { Choice, LogEvent, ToolEvent, UiEvent } from "@narratoria/tool/protocol";
import { changeTurn, withChoices } from "./change-turn.ts";
import { changesBy } from "./changes.ts";
import type { NarratoriaEvent } from "./event.ts";
import type { AssetRecord, ErrorDetail } from "./execution-result.ts";
import { mergePatch } from "./merge-patch.ts";
import type { AssetView, Passage, SessionView, ToolView, TurnView } from "./session-view.ts";

export function foldToolEvent(view: SessionView, event: NarratoriaEvent): SessionView {
  switch (event.event) {
    case "tool:start":
      return changeTool(view, event, (tool) => startAttempt(tool, event));
    case "tool:end":
      return changeTool(view, event, (tool) => endAttempt(tool, event));
    default:
      return foldPrinted(view, event);
  }
}

function startAttempt(tool: ToolView, event: NarratoriaEvent): ToolView {
  const attempt = Number(event.data?.["attempt"] ?? 1);
  const unknown = { durationMs: null, exitCode: null, logCount: 0 };
  const started = { spanId: event.span_id ?? "", status: "running", startedAt: event.ts, ...unknown };
  return {
    ...tool,
    status: attempt > 1 ? "retrying" : "running",
    attempt,
    progress: null,
    startedAt: tool.startedAt ?? event.ts,
    attempts: [...tool.attempts, started],
  };
}

function endAttempt(tool: ToolView, event: NarratoriaEvent): ToolView {
  const data = event.data ?? {};
  const status = event.status as ToolView["status"];
  const durationMs = event.duration_ms ?? null;
  const exitCode = typeof data["exitCode"] === "number" ? data["exitCode"] : null;
  const willRetry = data["willRetry"] === true;
  return {
    ...tool,
    status: willRetry ? "retrying" : status,
    error: (event.error as ErrorDetail | null | undefined) ?? null,
    durationMs: tool.startedAt === null ? durationMs : Math.round((event.ts - tool.startedAt) * 1000),
    sandbox: typeof data["sandbox"] === "string" ? data["sandbox"] : tool.sandbox,
    attempts: tool.attempts.map((attempt) =>
      attempt.spanId === event.span_id ? { ...attempt, status: status, durationMs, exitCode } : attempt,
    ),
  };
}

/** What a tool printed: a log line, or something that happens in the story. */
function foldPrinted(view: SessionView, event: NarratoriaEvent): SessionView {
  const printed = event.data?.["event"] as unknown as ToolEvent;
  const { toolId = "" } = (event.data ?? {}) as { toolId?: string };
  switch (printed.type) {
    case "log":
      return changeTool(view, event, (tool) => addLogLines(tool, event, printed));
    case "state_patch": {
      const changes = changesBy(view.state, printed.patch);
      const state = mergePatch(view.state, printed.patch);
      if (changes.length === 0) return { ...view, state };
      return addPassage({ ...view, state }, event, { kind: "changes", toolId, eventId: event.id, changes });
    }
    case "asset": {
      const record = event.data?.["asset"] as unknown as AssetRecord;
      const asset: AssetView = { ...record, id: record.status === "stored" ? event.id : null };
      return addPassage(view, event, { kind: "asset", asset });
    }
    case "ui_event":
      return foldUiEvent(view, event, printed, toolId);
    case "error":
      return addPassage(view, event, {
        kind: "problem",
        toolId,
        code: printed.errorCode,
        message: printed.errorMessage,
      });
    case "done":
      return changeTool(view, event, (tool) => ({ ...tool, summary: printed.summary ?? null }));
  }
}

function foldUiEvent(view: SessionView, event: NarratoriaEvent, printed: UiEvent, toolId: string): SessionView {
  const choices = printed.event === "narrative_choice" ? readChoices(printed.payload ?? {}) : null;
  if (choices === null) {
    const payload = printed.payload ?? null;
    return addPassage(view, event, { kind: "placeholder", toolId, event: printed.event, payload });
  }
  return changeTurn(view, event, (turn) => ({ ...turn, choices: withChoices(turn.choices, choices) }));
}

/** Null when the payload is not what the protocol says. */
function readChoices(payload: JsonObject): Choice[] | null {
  const given = payload["choices"];
  if (!Array.isArray(given)) return null;
  const choices = given.map((choice) => {
    if (typeof choice === "string") return { label: choice };
    return isJsonObject(choice) && typeof choice["label"] === "string" ? (choice as unknown as Choice) : null;
  });
  return choices.every((choice) => choice !== null && choice.label.trim() !== "") ? (choices as Choice[]) : null;
}

export function progressOf(fields: JsonObject | null | undefined): number | null {
  const { progress, current, total } = fields ?? {};
  const fraction = isNumber(progress)
    ? progress
    : isNumber(current) && isNumber(total) && total > 0
      ? current / total
      : null;
  return fraction === null ? null : Math.min(1, Math.max(0, fraction));
}

function isNumber(value: Json | undefined): value is number {
  return typeof value === "number";
}

function addPassage(view: SessionView, event: NarratoriaEvent, passage: Passage): SessionView {
  return changeTurn(view, event, (turn) => ({ ...turn, passages: [...turn.passages, passage] }));
}

function changeTool(view: SessionView, event: NarratoriaEvent, change: (tool: ToolView) => ToolView): SessionView {
  return changeTurn(view, event, (turn: TurnView) => {
    const toolId = event.data?.["toolId"];
    const at = turn.tools.findLastIndex((tool) => tool.planId === event.request_id && tool.toolId === toolId);
    const tool = turn.tools[at];
    return tool === undefined ? turn : { ...turn, tools: turn.tools.with(at, change(tool)) };
  });
}

/** Several log lines folded as one: the last of them, and `data.lines` tells of the run that it ends. */
export interface LineRun {
  count: number;
  /** The last that was told in the run. */
  progress: number | null;
}

export function asRun(last: NarratoriaEvent, { count, progress }: LineRun): NarratoriaEvent {
  return { ...last, data: { ...last.data, lines: { count, progress } } };
}

export function foldLogLines(view: SessionView, last: NarratoriaEvent, run: LineRun): SessionView {
  return foldToolEvent(view, asRun(last, run));
}

const SHOWN_CHARACTERS = 500;

/** A line may have megabytes; a view is sent and kept many times over. */
export function shownMessage(message: string): string {
  return message.length <= SHOWN_CHARACTERS ? message : `${message.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`;
}

function addLogLines(tool: ToolView, event: NarratoriaEvent, printed: LogEvent): ToolView {
  const run = event.data?.["lines"] as unknown as LineRun | undefined;
  const count = run?.count ?? 1;
  const progress = run === undefined ? progressOf(printed.fields) : run.progress;
  const at = tool.attempts.findLastIndex(({ spanId }) => spanId === event.span_id);
  const attempt = tool.attempts[at];
  return {
    ...tool,
    logCount: tool.logCount + count,
    message: shownMessage(printed.message),
    progress: progress ?? tool.progress,
    attempts:
      attempt === undefined
        ? tool.attempts
        : tool.attempts.with(at, { ...attempt, logCount: attempt.logCount + count }),
  };
}
