/**
 * The part of the session service that has turns told: a prompt, another take, a turn that was interrupted, and their
 * ends. A turn begins with an event and is told in the background (`turns/`); a session has one at a time.
 */
import { UNDO_CHOICE, type OfferedChoice } from "../../story/choices.ts";
import type { DraftOf, EventDraft, EventOf } from "../../story/event.ts";
import { CancelReason } from "../execution/cancel-reason.ts";
import { inSlices } from "../execution/slices.ts";
import type { AskDesk } from "../policy/asks.ts";
import { conflict, notFound, refused } from "../seams/refusals.ts";
import { isRefusal, type Refusal, type Said, type SessionService } from "../seams/session-service.ts";
import { rebuildTurn } from "../turns/rebuild-turn.ts";
import { isWorthASnapshot, stateAfter } from "../turns/state-after.ts";
import { readTurn } from "../turns/turn-pages.ts";
import type { RunningTurn } from "../turns/begin-turn.ts";
import type { TurnSession } from "../turns/turn-session.ts";
import { NOTHING_DONE, type TurnStart } from "../turns/turn-start.ts";
import type { CatchUp } from "./catch-up.ts";
import type { LiveSession } from "./live-session.ts";
import { headMove } from "./move-head.ts";
import type { SessionDesk } from "./session-desk.ts";
import { sessionOfTurn } from "./session-of-turn.ts";

export interface Play extends Pick<
  SessionService,
  "prompt" | "retry" | "resume" | "discard" | "cancel" | "answer" | "turnEnded" | "idle"
> {
  /** Writes the first events of a new session and the start of its opening scene in one commit, and has it told. */
  beginSession(sessionId: string, first: readonly EventDraft[]): void;
}

/** Where new ids come from, and the seed with which a turn rolls its dice. */
export interface Ids {
  newId(): string;
  newSeed(): number;
}

/** Tells a turn in the background, to its end, whatever happens: `finished` never rejects. */
export type BeginTurn = (session: TurnSession, start: TurnStart) => RunningTurn;

/** How turns are told here. */
export interface TurnTelling {
  readonly beginTurn: BeginTurn;
  /** Where the questions wait that turns have for their player. */
  readonly asks: AskDesk;
}

export interface PlayParts {
  readonly catchUp: CatchUp;
  readonly ids: Ids;
  readonly telling: TurnTelling;
}

type StartDraft = DraftOf<"turn:start"> & { data: { seed: number; number: number } };

/** What a turn answers to: what was typed, or the label of the choice that was taken. */
interface TakenPrompt {
  readonly text: string;
  readonly choiceId: string | null;
}

const MOST_PROMPT_BYTES = 64 * 1024;
/** Who has sent so many prompts since then has heard of the one before. */
const TURNS_WITH_KEYS = 20;
const NOT_OPEN = "this choice is not open any more; look at those that are";
const OTHER_PROMPT = "another prompt was sent with this key already; give each prompt its own";

export function createPlay({ store, ancestry, open, log }: SessionDesk, { catchUp, ids, telling }: PlayParts): Play {
  /** Without a prompt: the opening scene. */
  function begin(
    session: LiveSession,
    prompt: TakenPrompt | null,
    parentTurnId: string | null,
    key?: string,
  ): { turnId: string } {
    const { sessionId } = session;
    const start = draftStart(sessionId, prompt, parentTurnId, key);
    const isElsewhere = parentTurnId !== headOf(session);
    log.append(sessionId, isElsewhere ? [headMove(parentTurnId, "branch"), start] : [start]);
    tell(session, start);
    return { turnId: start.data.turnId };
  }

  function beginSession(sessionId: string, first: readonly EventDraft[]): void {
    const start = draftStart(sessionId, null, null);
    log.append(sessionId, [...first, start]);
    const session = open.live(sessionId);
    if (isRefusal(session)) throw new Error(`a session that has just begun is not there: ${session.message}`);
    tell(session, start);
  }

  function draftStart(
    sessionId: string,
    prompt: TakenPrompt | null,
    parentTurnId: string | null,
    key?: string,
  ): StartDraft {
    const turnId = ids.newId();
    const seed = ids.newSeed();
    const parent = parentTurnId === null ? null : store.turn(parentTurnId);
    const number = parent === null ? 0 : parent.number + 1;
    const takes = [...ancestry.takes(sessionId, parentTurnId), turnId];
    const { text = "", choiceId = null } = prompt ?? {};
    const said = { prompt: text, ...(choiceId !== null && { choiceId }), ...(key !== undefined && { key }) };
    const data = { turnId, parentTurnId, seed, number, takes, ...said };
    return { event: "turn:start", component: "runtime", turn_id: turnId, data };
  }

  /** A turn whose start is written. */
  function tell(session: LiveSession, { data }: StartDraft): void {
    const { turnId, prompt, choiceId = null, seed, number } = data;
    const { state: stateAtStart } = session.present();
    const said = { prompt: prompt || null, choiceId };
    startTurn(session, { turnId, number, ...said, seed, stateAtStart, resumed: NOTHING_DONE });
  }

  function startTurn(session: LiveSession, start: TurnStart): void {
    const { turnId, stop, finished } = telling.beginTurn(sessionOfTurn(session, start.turnId, log, catchUp), start);
    const settled = finished.then(() => {
      session.running = null;
      keepSnapshot(session);
    });
    session.running = { turnId, stop, finished: settled };
  }

  function keepSnapshot(session: LiveSession): void {
    const { head, state } = session.present();
    if (head === null || log.owes(session.sessionId) || !isWorthASnapshot(head)) return;
    try {
      store.saveSnapshot(head.turnId, state);
    } catch {
      // Only the way back is longer without it.
    }
  }

  /** What the turn begins with is read before it begins: from then on nothing may come in between. */
  async function prepare(sessionId: string, parentOf: (session: LiveSession) => string | null): Promise<void> {
    const session = open.playable(sessionId);
    if (!isRefusal(session)) await session.prepare(parentOf(session));
  }

  /** The turn of a prompt with that key, among those that could still be sent again. */
  function sentBefore(sessionId: string, key: string): (TakenPrompt & { turnId: string }) | null {
    for (const turn of store.latestTurns(sessionId, TURNS_WITH_KEYS)) {
      const start = store.startOf(turn);
      if (start?.data.key === key) return { turnId: turn.turnId, ...takenIn(start) };
    }
    return null;
  }

  /** Goes back to before the turn that was asked about, which is the one before the head. */
  function takeBack(session: LiveSession): { turnId: string } | Refusal {
    const asked = store.turn(headOf(session) ?? "");
    const before = store.turn(asked?.parentTurnId ?? "");
    const turnId = before?.parentTurnId ?? before?.turnId;
    if (turnId === undefined) return conflict("this is the beginning: there is nothing to undo");
    log.append(session.sessionId, [headMove(turnId, "undo")]);
    return { turnId };
  }

  return {
    beginSession,

    async prompt(sessionId, said, { parentTurnId, key } = {}) {
      const words = typeof said === "string" ? said : said.choiceId;
      if (words.trim() === "") return refused("bad_request", "say something first");
      if (Buffer.byteLength(words) > MOST_PROMPT_BYTES)
        return refused("bad_request", "a prompt may have 64 KiB at most");
      // Before anything is read of it: a turn that is not there is no damage.
      const parent = parentTurnId === undefined ? null : open.turnIn(sessionId, parentTurnId);
      if (parent !== null && isRefusal(parent)) return parent;
      await prepare(sessionId, (session) => parentTurnId ?? headOf(session));
      const sent = key === undefined ? null : sentBefore(sessionId, key);
      if (sent !== null) return isSame(sent, said) ? { turnId: sent.turnId } : conflict(OTHER_PROMPT);
      const session = open.playable(sessionId);
      if (isRefusal(session)) return session;
      const follows = parentTurnId ?? headOf(session);
      const taken = takeFrom(session.choicesAfter(follows), said);
      if (taken === null) return conflict(NOT_OPEN);
      if (taken.choiceId === UNDO_CHOICE) return takeBack(session);
      return begin(session, taken, follows, key);
    },

    async retry(sessionId, turnId) {
      await prepare(sessionId, (session) => store.turn(turnId ?? headOf(session) ?? "")?.parentTurnId ?? null);
      const session = open.playable(sessionId);
      if (isRefusal(session)) return session;
      const id = turnId ?? headOf(session);
      if (id === null) return conflict("there is no turn to take again");
      const turn = open.turnIn(sessionId, id);
      if (isRefusal(turn)) return turn;
      const start = store.startOf(turn);
      return begin(session, start?.data.prompt ? takenIn(start) : null, turn.parentTurnId);
    },

    async resume(sessionId, turnId) {
      const left = open.turnIn(sessionId, turnId);
      if (isRefusal(left)) return left;
      await prepare(sessionId, () => turnId);
      const stateAtStart = await inSlices(stateAfter(store, left.parentTurnId, () => ancestry.initialState(sessionId)));
      const events = await inSlices(readTurn(store, turnId));
      const resumed = await inSlices(rebuildTurn(events, stateAtStart, store));

      const session = open.playable(sessionId);
      if (isRefusal(session)) return session;
      const turn = open.turnIn(sessionId, turnId);
      if (isRefusal(turn)) return turn;
      if (turn.status !== "interrupted") return conflict("this turn was not interrupted");
      if (turn.sessionId !== sessionId || store.isBuiltOn(turnId)) {
        return conflict("the story went on from this turn, so it cannot change any more; take it again instead");
      }
      const goOn: EventDraft = { event: "turn:resume", component: "kernel", turn_id: turnId, data: { turnId } };
      log.append(sessionId, headOf(session) === turnId ? [goOn] : [headMove(turnId, "switch"), goOn]);
      const start = events.find((event) => event.event === "turn:start");
      startTurn(session, {
        turnId,
        number: turn.number,
        prompt: start?.data.prompt || null,
        choiceId: start?.data.choiceId ?? null,
        seed: start?.data.seed ?? 0,
        stateAtStart,
        resumed,
      });
      return session.view();
    },

    async discard(sessionId, turnId) {
      await prepare(sessionId, () => store.turn(turnId)?.parentTurnId ?? null);
      const session = open.playable(sessionId);
      if (isRefusal(session)) return session;
      const turn = open.turnIn(sessionId, turnId);
      if (isRefusal(turn)) return turn;
      if (turn.status !== "interrupted") return conflict("this turn was not interrupted");
      // Before the opening scene there is nothing to go back to: it is told again.
      if (turn.parentTurnId === null) begin(session, null, null);
      else log.append(sessionId, [headMove(turn.parentTurnId, "discard")]);
      return session.view();
    },

    async cancel(sessionId) {
      const session = open.live(sessionId);
      if (isRefusal(session)) return session;
      session.running?.stop.abort(new CancelReason("cancelled"));
      await session.running?.finished;
      return session.view();
    },

    async answer(sessionId, askId, value) {
      const session = open.live(sessionId);
      if (isRefusal(session)) return session;
      return telling.asks.answer(sessionId, askId, value) ? { answered: true } : notFound("question", askId);
    },

    async turnEnded(sessionId, turnId) {
      const session = open.live(sessionId);
      if (isRefusal(session)) return session;
      const turn = open.turnIn(sessionId, turnId);
      if (isRefusal(turn)) return turn;
      if (session.running?.turnId === turnId) await session.running.finished;
      const { head } = session.present();
      // The end of the head may be owed to the log still.
      return head?.turnId === turnId ? head.status : (store.turn(turnId)?.status ?? turn.status);
    },

    async idle(sessionId) {
      for (let running = open.known(sessionId)?.running; running; running = open.known(sessionId)?.running) {
        await running.finished;
      }
    },
  };
}

/** What was typed stays as it was typed; only what the host itself does is known by its words too. Null: no such choice. */
function takeFrom(choices: readonly OfferedChoice[], said: Said): TakenPrompt | null {
  if (typeof said !== "string") {
    const chosen = choices.find(({ id }) => id === said.choiceId);
    return chosen === undefined ? null : { text: chosen.label, choiceId: chosen.id };
  }
  const undo = choices.find(({ id, label }) => id === UNDO_CHOICE && label === said.trim());
  return { text: said, choiceId: undo?.id ?? null };
}

function takenIn({ data }: EventOf<"turn:start">): TakenPrompt {
  return { text: data.prompt, choiceId: data.choiceId ?? null };
}

function isSame(sent: TakenPrompt, said: Said): boolean {
  return typeof said === "string" ? sent.choiceId === null && sent.text === said : sent.choiceId === said.choiceId;
}

function headOf(session: LiveSession): string | null {
  return session.present().head?.turnId ?? null;
}
