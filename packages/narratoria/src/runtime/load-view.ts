/**
 * A session's view from what the store kept. Only the latest turns are loaded, and the state before them comes from the
 * nearest snapshot: opening a long story takes as long as opening a short one.
 */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import type { NarratoriaEvent } from "../story/event.ts";
import { emptyView, foldEvents } from "../story/fold-events.ts";
import { mergePatch } from "../story/merge-patch.ts";
import type { SessionView, TurnView } from "../story/session-view.ts";
import type { HealthRecord } from "../story/skill-health.ts";
import type { SessionRow, Store, TurnRow } from "./store.ts";

const TURNS_IN_VIEW = 50;
/** Between two snapshots there are at most this many turns. */
export const TURNS_PER_SNAPSHOT = 32;

export function loadView(store: Store, session: SessionRow, turnsInView: number = TURNS_IN_VIEW): SessionView {
  const path = session.headTurnId === null ? [] : store.pathTo(session.headTurnId, turnsInView);
  const start = foldEvents(emptyView(session.sessionId), startEvents(store, session));
  const before = { ...start, title: session.title, ended: session.ended, bookmarks: bookmarksOf(store, session) };
  const oldest = path[0];
  const state = oldest === undefined ? start.state : stateAt(store, oldest.parentTurnId, start.state);
  const events = path.flatMap(({ turnId }) => store.turnEvents(turnId));
  const view = foldEvents({ ...before, state, seq: 0 }, events);
  const turns = view.turns.map((turn) => ({
    ...turn,
    takes: store.takes(session.sessionId, turn.parentTurnId).map(({ turnId }) => turnId),
    tools: turn.tools.map((tool) => ({ ...tool, logCount: countLogs(store, tool.attempts) })),
  }));
  return { ...view, turns, seq: store.lastSeq() };
}

function countLogs(store: Store, attempts: readonly { spanId: string }[]): number {
  return attempts.reduce((total, { spanId }) => total + store.countLogLines(spanId), 0);
}

/** One turn alone, wherever it lies in the tree; `state` is the one it began with. */
export function loadTurn(store: Store, turn: TurnRow, state: JsonObject): TurnView {
  const view = foldEvents({ ...emptyView(turn.sessionId), state }, store.turnEvents(turn.turnId));
  const folded = view.turns[0] as TurnView;
  const takes = store.takes(turn.sessionId, turn.parentTurnId).map(({ turnId }) => turnId);
  return { ...folded, takes, tools: folded.tools.map((tool) => ({ ...tool, logCount: countLogs(store, tool.attempts) })) };
}

export function initialStateOf(store: Store, sessionId: string): JsonObject {
  const session = store.session(sessionId);
  return session === null ? {} : foldEvents(emptyView(sessionId), startEvents(store, session)).state;
}

/** The state after a turn; null stands for the time before the first. */
export function stateAt(store: Store, turnId: string | null, initial: JsonObject): JsonObject {
  if (turnId === null) return initial;
  const path = store.pathTo(turnId, TURNS_PER_SNAPSHOT + 1).toReversed();
  const snapshots = path.map((turn) => store.snapshot(turn.turnId));
  const at = snapshots.findIndex((snapshot) => snapshot !== null);
  const toFold = (at === -1 ? path : path.slice(0, at)).toReversed();
  const patches = toFold.flatMap(({ turnId: id }) => store.turnEvents(id)).map(patchOf);
  return patches.reduce<JsonObject>(
    (state, patch) => (patch === null ? state : mergePatch(state, patch)),
    snapshots[at] ?? initial,
  );
}

export function patchOf(event: NarratoriaEvent): JsonObject | null {
  const printed = event.event === "tool:event" ? event.data?.["event"] : null;
  if (!isJsonObject(printed) || printed["type"] !== "state_patch") return null;
  return isJsonObject(printed["patch"]) ? printed["patch"] : null;
}

/** What the narrator remembered, and how the skills were doing, at the end of the latest turn that says so. */
export function narratorRecordAt(store: Store, turnId: string | null): { memory: Json; health: HealthRecord } {
  let memory: Json | undefined;
  let health: Json | undefined;
  for (let at = turnId; at !== null && (memory === undefined || health === undefined); ) {
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
  return foldEvents(emptyView(""), store.sessionEvents(session.sessionId, "session:bookmark")).bookmarks;
}
