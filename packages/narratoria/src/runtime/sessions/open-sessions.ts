/**
 * The sessions that are open in this host, and the turns that belong to them: every question of the service begins with
 * finding one, or a refusal that says why not.
 */
import { atOnce, inSlices } from "../execution/slices.ts";
import { conflict, notFound } from "../seams/refusals.ts";
import { isRefusal, type Refusal } from "../seams/session-service.ts";
import type { Store, TurnRow } from "../seams/store.ts";
import type { Ancestry } from "../turns/ancestry.ts";
import { openLiveSession, type LiveSession } from "./live-session.ts";
import type { SessionLog } from "./session-log.ts";

export interface OpenSessions {
  /** Reads a session that is not open yet, in slices: who asks for it then finds it at once. */
  ready(sessionId: string): Promise<void>;
  live(sessionId: string): LiveSession | Refusal;
  /** A session in which no turn is running, and nothing is owed to the log. */
  atRest(sessionId: string): LiveSession | Refusal;
  /** A session in which something may begin now. */
  free(sessionId: string): LiveSession | Refusal;
  /** A free session whose story is known here, so that it can be told on. */
  playable(sessionId: string): LiveSession | Refusal;
  /** A turn that lies in the session's tree. */
  turnIn(sessionId: string, turnId: string): TurnRow | Refusal;
  forget(sessionId: string): void;
  all(): LiveSession[];
  known(sessionId: string): LiveSession | undefined;
}

const MOST_OPEN_SESSIONS = 200;

export function createOpenSessions(
  store: Store,
  ancestry: Ancestry,
  log: Pick<SessionLog, "settle" | "owes">,
): OpenSessions {
  const open = new Map<string, LiveSession>();

  function live(sessionId: string): LiveSession | Refusal {
    const known = open.get(sessionId);
    if (known !== undefined) return known;
    const session = store.session(sessionId);
    if (session === null || session.removed) return notFound("session", sessionId);
    return keep(atOnce(openLiveSession(store, ancestry, session)));
  }

  function keep(opened: LiveSession): LiveSession {
    makeRoom();
    open.set(opened.sessionId, opened);
    return opened;
  }

  async function ready(sessionId: string): Promise<void> {
    while (!open.has(sessionId)) {
      const session = store.session(sessionId);
      if (session === null || session.removed) return;
      const opened = await inSlices(openLiveSession(store, ancestry, session));
      // Something may have happened to it meanwhile, or somebody could not wait.
      if (!open.has(sessionId) && store.lastSeq(sessionId) === session.lastSeq) keep(opened);
    }
  }

  /** The longest open ones go first: a Map remembers the order. */
  function makeRoom(): void {
    for (const [sessionId, session] of open) {
      if (open.size < MOST_OPEN_SESSIONS) return;
      if (session.running === null && !log.owes(sessionId)) open.delete(sessionId);
    }
  }

  function atRest(sessionId: string): LiveSession | Refusal {
    const session = live(sessionId);
    if (isRefusal(session)) return session;
    if (session.running !== null) return conflict("a turn is running; wait for it or stop it first");
    log.settle(sessionId);
    return session;
  }

  function free(sessionId: string): LiveSession | Refusal {
    const session = atRest(sessionId);
    return !isRefusal(session) && session.present().ended ? conflict("this session has ended") : session;
  }

  function playable(sessionId: string): LiveSession | Refusal {
    const session = free(sessionId);
    if (isRefusal(session) || session.present().story.dir !== "") return session;
    return conflict(
      "nobody has said which story here this session is played with, so it can only be read; import its file with the story",
    );
  }

  function turnIn(sessionId: string, turnId: string): TurnRow | Refusal {
    return ancestry.turnIn(sessionId, turnId) ?? notFound("turn", turnId);
  }

  return {
    ready,
    live,
    atRest,
    free,
    playable,
    turnIn,
    forget: (sessionId) => void open.delete(sessionId),
    all: () => [...open.values()],
    known: (sessionId) => open.get(sessionId),
  };
}
