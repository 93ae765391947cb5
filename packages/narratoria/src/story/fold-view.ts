/**
 * What people see of a session after what happened next: the same code in the host, the browser and the terminal. It is
 * for showing alone (`fold-state.ts` keeps what running needs). Nothing is changed in place that the caller can see,
 * and a batch costs its length (`view-draft.ts`).
 */
import { withChoices } from "./choices.ts";
import type { EventOf, NarratoriaEvent } from "./event.ts";
import { initialStateOf } from "./fold-state.ts";
import { addPrinted, endAttempt, setWaiting, startAttempt } from "./fold-view-tools.ts";
import type { PlanView, SessionView, ToolView, TurnView } from "./session-view.ts";
import { draftOf, type ViewDraft } from "./view-draft.ts";

export function foldView(view: SessionView, events: readonly NarratoriaEvent[]): SessionView {
  const draft = draftOf(view);
  foldInto(draft, events);
  return draft.view;
}

/** The same in several goes: what the draft has copied once is not copied again. */
export function foldInto(draft: ViewDraft, events: readonly NarratoriaEvent[]): void {
  for (const event of events) {
    // A number at or below the view's was folded before: a resumed stream may repeat itself.
    if (typeof event.seq === "number" && event.seq <= draft.view.seq) continue;
    foldEvent(draft, event);
    draft.view.seq = event.seq ?? draft.view.seq;
  }
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

function foldEvent(draft: ViewDraft, event: NarratoriaEvent): void {
  const { view } = draft;
  switch (event.event) {
    case "session:start":
      return startSession(view, event);
    case "session:fork":
    case "session:title":
      view.title = event.data.title ?? view.title;
      return;
    case "session:bookmark":
      view.bookmarks = bookmarked(view.bookmarks, event.data.turnId, event.data.name ?? null);
      return;
    case "session:end":
      view.ended = true;
      return;
    case "session:head":
      return moveHead(view, event.data.turnId ?? null);
    case "turn:start":
      return startTurn(view, event);
    case "turn:tell":
      return tell(draft.ownTurn(event), event.data.text);
    case "turn:interrupt":
      view.asks = [];
      return interruptTurn(draft.ownTurn(event));
    case "turn:resume":
      return setStatus(draft.ownTurn(event), "running");
    case "turn:end":
      return endTurn(draft, event);
    case "plan:create":
      return addPlan(draft.ownTurn(event), event);
    case "plan:end":
      return endPlan(draft.ownTurn(event), event);
    case "tool:wait":
      return setWaiting(draft.ownTool(event));
    case "tool:start":
      return startAttempt(draft.ownTool(event), event);
    case "tool:event":
      return addPrinted(draft, event);
    case "tool:end":
      return endAttempt(draft.ownTool(event), event);
    case "ask:open":
      view.asks = [...view.asks, event.data];
      return;
    case "ask:answer":
      view.asks = view.asks.filter(({ askId }) => askId !== event.data.askId);
      return;
    default:
  }
}

function startSession(view: SessionView, { data }: EventOf<"session:start">): void {
  const { dir = "", title = "", version = null } = data.story ?? {};
  view.title = data.title ?? "";
  view.story = { dir, title, version: version ?? null };
  view.state = initialStateOf(data);
}

function startTurn(view: SessionView, { data, ts }: EventOf<"turn:start">): void {
  const parentTurnId = data.parentTurnId ?? null;
  const number = data.number ?? 0;
  const turn: TurnView = {
    turnId: data.turnId,
    parentTurnId,
    number,
    // The opening scene answers to no prompt; its event carries an empty one.
    prompt: data.prompt || null,
    status: "running",
    startedAt: ts,
    endedAt: null,
    passages: [],
    plans: [],
    tools: [],
    choices: [],
    ending: null,
    notice: null,
    takes: [...(data.takes ?? [])],
  };
  view.turns.splice(view.turns.findLastIndex(({ turnId }) => turnId === parentTurnId) + 1, Infinity, turn);
  view.turnCount = number + 1;
  view.headTurnId = turn.turnId;
  view.choices = [];
}

/** Piece by piece: the pieces that follow each other are one text. */
function tell(turn: TurnView | null, piece: string): void {
  const last = turn?.passages.at(-1);
  if (last?.kind === "text" && last.isTold && !last.isWhole)
    turn?.passages.splice(-1, 1, { ...last, text: last.text + piece });
  else turn?.passages.push({ kind: "text", text: piece, isTold: true });
}

/** What was told before a plan and what is told after it are two texts, also when the plan shows nothing. */
function endTelling({ passages }: TurnView): void {
  const last = passages.at(-1);
  if (last?.kind === "text" && last.isTold) passages.splice(-1, 1, { ...last, isWhole: true });
}

function endTurn({ view, ownTurn }: ViewDraft, event: EventOf<"turn:end">): void {
  const { narrative, choices, ending, notice } = event.data;
  const turn = ownTurn(event);
  if (turn !== null) {
    turn.status = event.status;
    turn.endedAt = event.ts;
    addText(turn, narrative ?? "");
    turn.choices = withChoices(turn.choices, choices ?? [], { number: turn.number, by: "narrator" });
    turn.ending = ending ?? null;
    turn.notice = notice ?? null;
  }
  view.choices = view.turns.at(-1)?.choices ?? [];
  view.asks = [];
}

/** What ran then has ended with its host, and what was asked counts as denied. */
function interruptTurn(turn: TurnView | null): void {
  if (turn === null) return;
  turn.status = "interrupted";
  turn.tools = turn.tools.map(interruptTool);
}

function interruptTool(tool: ToolView): ToolView {
  if (tool.status !== "running" && tool.status !== "retrying" && tool.status !== "waiting") return tool;
  const attempts = tool.attempts.map((attempt) =>
    attempt.status === "running" ? { ...attempt, status: "interrupted" } : attempt,
  );
  const message = "Narratoria stopped while it ran";
  return { ...tool, status: "failed", attempts, error: { category: "process_error", code: "INTERRUPTED", message } };
}

function setStatus(turn: TurnView | null, status: TurnView["status"]): void {
  if (turn !== null) turn.status = status;
}

function moveHead(view: SessionView, turnId: string | null): void {
  const at = view.turns.findIndex((turn) => turn.turnId === turnId);
  view.turns.length = at + 1;
  const head = view.turns.at(-1);
  view.headTurnId = turnId;
  view.turnCount = head === undefined ? 0 : head.number + 1;
  view.choices = head?.choices ?? [];
}

function addPlan(turn: TurnView | null, event: EventOf<"plan:create">): void {
  if (turn === null) return;
  if (event.status === "rejected") {
    const { metadata, disabledSkills } = event.data.plan;
    turn.plans.push({
      planId: event.request_id ?? "",
      narrative: "",
      generationAttempt: metadata?.generationAttempt ?? 1,
      parentPlanId: metadata?.parentPlanId ?? null,
      disabledSkills: disabledSkills ?? [],
      status: "rejected",
      toolIds: [],
      dependencies: {},
      problems: event.data.problems ?? [],
    });
    return;
  }
  const { plan } = event.data;
  const skills = new Map(Object.entries(event.data.skills ?? {}));
  const view: PlanView = {
    planId: plan.requestId,
    narrative: plan.narrative,
    generationAttempt: plan.metadata.generationAttempt,
    parentPlanId: plan.metadata.parentPlanId,
    disabledSkills: plan.disabledSkills,
    status: "running",
    toolIds: plan.tools.map(({ toolId }) => toolId),
    dependencies: Object.fromEntries(plan.tools.map((tool) => [tool.toolId, tool.dependencies])),
    problems: [],
  };
  const pending = plan.tools.map(({ toolId, toolPath, retryPolicy }): ToolView => ({
    planId: plan.requestId,
    toolId,
    skill: skills.get(toolId) ?? toolPath,
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
  turn.plans.push(view);
  // Not spread into a call: a plan may have a hundred thousand tools.
  turn.tools = turn.tools.concat(pending);
  endTelling(turn);
  addText(turn, plan.narrative);
}

function endPlan(turn: TurnView | null, event: EventOf<"plan:end">): void {
  const at = turn?.plans.findLastIndex(({ planId }) => planId === event.request_id) ?? -1;
  const plan = turn?.plans[at];
  if (plan !== undefined)
    turn?.plans.splice(at, 1, { ...plan, status: event.status === "ok" ? "completed" : "failed" });
}

function addText(turn: TurnView, text: string): void {
  if (text.trim() !== "") turn.passages.push({ kind: "text", text });
}

function bookmarked(
  bookmarks: SessionView["bookmarks"],
  turnId: string,
  name: string | null,
): SessionView["bookmarks"] {
  const { [turnId]: _, ...others } = bookmarks;
  return name === null ? others : { ...others, [turnId]: name };
}
