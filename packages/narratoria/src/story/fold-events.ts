/**
 * The story is the fold of its events: from a view and what happened next to the next view. Pure, the same code in the
 * host, the browser and the terminal. Nothing is changed in place that the caller can see.
 */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import type { Choice } from "@narratoria/tool/protocol";
import { changeTurn, withChoices } from "./change-turn.ts";
import type { NarratoriaEvent } from "./event.ts";
import { foldToolEvent } from "./fold-tool-event.ts";
import type { Plan } from "./plan.ts";
import type { AskView, PlanView, SessionView, ToolView, TurnStatus, TurnView } from "./session-view.ts";

export function foldEvents(view: SessionView, events: readonly NarratoriaEvent[]): SessionView {
  let next = view;
  for (const event of events) {
    // A number at or below the view's was folded before: a resumed stream may repeat itself.
    if (typeof event.seq === "number" && event.seq <= next.seq) continue;
    next = { ...foldEvent(next, event), seq: event.seq ?? next.seq };
  }
  return next;
}

/** The head went somewhere else: its state lies outside this view, so whoever holds it must fetch it anew. */
export function leavesTheView(event: NarratoriaEvent): boolean {
  return event.event === "session:head";
}

export function emptyView(sessionId: string): SessionView {
  return {
    sessionId,
    title: "",
    story: { dir: "", title: "", version: null },
    headTurnId: null,
    turns: [],
    turnCount: 0,
    state: {},
    choices: [],
    asks: [],
    bookmarks: {},
    ended: false,
    seq: 0,
  };
}

function foldEvent(view: SessionView, event: NarratoriaEvent): SessionView {
  const data = event.data ?? {};
  switch (event.event) {
    case "session:start":
      return startSession(view, data);
    case "session:fork":
      return { ...view, title: text(data["title"]) ?? view.title };
    case "session:title":
      return { ...view, title: text(data["title"]) ?? view.title };
    case "session:bookmark":
      return { ...view, bookmarks: bookmarked(view.bookmarks, text(data["turnId"]) ?? "", text(data["name"])) };
    case "session:end":
      return { ...view, ended: true };
    case "session:head":
      return moveHead(view, text(data["turnId"]));
    case "turn:start":
      return startTurn(view, event);
    case "turn:interrupt":
      return { ...changeTurn(view, event, interruptTurn), asks: [] };
    case "turn:resume":
      return changeTurn(view, event, (turn) => ({ ...turn, status: "running" }));
    case "turn:end":
      return endTurn(view, event);
    case "plan:create":
      return changeTurn(view, event, (turn) => addPlan(turn, event));
    case "plan:end":
      return changeTurn(view, event, (turn) => endPlan(turn, event));
    case "tool:start":
    case "tool:event":
    case "tool:end":
      return foldToolEvent(view, event);
    case "ask:open":
      return { ...view, asks: [...view.asks, data as unknown as AskView] };
    case "ask:answer":
      return { ...view, asks: view.asks.filter(({ askId }) => askId !== data["askId"]) };
    default:
      return view;
  }
}

function startSession(view: SessionView, data: JsonObject): SessionView {
  const story = isJsonObject(data["story"]) ? data["story"] : {};
  const plan = isJsonObject(data["plan"]) ? data["plan"] : {};
  const inputs = isJsonObject(plan["inputs"]) ? plan["inputs"] : {};
  return {
    ...view,
    title: text(data["title"]) ?? "",
    story: { dir: text(story["dir"]) ?? "", title: text(story["title"]) ?? "", version: text(story["version"]) },
    state: isJsonObject(inputs["state"]) ? inputs["state"] : {},
  };
}

function startTurn(view: SessionView, event: NarratoriaEvent): SessionView {
  const data = event.data ?? {};
  const parentTurnId = text(data["parentTurnId"]);
  const number = Number(data["number"] ?? 0);
  const turn: TurnView = {
    turnId: text(data["turnId"]) ?? "",
    parentTurnId,
    number,
    // The opening scene answers to no prompt; its event carries an empty one.
    prompt: text(data["prompt"]) || null,
    status: "running",
    startedAt: event.ts,
    endedAt: null,
    passages: [],
    plans: [],
    tools: [],
    choices: [],
    ending: null,
    notice: null,
    takes: Array.isArray(data["takes"]) ? (data["takes"] as string[]) : [],
  };
  const parentAt = view.turns.findIndex(({ turnId }) => turnId === parentTurnId);
  const turns = [...view.turns.slice(0, parentAt + 1), turn];
  return { ...view, turns, turnCount: number + 1, headTurnId: turn.turnId, choices: [] };
}

function endTurn(view: SessionView, event: NarratoriaEvent): SessionView {
  const data = event.data ?? {};
  const ended = changeTurn(view, event, (turn) => ({
    ...turn,
    status: (event.status ?? "completed") as TurnStatus,
    endedAt: event.ts,
    passages: withText(turn, text(data["narrative"])),
    choices: withChoices(turn.choices, (data["choices"] ?? []) as unknown as Choice[]),
    ending: text(data["ending"]),
    notice: text(data["notice"]),
  }));
  const head = ended.turns.at(-1);
  return { ...ended, choices: head?.choices ?? [], asks: [] };
}

/** What ran then has ended with its host, and what was asked counts as denied. */
function interruptTurn(turn: TurnView): TurnView {
  return { ...turn, status: "interrupted", tools: turn.tools.map(interruptTool) };
}

function interruptTool(tool: ToolView): ToolView {
  if (tool.status !== "running" && tool.status !== "retrying") return tool;
  const attempts = tool.attempts.map((attempt) =>
    attempt.status === "running" ? { ...attempt, status: "interrupted" } : attempt,
  );
  const message = "Narratoria stopped while it ran";
  return { ...tool, status: "failed", attempts, error: { category: "process_error", code: "INTERRUPTED", message } };
}

function moveHead(view: SessionView, turnId: string | null): SessionView {
  const at = view.turns.findIndex((turn) => turn.turnId === turnId);
  const turns = view.turns.slice(0, at + 1);
  const head = turns.at(-1);
  const turnCount = head === undefined ? 0 : head.number + 1;
  return { ...view, headTurnId: turnId, turns, turnCount, choices: head?.choices ?? [] };
}

function addPlan(turn: TurnView, event: NarratoriaEvent): TurnView {
  const data = event.data ?? {};
  const problems = (data["problems"] ?? []) as unknown as PlanView["problems"];
  if (event.status === "rejected") {
    // Of a plan that is none only what the runtime has set can be relied on.
    const { metadata, disabledSkills } = data["plan"] as unknown as Pick<Plan, "metadata" | "disabledSkills">;
    const outline = { planId: event.request_id ?? "", narrative: "", ...metadata, disabledSkills };
    const plan: PlanView = { ...outline, status: "rejected", toolIds: [], dependencies: {}, problems };
    return { ...turn, plans: [...turn.plans, plan] };
  }
  const plan = data["plan"] as unknown as Plan;
  const skills = isJsonObject(data["skills"]) ? data["skills"] : {};
  const view: PlanView = {
    planId: plan.requestId,
    narrative: plan.narrative,
    generationAttempt: plan.metadata.generationAttempt,
    parentPlanId: plan.metadata.parentPlanId,
    disabledSkills: plan.disabledSkills,
    status: "running",
    toolIds: plan.tools.map(({ toolId }) => toolId),
    dependencies: Object.fromEntries(plan.tools.map((tool) => [tool.toolId, tool.dependencies])),
    problems,
  };
  const pending = plan.tools.map(({ toolId, toolPath, retryPolicy }): ToolView => ({
    planId: plan.requestId,
    toolId,
    skill: text(skills[toolId]) ?? toolPath,
    status: "pending",
    attempt: 0,
    maxAttempts: retryPolicy.maxRetries + 1,
    progress: null,
    message: null,
    summary: null,
    error: null,
    logCount: 0,
    startedAt: null,
    durationMs: null,
    sandbox: null,
    attempts: [],
  }));
  return {
    ...turn,
    plans: [...turn.plans, view],
    tools: [...turn.tools, ...pending],
    passages: withText(turn, plan.narrative),
  };
}

function endPlan(turn: TurnView, event: NarratoriaEvent): TurnView {
  const status = event.status === "ok" ? "completed" : "failed";
  return {
    ...turn,
    plans: turn.plans.map((plan) => (plan.planId === event.request_id ? { ...plan, status } : plan)),
  };
}

function withText(turn: TurnView, narrative: string | null): TurnView["passages"] {
  return narrative === null || narrative.trim() === ""
    ? turn.passages
    : [...turn.passages, { kind: "text", text: narrative }];
}

function bookmarked(
  bookmarks: SessionView["bookmarks"],
  turnId: string,
  name: string | null,
): SessionView["bookmarks"] {
  const { [turnId]: _, ...others } = bookmarks;
  return name === null ? others : { ...others, [turnId]: name };
}

function text(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}
