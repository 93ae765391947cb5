/** The part of the session service with which sessions get another name, end, and go. */
import { conflict, refused } from "../seams/refusals.ts";
import { isRefusal, type Removed, type SessionService } from "../seams/session-service.ts";
import type { Removal, Store } from "../seams/store.ts";
import type { Followers } from "./followers.ts";
import type { SessionDesk } from "./session-desk.ts";

export type Endings = Pick<SessionService, "rename" | "end" | "forksOf" | "remove">;

/** What goes with a session that is removed. */
export interface EndingParts {
  readonly followers: Pick<Followers, "closeOf">;
  /** Removes those of these assets that nobody is about to refer to. */
  sweepAssets(hashes: readonly string[]): void;
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
      const session = open.live(sessionId);
      if (isRefusal(session)) return session;
      return store.forksOf(sessionId).map((fork) => ({ sessionId: fork.sessionId, title: fork.title }));
    },

    async remove(sessionId, isPurge = false) {
      const session = open.atRest(sessionId);
      if (isRefusal(session)) return session;
      const busy = isPurge ? store.forksOf(sessionId).find((fork) => open.known(fork.sessionId)?.running) : undefined;
      if (busy !== undefined) {
        return conflict(`a turn is running in ${JSON.stringify(busy.title)}, which was forked from it`);
      }
      const removal = store.remove(sessionId, isPurge);
      // At once: what nobody refers to now, somebody may refer to a moment later.
      parts.sweepAssets(removal.assets);
      for (const gone of removal.sessions) {
        open.forget(gone);
        parts.followers.closeOf(gone);
      }
      await Promise.all(removal.sessions.map((gone) => parts.forget(gone)));
      return { removed: true, ...whatStays(store, removal) };
    },
  };
}

function whatStays(store: Store, { sessions, keptTurns, neededBy }: Removal): Omit<Removed, "removed"> {
  const forks = neededBy.flatMap((id) => store.session(id) ?? []).map(({ sessionId, title }) => ({ sessionId, title }));
  return { sessions, kept: keptTurns === 0 ? null : { turns: keptTurns, neededBy: forks } };
}
