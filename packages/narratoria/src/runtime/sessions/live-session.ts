/**
 * A session that is open in this host: what running needs to know of it, folded as things happen, and its view, folded
 * when somebody looks (or when much has gathered), so that who writes the log never waits for presentation. The store
 * has it all; this is what need not be read again. Reading is done in slices wherever somebody can wait for it.
 */
import type { OfferedChoice } from "../../story/choices.ts";
import type { NarratoriaEvent } from "../../story/event.ts";
import { foldState, leavesTheState } from "../../story/fold-state.ts";
import { foldView } from "../../story/fold-view.ts";
import type { Owned } from "../../story/merge-patch.ts";
import type { SessionState } from "../../story/session-state.ts";
import type { SessionView } from "../../story/session-view.ts";
import { atOnce, inSlices, type Sliced } from "../execution/slices.ts";
import type { SessionRow, Store } from "../seams/store.ts";
import type { Ancestry } from "../turns/ancestry.ts";
import type { RunningTurn } from "../turns/begin-turn.ts";
import { loadState, loadTellings } from "./load-state.ts";
import { loadView } from "./load-view.ts";

export interface LiveSession {
  readonly sessionId: string;
  running: RunningTurn | null;
  present(): Present;
  /** The same, only to look at: the story's state in it changes with the next patch. */
  glance(): Present;
  /** All of it, read from the store where it was not needed before. */
  state(): SessionState;
  view(): Promise<SessionView>;
  /** Reads what a turn that follows another will need, so that nobody has to wait for it when it begins. */
  prepare(parentTurnId: string | null): Promise<void>;
  /** What a turn that follows another can choose from; `prepare` that turn before. */
  choicesAfter(parentTurnId: string | null): readonly OfferedChoice[];
  /** Folds what was committed, in order. */
  take(events: readonly NarratoriaEvent[]): void;
  /** Folds what will be committed before whatever comes next: nothing that is read meanwhile has it. */
  takeOwed(event: NarratoriaEvent): void;
}

/** What is at hand without reading: everything but the history that a narrator is told. */
export type Present = Omit<SessionState, "tellings">;

/** Keeping every turn of a long evening in memory would make each fold slower than the one before. */
const MOST_TURNS_IN_VIEW = 100;
/** So many events wait for somebody to look. */
const MOST_PENDING = 1_000;

export function* openLiveSession(store: Store, ancestry: Ancestry, session: SessionRow): Sliced<LiveSession> {
  const { sessionId } = session;
  let state = yield* loadState(store, ancestry, session);
  let hasTellings = false;
  /** What of the story's state nobody was given yet. */
  let owned: Owned = new WeakSet();
  /** The state with the head at another turn, as long as nothing else happens. */
  let prepared: SessionState | null = null;
  let shown: SessionView | null = null;
  let showing: Promise<SessionView> | null = null;
  let pending: NarratoriaEvent[] = [];
  let moves = 0;

  function row(): SessionRow {
    return store.session(sessionId) ?? session;
  }

  function take(events: readonly NarratoriaEvent[]): void {
    for (const event of events) {
      // Known already: read with a reload, or told when it was owed.
      if ((event.seq ?? 0) <= state.seq) continue;
      if (leavesTheState(event)) moveTo(event.data.turnId ?? null, event.seq ?? state.seq);
      else fold(event);
    }
  }

  function fold(event: NarratoriaEvent): void {
    state = foldState(state, [event], owned);
    if (shown === null && showing === null) return;
    pending.push(event);
    if (shown !== null && pending.length >= MOST_PENDING) shown = showPending(shown);
  }

  function moveTo(headTurnId: string | null, seq: number): void {
    const isPrepared = prepared?.seq === state.seq && (prepared.head?.turnId ?? null) === headTurnId;
    state = prepared !== null && isPrepared ? { ...prepared, seq } : atOnce(loadState(store, ancestry, row()));
    hasTellings = isPrepared;
    prepared = null;
    owned = new WeakSet();
    shown = null;
    pending = [];
    moves++;
  }

  async function prepare(parentTurnId: string | null): Promise<void> {
    const { head, seq } = state;
    if (head?.turnId === parentTurnId) {
      if (hasTellings || parentTurnId === null) return;
      const tellings = await inSlices(loadTellings(store, parentTurnId));
      if (state.head?.turnId === parentTurnId) rememberTellings(tellings);
    } else {
      const loaded = await inSlices(loadState(store, ancestry, { ...row(), headTurnId: parentTurnId, lastSeq: seq }));
      const tellings = parentTurnId === null ? [] : await inSlices(loadTellings(store, parentTurnId));
      prepared = { ...loaded, tellings };
    }
  }

  function choicesAfter(parentTurnId: string | null): readonly OfferedChoice[] {
    const head = [state.head, prepared?.head].find((each) => each?.turnId === parentTurnId);
    return head?.choices ?? [];
  }

  function rememberTellings(tellings: SessionState["tellings"]): void {
    if (!hasTellings) state = { ...state, tellings };
    hasTellings = true;
  }

  function give(): SessionState {
    owned = new WeakSet();
    return state;
  }

  async function view(): Promise<SessionView> {
    if (shown === null) return (showing ??= inSlices(show()).finally(() => (showing = null)));
    shown = showPending(shown);
    return shown;
  }

  function* show(): Sliced<SessionView> {
    for (;;) {
      const before = moves;
      pending = [];
      const loaded = yield* loadView(store, ancestry, row());
      if (before === moves) return (shown = showPending(shown ?? loaded));
    }
  }

  function showPending(before: SessionView): SessionView {
    if (pending.length === 0) return before;
    const after = foldView(before, pending);
    pending = [];
    if (after.turns.length <= MOST_TURNS_IN_VIEW) return after;
    return { ...after, turns: after.turns.slice(-MOST_TURNS_IN_VIEW / 2) };
  }

  return {
    sessionId,
    running: null,
    present: () => give(),
    glance: () => state,
    state: () => {
      if (!hasTellings && state.head !== null) rememberTellings(atOnce(loadTellings(store, state.head.turnId)));
      return give();
    },
    view,
    prepare,
    choicesAfter,
    take,
    takeOwed: (event) => {
      shown ??= atOnce(loadView(store, ancestry, row()));
      take([event]);
    },
  };
}
