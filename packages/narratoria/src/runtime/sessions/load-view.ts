/**
 * A session's view from what the store kept: exactly what `fold-view.ts` makes of its events one by one, for the latest
 * turns. The state before them comes from the nearest snapshot: showing a long story takes as long as showing a short one.
 */
import type { JsonObject } from "@narratoria/tool/json";
import { emptyView, foldInto, foldView } from "../../story/fold-view.ts";
import { shownMessage } from "../../story/log-lines.ts";
import type { SessionView, ToolView, TurnView } from "../../story/session-view.ts";
import { draftOf, type ViewDraft } from "../../story/view-draft.ts";
import type { Sliced } from "../execution/slices.ts";
import type { SessionRow, Store, TurnRow } from "../seams/store.ts";
import type { Ancestry } from "../turns/ancestry.ts";
import { stateAfter, TURNS_PER_SNAPSHOT } from "../turns/state-after.ts";
import { turnPages } from "../turns/turn-pages.ts";

/** At most; and at least so many as lie between this and the latest snapshot before it. */
const TURNS_IN_VIEW = 20;

export function* loadView(
  store: Store,
  ancestry: Ancestry,
  session: SessionRow,
  turnsInView: number = TURNS_IN_VIEW,
): Sliced<SessionView> {
  const { sessionId, headTurnId, title, ended, lastSeq } = session;
  const path = headTurnId === null ? [] : fromSnapshot(store, store.pathTo(headTurnId, turnsInView));
  const ofSession = ancestry.sessionEvents(sessionId, "session:start", "session:bookmark");
  const start = foldView(emptyView(sessionId), ofSession);
  const state = yield* stateAfter(store, path[0]?.parentTurnId ?? null, () => start.state);
  const draft = draftOf({ ...start, state, title, ended, seq: 0 });
  for (const { turnId } of path) yield* foldTurn(store, turnId, lastSeq, draft);
  const { view } = draft;
  const turns = view.turns.map((turn) => complete(store, ancestry, sessionId, turn));
  return { ...view, turns, seq: lastSeq };
}

function* foldTurn(store: Store, turnId: string, until: number, draft: ViewDraft): Sliced<void> {
  for (const page of turnPages(store, turnId, until)) {
    foldInto(draft, page);
    yield;
  }
}

/** One turn alone, wherever it lies in the tree; `state` is the one it began with. */
export function* loadTurn(
  store: Store,
  ancestry: Ancestry,
  sessionId: string,
  turn: TurnRow,
  state: JsonObject,
): Sliced<TurnView | null> {
  const draft = draftOf({ ...emptyView(turn.sessionId), state });
  yield* foldTurn(store, turn.turnId, Infinity, draft);
  const [view] = draft.view.turns;
  return view === undefined ? null : complete(store, ancestry, sessionId, view);
}

/** Begins where a snapshot says what the state was: nothing before has to be folded. */
function fromSnapshot(store: Store, path: TurnRow[]): TurnRow[] {
  const at = path.findIndex(({ parentTurnId }) => parentTurnId === null || store.snapshot(parentTurnId) !== null);
  return at > 0 && at <= TURNS_PER_SNAPSHOT ? path.slice(at) : path;
}

/** What a turn's own events do not say: the other takes, and what its tools logged. */
function complete(store: Store, ancestry: Ancestry, sessionId: string, turn: TurnView): TurnView {
  const takes = ancestry.takes(sessionId, turn.parentTurnId);
  return { ...turn, takes, tools: turn.tools.map((tool) => withLogs(store, tool)) };
}

function withLogs(store: Store, tool: ToolView): ToolView {
  const attempts = tool.attempts.map((attempt) => ({ ...attempt, logCount: store.countLogLines(attempt.spanId) }));
  const logCount = attempts.reduce((total, attempt) => total + attempt.logCount, 0);
  if (logCount === 0) return tool;
  const logs = tool.attempts.map(({ spanId }) => store.latestLog(spanId));
  const printed = logs.findLast((log) => log !== null)?.line.data.event;
  const message = printed?.type === "log" ? shownMessage(printed.message) : null;
  return { ...tool, attempts, logCount, message, progress: logs.at(-1)?.progress ?? null };
}
