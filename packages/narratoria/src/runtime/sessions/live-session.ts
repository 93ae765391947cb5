/**
 * A session that is open in this host: its view, kept current by the fold, and what the next turn needs to know.
 * The store has it all; this is what need not be read again.
 */
import type { Json } from "@narratoria/tool/json";
import type { NarratoriaEvent } from "../../story/event.ts";
import { foldView, leavesTheView } from "../../story/fold-view.ts";
import { asRun, type LineRun } from "../../story/log-lines.ts";
import type { SessionView } from "../../story/session-view.ts";
import type { HealthRecord } from "../../story/skill-health.ts";
import { growthBy, sizeOf } from "../../story/state-size.ts";
import type { EventDraft } from "../../story/event.ts";
import { loadView, narratorRecordAt } from "./load-view.ts";
import { patchOf } from "../../story/event.ts";
import type { Store } from "../seams/store.ts";

export interface LiveSession {
  readonly sessionId: string;
  view: SessionView;
  /** Of the state, as `story/state-size.ts` counts. */
  stateSize: number;
  memory: Json;
  health: HealthRecord;
  running: RunningTurn | null;
  /** Of a turn that ended when the disk was full. */
  unwrittenEnd: EventDraft | null;
}

export interface RunningTurn {
  turnId: string;
  stop: AbortController;
  finished: Promise<void>;
}

/** Keeping every turn of a long evening in memory would make each fold slower than the one before. */
const MOST_TURNS_IN_VIEW = 100;

export function openLiveSession(store: Store, sessionId: string): LiveSession | null {
  const session = store.session(sessionId);
  if (session === null) return null;
  const atRest = { stateSize: 0, memory: null, health: {}, running: null, unwrittenEnd: null };
  const live: LiveSession = { sessionId, view: loadView(store, session), ...atRest };
  refresh(live, store);
  return live;
}

/** Folds what was committed. Of a run of log lines only the last one is given. */
export function keepCurrent(
  live: LiveSession,
  events: readonly NarratoriaEvent[],
  lines: LineRun | null,
  store: Store,
): void {
  for (const event of events) {
    const patch = patchOf(event);
    if (patch !== null) live.stateSize += growthBy(live.view.state, patch);
    if (lines !== null) live.view = foldView(live.view, [asRun(event as never, lines)]);
    else live.view = foldView(live.view, [event]);
    if (event.event === "context:set" && event.data?.["key"] === "narrator") live.memory = event.data["value"] ?? null;
    if (event.event === "turn:end") live.health = (event.data?.["health"] ?? {}) as unknown as HealthRecord;
    if (leavesTheView(event)) reload(live, store);
  }
  if (live.view.turns.length > MOST_TURNS_IN_VIEW) {
    live.view = { ...live.view, turns: live.view.turns.slice(-MOST_TURNS_IN_VIEW / 2) };
  }
}

function reload(live: LiveSession, store: Store): void {
  const session = store.session(live.sessionId);
  if (session === null) return;
  live.view = loadView(store, session);
  refresh(live, store);
}

function refresh(live: LiveSession, store: Store): void {
  live.stateSize = sizeOf(live.view.state);
  Object.assign(live, narratorRecordAt(store, live.view.headTurnId));
}
