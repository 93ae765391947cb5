/**
 * What running needs to know of a session, from what the store kept, for any head: exactly what `fold-state.ts` makes of
 * its events one by one. Only the last two turns are folded, from the state before them, so opening a long story takes
 * as long as opening a short one; what was told before is read when a turn begins.
 */
import { foldState, tellingOf } from "../../story/fold-state.ts";
import type { Owned } from "../../story/merge-patch.ts";
import { emptyState, type SessionState, type Telling } from "../../story/session-state.ts";
import { keepLatest, KEPT_BYTES } from "../../story/tellings.ts";
import type { Sliced } from "../execution/slices.ts";
import type { SessionRow, Store } from "../seams/store.ts";
import type { Ancestry } from "../turns/ancestry.ts";
import { parentOf, stateAfter } from "../turns/state-after.ts";
import { turnPages } from "../turns/turn-pages.ts";
import { sizeOf } from "../../story/state-size.ts";

/** Without tellings: `loadTellings` has them. */
export function* loadState(store: Store, ancestry: Ancestry, session: SessionRow): Sliced<SessionState> {
  const { sessionId, headTurnId, lastSeq } = session;
  // The turn before the head says what could be chosen when the head began.
  const path = headTurnId === null ? [] : store.pathTo(headTurnId, 2);
  const start = foldState(emptyState(sessionId), ancestry.sessionEvents(sessionId, "session:start", "context:set"));
  const before = path[0]?.parentTurnId ?? null;
  const state = yield* stateAfter(store, before, () => start.state);
  const known = { ...start, ...narratorRecordAt(store, before), state, stateSize: sizeOf(state) };
  const owned: Owned = new WeakSet();
  let now: SessionState = known;
  for (const { turnId } of path) {
    for (const page of turnPages(store, turnId, lastSeq)) {
      now = foldState(now, page, owned);
      yield;
    }
  }
  return { ...now, tellings: [], ended: session.ended, seq: lastSeq };
}

const TELLING = ["turn:start", "plan:create", "turn:tell", "turn:end"] as const;
const PAGE = 50;

/** What was told on the way to a turn, the turn itself not among it: the latest, as many as are kept. */
export function* loadTellings(store: Store, turnId: string): Sliced<readonly Telling[]> {
  const keeper = keepLatest(KEPT_BYTES);
  for (let at = parentOf(store, turnId); at !== null;) {
    const path = store.pathTo(at, PAGE);
    for (const turn of path.toReversed()) {
      if (!keeper.addBefore(tellingIn(store, turn.turnId))) return keeper.kept();
      yield;
    }
    at = path[0]?.parentTurnId ?? null;
  }
  return keeper.kept();
}

function tellingIn(store: Store, turnId: string): Telling {
  const { head } = foldState(emptyState(""), store.turnEvents(turnId, TELLING));
  return head === null ? { prompt: null, narrative: "" } : tellingOf(head);
}

/** What the narrator remembered, and how the skills were doing, when each was last said on the way to a turn. */
function narratorRecordAt(store: Store, turnId: string | null): Pick<SessionState, "memory" | "health"> {
  let isRemembered = false;
  let isCounted = false;
  let { memory, health } = emptyState("");
  for (let at = turnId; at !== null && !(isRemembered && isCounted);) {
    const events = store.turnEvents(at, ["context:set", "turn:end"]);
    const said = foldState({ ...emptyState(""), memory: NOT_SAID }, events);
    if (!isRemembered && said.memory !== NOT_SAID) {
      isRemembered = true;
      memory = said.memory;
    }
    if (!isCounted && events.some(({ event }) => event === "turn:end")) {
      isCounted = true;
      health = said.health;
    }
    at = parentOf(store, at);
  }
  return { memory, health };
}

/** No narrator gives this very object. */
const NOT_SAID = {};
