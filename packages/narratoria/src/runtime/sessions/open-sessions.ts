/**
 * The sessions that are open in this host, and the turns that belong to them: every question of the service begins with
 * finding one, or a refusal that says why not.
 */
import type { JsonObject } from "@narratoria/tool/json";
import type { NarratoriaEvent } from "../../story/event.ts";
import { keepCurrent, openLiveSession, type LiveSession } from "./live-session.ts";
import { initialStateOf, stateAt } from "./load-view.ts";
import { conflict, notFound } from "../seams/refusals.ts";
import type { SessionLog } from "./session-log.ts";
import { isRefusal, type Refusal } from "../seams/session-service.ts";
import type { SessionRow, Store, TurnRow } from "../seams/store.ts";

export interface OpenSessions {
  live(sessionId: string): LiveSession | Refusal;
  /** A session in which something may begin now. */
  free(sessionId: string, log: SessionLog): LiveSession | Refusal;
  /** A turn that lies in the session's tree: its own, or one it inherited. */
  turnIn(sessionId: string, turnId: string): TurnRow | Refusal;
  stateBefore(sessionId: string, turn: TurnRow): JsonObject;
  /** Folds what was committed into the session, if it is open. */
  keepCurrent(sessionId: string, events: readonly NarratoriaEvent[], lines: Parameters<typeof keepCurrent>[2]): void;
  forget(sessionId: string): void;
  all(): LiveSession[];
  known(sessionId: string): LiveSession | undefined;
}

const MOST_OPEN_SESSIONS = 200;

export function createOpenSessions(store: Store): OpenSessions {
  const open = new Map<string, LiveSession>();

  function live(sessionId: string): LiveSession | Refusal {
    const known = open.get(sessionId);
    if (known !== undefined) return known;
    const opened = store.session(sessionId)?.removed === false ? openLiveSession(store, sessionId) : null;
    if (opened === null) return notFound("session", sessionId);
    makeRoom();
    open.set(sessionId, opened);
    return opened;
  }

  /** The longest open ones go first: a Map remembers the order. */
  function makeRoom(): void {
    for (const [sessionId, session] of open) {
      if (open.size < MOST_OPEN_SESSIONS) return;
      if (session.running === null) open.delete(sessionId);
    }
  }

  function free(sessionId: string, log: SessionLog): LiveSession | Refusal {
    const session = live(sessionId);
    if (isRefusal(session)) return session;
    if (session.running !== null) return conflict("a turn is running; wait for it or stop it first");
    if (session.view.ended) return conflict("this session has ended");
    writeWhatIsDue(session, log);
    return session;
  }

  function turnIn(sessionId: string, turnId: string): TurnRow | Refusal {
    const turn = store.turn(turnId);
    const session = store.session(sessionId);
    if (turn === null || session === null) return notFound("turn", turnId);
    if (turn.sessionId === sessionId || isInherited(session, turn)) return turn;
    return notFound("turn", turnId);
  }

  function isInherited(session: SessionRow, turn: TurnRow): boolean {
    const fork = session.forkTurnId === null ? null : store.turn(session.forkTurnId);
    if (fork === null || turn.number > fork.number) return false;
    return store.pathTo(fork.turnId, fork.number - turn.number + 1)[0]?.turnId === turn.turnId;
  }

  function stateBefore(sessionId: string, turn: TurnRow): JsonObject {
    return stateAt(store, turn.parentTurnId, initialStateOf(store, sessionId));
  }

  return {
    live,
    free,
    turnIn,
    stateBefore,
    keepCurrent: (sessionId, events, lines) => {
      const session = open.get(sessionId);
      if (session !== undefined) keepCurrent(session, events, lines, store);
    },
    forget: (sessionId) => void open.delete(sessionId),
    all: () => [...open.values()],
    known: (sessionId) => open.get(sessionId),
  };
}

/** The end of a turn that did not fit on the disk when it came. */
function writeWhatIsDue(session: LiveSession, log: SessionLog): void {
  if (session.unwrittenEnd === null) return;
  log.append([session.unwrittenEnd]);
  session.unwrittenEnd = null;
}
