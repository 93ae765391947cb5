/** The part of the session service with which sessions get another name, end, and go. */
import { refused } from "../seams/refusals.ts";
import { isRefusal, type SessionService } from "../seams/session-service.ts";
import type { Followers } from "./followers.ts";
import type { SessionDesk } from "./session-desk.ts";

export type Endings = Pick<SessionService, "rename" | "end" | "remove">;

/** What goes with a session that is removed. */
export interface EndingParts {
  readonly followers: Pick<Followers, "closeOf">;
  /** Removes the assets that nobody refers to any more. */
  sweepAssets(stillUsed: ReadonlySet<string>): void;
  /** Ends what was kept running for a session. */
  endProcessesOf(sessionId: string): Promise<void>;
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

    async remove(sessionId) {
      const session = open.atRest(sessionId);
      if (isRefusal(session)) return session;
      store.remove(sessionId);
      open.forget(sessionId);
      parts.followers.closeOf(sessionId);
      await parts.endProcessesOf(sessionId);
      parts.sweepAssets(store.assetHashes());
      return { removed: true };
    },
  };
}
