/**
 * What is left of the turns that forks begin with when their story is purged: of each turn that something was forked
 * from, one that tells nothing and has the state, what the narrator remembers, and the choices. So a fork can be played
 * on; what was typed, told, printed and made before it is gone.
 */
import { stamp, type EventDraft, type EventOf, type NarratoriaEvent } from "../../story/event.ts";
import { patchBetween } from "../../story/patch-between.ts";
import { NARRATOR_MEMORY, type SessionState } from "../../story/session-state.ts";
import type { Sliced } from "../execution/slices.ts";
import type { SessionRow, Store, TurnReplacement, TurnRow } from "../seams/store.ts";
import type { Ancestry } from "../turns/ancestry.ts";
import { stateAfter } from "../turns/state-after.ts";
import { loadState } from "./load-state.ts";

const NOTICE = "What was told before this was deleted.";

export interface Purged {
  /** The session's first event, without its title. */
  firsts: NarratoriaEvent[];
  replacements: TurnReplacement[];
}

export function* purgeTurns(
  store: Store,
  ancestry: Ancestry,
  newId: () => string,
  session: SessionRow,
  forkTurnIds: readonly string[],
): Sliced<Purged> {
  const forked = new Set(forkTurnIds);
  const replacements: TurnReplacement[] = [];
  for (const turnId of forked) {
    const path = store.pathTo(turnId, Number.MAX_SAFE_INTEGER);
    const turn = path.at(-1);
    if (turn === undefined || turn.sessionId !== session.sessionId) continue;
    const before = path.slice(0, -1);
    const at = before.findLastIndex((each) => forked.has(each.turnId) || each.sessionId !== session.sessionId);
    const parentTurnId = before[at]?.turnId ?? null;
    const initial = (): SessionState["state"] => ancestry.initialState(session.sessionId);
    const base = parentTurnId === null ? initial() : yield* stateAfter(store, parentTurnId, initial);
    const now = yield* loadState(store, ancestry, { ...session, headTurnId: turnId, lastSeq: Number.MAX_SAFE_INTEGER });
    const drafts = draftsOf(turn, parentTurnId, patchBetween(base, now.state), now);
    const place = { session_id: session.sessionId, turn_id: turnId };
    const events = drafts.map((draft) => stamp({ ...draft, ...place }, { id: newId(), ts: turn.startedAt, seq: 0 }));
    replacements.push({ turnId, parentTurnId, way: before.slice(at + 1).map((each) => each.turnId), events });
  }
  return { firsts: untitled(store, session), replacements };
}

function draftsOf(
  { turnId, number, status }: TurnRow,
  parentTurnId: string | null,
  patch: SessionState["state"],
  { memory, health, head }: SessionState,
): EventDraft[] {
  const printed = { version: "0", type: "state_patch", patch } as const;
  const choices = [...(head?.choices ?? [])];
  return [
    { event: "turn:start", component: "runtime", data: { turnId, parentTurnId, prompt: "", number } },
    ...(Object.keys(patch).length === 0
      ? []
      : [{ event: "tool:event", component: "runner", data: { toolId: "deleted", event: printed } } as const]),
    ...(memory === null
      ? []
      : [{ event: "context:set", component: "runtime", data: { key: NARRATOR_MEMORY, value: memory } } as const]),
    {
      event: "turn:end",
      component: "runtime",
      status: status === "running" || status === "interrupted" ? "cancelled" : status,
      data: { turnId, narrative: "", choices, health, notice: NOTICE },
    },
  ];
}

/** Its title was the player's own. */
function untitled(store: Store, { sessionId }: SessionRow): NarratoriaEvent[] {
  const firsts: (EventOf<"session:start"> | EventOf<"session:fork">)[] = [
    ...store.sessionEvents(sessionId, "session:start"),
    ...store.sessionEvents(sessionId, "session:fork"),
  ];
  return firsts.map((event): NarratoriaEvent =>
    event.event === "session:start"
      ? { ...event, data: { ...event.data, title: "" } }
      : { ...event, data: { ...event.data, title: "" } },
  );
}
