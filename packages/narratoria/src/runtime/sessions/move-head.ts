/**
 * The part of the session service that moves about in the tree of turns: undo goes to the parent, a fork is a new session
 * with its head at any turn, a bookmark finds one again. Nothing is lost by any of them.
 */
import type { EventDraft } from "../../story/event.ts";
import { conflict } from "../seams/refusals.ts";
import { isRefusal, type SessionService } from "../seams/session-service.ts";
import type { Store } from "../seams/store.ts";
import type { LiveSession } from "./live-session.ts";
import type { OpenSessions } from "./open-sessions.ts";
import type { SessionLog } from "./session-log.ts";

export type HeadMoves = Pick<SessionService, "undo" | "moveHead" | "fork" | "bookmark">;

/** Null is the time before the first turn. */
export function headMove(turnId: string | null, reason: string): EventDraft {
  return { event: "session:head", component: "kernel", data: { turnId, reason } };
}

export function createHeadMoves(store: Store, open: OpenSessions, log: SessionLog, newId: () => string): HeadMoves {
  /** What is there is read before, so that the move itself happens in one go. */
  async function prepare(sessionId: string, turnIdOf: (session: LiveSession) => string | null): Promise<void> {
    const session = open.free(sessionId);
    if (!isRefusal(session)) await session.prepare(turnIdOf(session));
  }

  function parentOfHead(session: LiveSession): string | null {
    const { head } = session.present();
    return head === null ? null : (store.turn(head.turnId)?.parentTurnId ?? null);
  }

  return {
    async undo(sessionId) {
      await prepare(sessionId, parentOfHead);
      const session = open.free(sessionId);
      if (isRefusal(session)) return session;
      const parentTurnId = parentOfHead(session);
      if (parentTurnId === null) return conflict("this is the beginning: there is nothing to undo");
      log.append(sessionId, [headMove(parentTurnId, "undo")]);
      return session.view();
    },

    async moveHead(sessionId, turnId) {
      const turn = open.turnIn(sessionId, turnId);
      if (isRefusal(turn)) return turn;
      await prepare(sessionId, () => turnId);
      const session = open.free(sessionId);
      if (isRefusal(session)) return session;
      log.append(sessionId, [headMove(turnId, "switch")]);
      return session.view();
    },

    async fork(sessionId, turnId, title) {
      const session = open.live(sessionId);
      if (isRefusal(session)) return session;
      // A turn whose end is owed would seem to be running still.
      log.settle(sessionId);
      const turn = open.turnIn(sessionId, turnId);
      if (isRefusal(turn)) return turn;
      if (turn.status === "running") return conflict("this turn is still running; fork when it has ended");
      const forkId = newId();
      const data = { parent: sessionId, turnId, title: title ?? `${store.session(sessionId)?.title ?? ""} (fork)` };
      log.append(forkId, [{ event: "session:fork", component: "kernel", data }]);
      return { sessionId: forkId };
    },

    async bookmark(sessionId, turnId, name) {
      const session = open.live(sessionId);
      if (isRefusal(session)) return session;
      const turn = open.turnIn(sessionId, turnId);
      if (isRefusal(turn)) return turn;
      log.append(sessionId, [{ event: "session:bookmark", component: "kernel", data: { turnId, name } }]);
      return session.view();
    },
  };
}
