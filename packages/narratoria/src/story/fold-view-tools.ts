/** The part of the view's fold that follows tools: their attempts, their logs, and what they do to the story. */
import type { LogEvent, ToolEvent } from "@narratoria/tool/protocol";
import { changesBy } from "./changes.ts";
import { choicesIn, withChoices } from "./choices.ts";
import type { EventOf } from "./event.ts";
import { progressOf, shownMessage } from "./log-lines.ts";
import { mergePatch } from "./merge-patch.ts";
import type { ToolView } from "./session-view.ts";
import { MOST_SHOWN_BYTES, shownAsset, shownError, shownText, shownValue } from "./shown-values.ts";
import type { ViewDraft } from "./view-draft.ts";

/** Its turn has come, and every slot is taken. */
export function setWaiting(tool: ToolView | null): void {
  if (tool !== null) tool.status = "waiting";
}

export function startAttempt(tool: ToolView | null, { data, ts, span_id }: EventOf<"tool:start">): void {
  if (tool === null) return;
  tool.status = data.attempt > 1 ? "retrying" : "running";
  tool.attempt = data.attempt;
  tool.progress = null;
  tool.startedAt ??= ts;
  const unknown = { durationMs: null, exitCode: null, logCount: 0 };
  tool.attempts.push({ spanId: span_id ?? "", status: "running", startedAt: ts, ...unknown });
}

export function endAttempt(tool: ToolView | null, event: EventOf<"tool:end">): void {
  if (tool === null) return;
  const { data, status, ts } = event;
  const durationMs = event.duration_ms ?? null;
  tool.status = data.willRetry === true ? "retrying" : status;
  tool.error = event.error ? shownError(event.error) : null;
  // Logs of before the elapsed time was kept have only the two times of day.
  tool.durationMs =
    data.elapsed_ms ?? (tool.startedAt === null ? durationMs : Math.max(0, Math.round((ts - tool.startedAt) * 1000)));
  tool.sandbox = data.sandbox ?? tool.sandbox;
  const at = tool.attempts.findLastIndex(({ spanId }) => spanId === event.span_id);
  const attempt = tool.attempts[at];
  if (attempt !== undefined) tool.attempts[at] = { ...attempt, status, durationMs, exitCode: data.exitCode ?? null };
}

/** What a tool printed: a log line, or something that happens in the story. */
export function addPrinted(draft: ViewDraft, event: EventOf<"tool:event">): void {
  const { view } = draft;
  const { toolId, event: printed } = event.data;
  switch (printed.type) {
    case "log":
      return addLogLines(draft.ownTool(event), event, printed);
    case "state_patch": {
      const changes = changesBy(view.state, printed.patch);
      view.state = mergePatch(view.state, printed.patch, draft.owned);
      if (changes.length > 0) draft.addShown(event, { kind: "changes", toolId, eventId: event.id, changes });
      return;
    }
    case "done": {
      const tool = draft.ownTool(event);
      if (tool !== null) tool.summary = printed.summary ? shownText(printed.summary) : (printed.summary ?? null);
      return;
    }
    case "asset":
    case "ui_event":
    case "error":
      return addShown(draft, event, printed);
  }
}

type Shown = Extract<ToolEvent, { type: "asset" | "ui_event" | "error" }>;

function addShown(draft: ViewDraft, event: EventOf<"tool:event">, printed: Shown): void {
  const { toolId, asset } = event.data;
  if (printed.type === "error") {
    const [code, message] = [shownText(printed.errorCode), shownText(printed.errorMessage)];
    return draft.addShown(event, { kind: "problem", toolId, code, message });
  }
  if (printed.type === "asset") {
    if (!asset) return;
    const id = asset.status === "stored" ? event.id : null;
    return draft.addShown(event, { kind: "asset", asset: { ...shownAsset(asset), id } });
  }
  const choices = choicesIn(printed);
  if (choices === null) {
    const payload = shownValue(printed.payload ?? null, MOST_SHOWN_BYTES);
    return draft.addShown(event, { kind: "placeholder", toolId, event: shownText(printed.event), payload });
  }
  const turn = draft.ownTurn(event);
  if (turn !== null) turn.choices = withChoices(turn.choices, choices, { number: turn.number, by: "tool" });
}

function addLogLines(tool: ToolView | null, event: EventOf<"tool:event">, printed: LogEvent): void {
  if (tool === null) return;
  const run = event.data.lines ?? { count: 1, progress: progressOf(printed.fields) };
  tool.logCount += run.count;
  tool.message = shownMessage(printed.message);
  tool.progress = run.progress ?? tool.progress;
  const at = tool.attempts.findLastIndex(({ spanId }) => spanId === event.span_id);
  const attempt = tool.attempts[at];
  if (attempt !== undefined) tool.attempts[at] = { ...attempt, logCount: attempt.logCount + run.count };
}
