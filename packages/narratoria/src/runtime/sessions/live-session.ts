/**
 * A session that is open in this host: what running needs to know of it, folded as things happen, and its view, folded
 * when somebody looks (or when much has gathered), so that who writes the log never waits for presentation. The store
 * has it all; this is what need not be read again.
 */
import type { NarratoriaEvent } from "../../story/event.ts";
import { foldState, leavesTheState } from "../../story/fold-state.ts";
import { foldView } from "../../story/fold-view.ts";
import type { Owned } from "../../story/merge-patch.ts";
import type { SessionState } from "../../story/session-state.ts";
import type { SessionView } from "../../story/session-view.ts";
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
  view(): SessionView;
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

export function openLiveSession(store: Store, ancestry: Ancestry, session: SessionRow): LiveSession {
  const { sessionId } = session;
  let state = loadState(store, ancestry, session);
  let hasTellings = false;
  /** What of the story's state nobody was given yet. */
  let owned: Owned = new WeakSet();
  let shown: SessionView | null = null;
  let pending: NarratoriaEvent[] = [];

  function take(events: readonly NarratoriaEvent[]): void {
    for (const event of events) {
      // Known already: read with a reload, or told when it was owed.
      if ((event.seq ?? 0) <= state.seq) continue;
      if (leavesTheState(event)) reload();
      else fold(event);
    }
  }

  function fold(event: NarratoriaEvent): void {
    state = foldState(state, [event], owned);
    if (shown === null) return;
    pending.push(event);
    if (pending.length >= MOST_PENDING) shown = showPending(shown);
  }

  function reload(): void {
    state = loadState(store, ancestry, store.session(sessionId) ?? session);
    hasTellings = false;
    shown = null;
    pending = [];
  }

  function give(): SessionState {
    owned = new WeakSet();
    return state;
  }

  function readTellings(): void {
    if (hasTellings) return;
    hasTellings = true;
    if (state.head !== null) state = { ...state, tellings: loadTellings(store, state.head.turnId) };
  }

  function view(): SessionView {
    shown = showPending(shown ?? loadView(store, ancestry, store.session(sessionId) ?? session));
    return shown;
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
      readTellings();
      return give();
    },
    view,
    take,
    takeOwed: (event) => {
      view();
      take([event]);
    },
  };
}
