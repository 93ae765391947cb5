/**
 * A session's view from what the store kept. Only the latest turns are loaded, and the state before them comes from the
 * nearest snapshot: opening a long story takes as long as opening a short one.
 */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { patchOf, type NarratoriaEvent } from "../../story/event.ts";
import { emptyView, foldView } from "../../story/fold-view.ts";
import { shownMessage } from "../../story/log-lines.ts";
import { mergePatch } from "../../story/merge-patch.ts";
import type { SessionView, ToolView, TurnView } from "../../story/session-view.ts";
import type { HealthRecord } from "../../story/skill-health.ts";
import type { SessionRow, Store, TurnRow } from "../seams/store.ts";

/** At most; and at least so many as lie between this and the latest snapshot before it. */
const TURNS_IN_VIEW = 20;
/** Between two snapshots there are at most this many turns. */
export const TURNS_PER_SNAPSHOT = 8;

export function loadView(store: Store, session: SessionRow, turnsInView: number = TURNS_IN_VIEW): SessionView {
  const path = session.headTurnId === null ? [] : fromSnapshot(store, store.pathTo(session.headTurnId, turnsInView));
  const start = foldView(emptyView(session.sessionId), startEvents(store, session));
  const before = { ...start, title: session.title, ended: session.ended, bookmarks: bookmarksOf(store, session) };
  const oldest = path[0];
  const state = oldest === undefined ? start.state : stateAt(store, oldest.parentTurnId, start.state);
  const events = path.flatMap(({ turnId }) => store.turnEvents(turnId));
  const view = foldView({ ...before, state, seq: 0 }, events);
  return { ...view, turns: view.turns.map((turn) => complete(store, session, turn)), seq: store.lastSeq(session.sessionId) };
}

/** Begins where a snapshot says what the state was: nothing before has to be folded. */
function fromSnapshot(store: Store, path: TurnRow[]): TurnRow[] {
  const at = path.findIndex(({ parentTurnId }) => parentTurnId === null || store.snapshot(parentTurnId) !== null);
  return at > 0 && at <= TURNS_PER_SNAPSHOT ? path.slice(at) : path;
}

/** What a turn's own events do not say: the other takes, and what its tools logged. */
function complete(store: Store, session: SessionRow, turn: TurnView): TurnView {
  const takes = takesOf(store, session, turn.parentTurnId);
  return { ...turn, takes, tools: turn.tools.map((tool) => withLogs(store, tool)) };
}

function withLogs(store: Store, tool: ToolView): ToolView {
  const attempts = tool.attempts.map((attempt) => ({ ...attempt, logCount: store.countLogLines(attempt.spanId) }));
  const logCount = attempts.reduce((total, attempt) => total + attempt.logCount, 0);
  if (logCount === 0) return tool;
  const logs = tool.attempts.map(({ spanId }) => store.latestLog(spanId));
  const printed = logs.findLast((log) => log !== null)?.line.data?.["event"];
  const message =
    isJsonObject(printed) && typeof printed["message"] === "string" ? shownMessage(printed["message"]) : null;
  return { ...tool, attempts, logCount, message, progress: logs.at(-1)?.progress ?? null };
}

/** The turns with that parent in the session's tree, oldest first: its own, and the one it inherited. */
export function takesOf(store: Store, session: SessionRow, parentTurnId: string | null): string[] {
  const own = store.takes(session.sessionId, parentTurnId).map(({ turnId }) => turnId);
  const fork = session.forkTurnId === null ? null : store.turn(session.forkTurnId);
  const number = parentTurnId === null ? 0 : (store.turn(parentTurnId)?.number ?? 0) + 1;
  if (fork === null || fork.number < number) return own;
  const [inherited] = store.pathTo(fork.turnId, fork.number - number + 1);
  return inherited?.parentTurnId === parentTurnId ? [inherited.turnId, ...own] : own;
}

/** One turn alone, wherever it lies in the tree; `state` is the one it began with. */
export function loadTurn(store: Store, session: SessionRow, turn: TurnRow, state: JsonObject): TurnView {
  const view = foldView({ ...emptyView(turn.sessionId), state }, store.turnEvents(turn.turnId));
  return complete(store, session, view.turns[0] as TurnView);
}

export function initialStateOf(store: Store, sessionId: string): JsonObject {
  const session = store.session(sessionId);
  return session === null ? {} : foldView(emptyView(sessionId), startEvents(store, session)).state;
}

/** The state after a turn; null stands for the time before the first. */
export function stateAt(store: Store, turnId: string | null, initial: JsonObject): JsonObject {
  const toFold: string[] = [];
  let state: JsonObject | null = null;
  // A turn that failed or was interrupted has left no snapshot: then the way back to one is longer.
  for (let at = turnId; at !== null && state === null;) {
    state = store.snapshot(at);
    if (state === null) {
      toFold.push(at);
      at = store.turn(at)?.parentTurnId ?? null;
    }
  }
  const patches = toFold.toReversed().flatMap((id) => store.turnEvents(id).map(patchOf));
  return patches.reduce<JsonObject>(
    (before, patch) => (patch === null ? before : mergePatch(before, patch)),
    state ?? initial,
  );
}

/** The skills the player wanted to be tried again, and in which turn. */
export function enabledSkills(store: Store, sessionId: string): Map<string, number> {
  const enabled = new Map<string, number>();
  for (const { data } of store.sessionEvents(sessionId, "context:set")) {
    const { key, skill, value } = data as { key: string; skill: string; value: number };
    if (key === ENABLED_SKILL) enabled.set(skill, value);
  }
  return enabled;
}

/** The key of the `context:set` that says so. */
export const ENABLED_SKILL = "enabled_skill";

/** What the narrator remembered, and how the skills were doing, at the end of the latest turn that says so. */
export function narratorRecordAt(store: Store, turnId: string | null): { memory: Json; health: HealthRecord } {
  let memory: Json | undefined;
  let health: Json | undefined;
  for (let at = turnId; at !== null && (memory === undefined || health === undefined);) {
    for (const event of store.turnEvents(at).toReversed()) {
      if (event.event === "context:set" && event.data?.["key"] === "narrator") memory ??= event.data["value"];
      if (event.event === "turn:end") health ??= event.data?.["health"];
    }
    at = store.turn(at)?.parentTurnId ?? null;
  }
  return { memory: memory ?? null, health: (health ?? {}) as unknown as HealthRecord };
}

function startEvents(store: Store, session: SessionRow): NarratoriaEvent[] {
  let root: SessionRow | null = session;
  while (root?.parentSessionId) root = store.session(root.parentSessionId);
  return root === null ? [] : store.sessionEvents(root.sessionId, "session:start");
}

function bookmarksOf(store: Store, session: SessionRow): SessionView["bookmarks"] {
  return foldView(emptyView(""), store.sessionEvents(session.sessionId, "session:bookmark")).bookmarks;
}
