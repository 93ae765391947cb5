/** The events of one small session, as writers would draft them: for tests of the folds. */
import type { JsonObject } from "@narratoria/tool/json";
import type { ToolEvent } from "@narratoria/tool/protocol";
import { stamp, type DraftOf, type EventDraft, type EventOf, type NarratoriaEvent } from "../src/story/event.ts";
import { parsePlan, type Plan } from "../src/story/plan.ts";

export const TURN = { component: "runtime", session_id: "s", turn_id: "t0" } as const;
const TOOL = { ...TURN, request_id: "p", module: "lamp" } as const;

/** Numbers events as the log would, from 1 or what is given on; the number is their time, too. */
export function numbered(drafts: readonly EventDraft[], from = 1): NarratoriaEvent[] {
  return drafts.map((draft, index) => stamp(draft, { id: `e${from + index}`, ts: from + index, seq: from + index }));
}

export function start(state: JsonObject = {}): DraftOf<"session:start"> {
  const story = { dir: "/d", title: "S", version: "1" };
  const plan = { goal: "g", inputs: { state } };
  return { event: "session:start", component: "kernel", session_id: "s", data: { title: "T", story, plan } };
}

export function turn(
  turnId = "t0",
  parentTurnId: string | null = null,
  number = 0,
  prompt = "",
): DraftOf<"turn:start"> {
  const data = { turnId, parentTurnId, number, prompt, takes: [turnId] };
  return { event: "turn:start", ...TURN, turn_id: turnId, data };
}

export function tell(text: string): DraftOf<"turn:tell"> {
  return { event: "turn:tell", ...TURN, data: { turnId: "t0", text } };
}

export function turnEnd(
  more: Partial<EventOf<"turn:end">["data"]> = {},
  status: EventOf<"turn:end">["status"] = "completed",
  turnId = "t0",
): DraftOf<"turn:end"> {
  const data = { turnId, narrative: "So it went.", choices: [], ...more };
  return { event: "turn:end", ...TURN, turn_id: turnId, status, data };
}

export function planOfTools(...tools: (string | { toolId: string; [field: string]: unknown })[]): Plan {
  const given = tools.map((tool) => ({
    toolPath: "lamp",
    retryPolicy: { maxRetries: 2 },
    ...(typeof tool === "string" ? { toolId: tool } : tool),
  }));
  const reading = parsePlan({ requestId: "p", narrative: "You try.", tools: given });
  if (reading.kind === "invalid") throw new Error(JSON.stringify(reading.problems));
  return reading.plan;
}

export function planned(...toolIds: string[]): EventDraft {
  return accepted(planOfTools(...toolIds));
}

/** A plan without words. */
export function plannedSilently(...toolIds: string[]): EventDraft {
  return accepted({ ...planOfTools(...toolIds), narrative: "" });
}

function accepted(plan: Plan): EventDraft {
  const skills = Object.fromEntries(plan.tools.map(({ toolId }) => [toolId, "lamp"]));
  return { event: "plan:create", ...TURN, request_id: "p", status: "accepted", data: { plan, skills } };
}

export function planEnd(more: Partial<EventOf<"plan:end">["data"]> = {}): DraftOf<"plan:end"> {
  const data = { success: true, ...more };
  return { event: "plan:end", ...TURN, request_id: "p", status: data.success ? "ok" : "error", duration_ms: 9, data };
}

/** As tools print them, without the version. */
export function printed(
  event: DistributiveOmit<ToolEvent, "version">,
  more: Partial<EventOf<"tool:event">["data"]> & { attempt?: number } = {},
): DraftOf<"tool:event"> {
  const { attempt = 1, ...rest } = more;
  const data = { toolId: "x", event: { version: "0", ...event } as ToolEvent, ...rest };
  return { event: "tool:event", ...TOOL, span_id: `a${attempt}`, data };
}

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

export function patched(patch: JsonObject, attempt = 1): DraftOf<"tool:event"> {
  return printed({ type: "state_patch", patch }, { attempt });
}

export function logged(message: string, fields?: JsonObject): DraftOf<"tool:event"> {
  return printed({ type: "log", level: "info", message, ...(fields && { fields }) });
}

export function toolStart(attempt = 1, toolId = "x"): DraftOf<"tool:start"> {
  return { event: "tool:start", ...TOOL, span_id: `a${attempt}`, status: "running", data: { toolId, attempt } };
}

export function toolEnd(
  status: EventOf<"tool:end">["status"],
  more: Partial<EventOf<"tool:end">["data"]> = {},
  error?: EventOf<"tool:end">["error"],
): DraftOf<"tool:end"> {
  const data = { toolId: "x", attempt: 1, exitCode: 1, sandbox: "full" as const, ...more };
  const span = data.attempt === 0 ? {} : { span_id: `a${data.attempt}` };
  return { event: "tool:end", ...TOOL, ...span, status, duration_ms: 5, ...(error && { error }), data };
}
