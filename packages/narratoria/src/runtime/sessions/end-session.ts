/** The part of the session service with which sessions get another name, end, and go. */
import { conflict, refused } from "../seams/refusals.ts";
import { isRefusal, type Refusal, type SessionService } from "../seams/session-service.ts";
import type { Followers } from "./followers.ts";
import type { Removals } from "./removals.ts";
import type { SessionDesk } from "./session-desk.ts";

export type Endings = Pick<SessionService, "rename" | "end" | "forksOf" | "remove">;

/** What goes with a session that is removed. */
export interface EndingParts {
  readonly followers: Pick<Followers, "closeOf">;
  readonly removals: Pick<Removals, "finish">;
  /** Ends what was kept for a session, and what was kept running. */
  forget(sessionId: string): Promise<void>;
}

export function createEndings({ store, open, log }: SessionDesk, parts: EndingParts): Endings {
  return {
    async rename(sessionId, title) {
      const session = open.live(sessionId);
      if (isRefusal(session)) return session;
      if (title.trim() === "") return refused("bad_request", "a title needs at least one letter");
      log.append(sessionId, [{ event: "session:title", component: "kernel", data: { title: title.trim() } }]);
      return session.view();
    },

    async end(sessionId, reason) {
      const session = open.atRest(sessionId);
      if (isRefusal(session)) return session;
      if (!session.present().ended) {
        log.append(sessionId, [{ event: "session:end", component: "kernel", data: { reason } }]);
      }
      return session.view();
    },

    async forksOf(sessionId) {
      const session = isHiddenForForks(sessionId) ? null : open.live(sessionId);
      if (isRefusal(session)) return session;
      return store.forksOf(sessionId).map((fork) => ({ sessionId: fork.sessionId, title: fork.title }));
    },

    async remove(sessionId, isPurge = false) {
      const refusal = findRefusal(sessionId, isPurge);
      if (refusal !== null) return refusal;
      const forks = store.forksOf(sessionId);
      const turns = isPurge ? 0 : turnsNeeded(sessionId);
      store.beginRemoval(sessionId, isPurge);
      open.forget(sessionId);
      parts.followers.closeOf(sessionId);
      await parts.forget(sessionId);
      await parts.removals.finish(sessionId, isPurge);
      // What an open fork remembers of its beginning is gone.
      if (isPurge) for (const fork of forks) forgetIfAtRest(fork.sessionId);
      const named = forks.map((fork) => ({ sessionId: fork.sessionId, title: fork.title }));
      return {
        removed: true,
        kept: turns === 0 ? null : { turns, neededBy: named },
        shortened: isPurge ? named : [],
      };
    },
  };

  function findRefusal(sessionId: string, isPurge: boolean): Refusal | null {
    const session = isPurge && isHiddenForForks(sessionId) ? null : open.atRest(sessionId);
    if (isRefusal(session)) return session;
    const busy = isPurge ? store.forksOf(sessionId).find((fork) => open.known(fork.sessionId)?.running) : undefined;
    if (busy === undefined) return null;
    return conflict(`a turn is running in ${JSON.stringify(busy.title)}, which was forked from it`);
  }

  /** Deleted before: it is still there to be purged. */
  function isHiddenForForks(sessionId: string): boolean {
    return store.session(sessionId)?.removed === true && store.forkTurnsOf(sessionId).length > 0;
  }

  /** How many of its own turns lead to forks. */
  function turnsNeeded(sessionId: string): number {
    const ways = store.forkTurnsOf(sessionId).flatMap((turnId) => store.pathTo(turnId, Number.MAX_SAFE_INTEGER));
    return new Set(ways.filter((turn) => turn.sessionId === sessionId).map(({ turnId }) => turnId)).size;
  }

  function forgetIfAtRest(sessionId: string): void {
    if (open.known(sessionId)?.running === null) open.forget(sessionId);
  }
}
