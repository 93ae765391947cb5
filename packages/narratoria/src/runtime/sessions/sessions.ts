/**
 * Sessions: pointers into the tree of turns. A turn is a commit, undo moves the head to the parent, another take is a
 * sibling, a fork is a new session with its head at any turn; nothing is lost by any of them. This puts the parts of the
 * service together: the log (`session-log.ts`) is the only writer, and tells the open sessions, the readers and the
 * hooks what it has committed.
 */
import type { EventDraft } from "../../story/event.ts";
import { CancelReason } from "../execution/cancel-reason.ts";
import type { StoryShelf } from "../mounts/story-shelf.ts";
import type { AskDesk } from "../policy/asks.ts";
import type { Hooks } from "../policy/hooks.ts";
import type { MountHooks } from "../policy/module-hooks.ts";
import type { Clock } from "../seams/clock.ts";
import { isRefusal, type SessionService } from "../seams/session-service.ts";
import type { Store } from "../seams/store.ts";
import { createAncestry } from "../turns/ancestry.ts";
import { unendedAttempts } from "../turns/rebuild-turn.ts";
import { createCatchUp } from "./catch-up.ts";
import { createFollowers } from "./followers.ts";
import { createLifecycle, type SessionAssets } from "./lifecycle.ts";
import { createHeadMoves } from "./move-head.ts";
import { openFirst } from "./open-first.ts";
import { createOpenSessions } from "./open-sessions.ts";
import { createPlay, type BeginTurn, type Ids } from "./play.ts";
import { refuseOnDiskTrouble } from "./refuse-on-disk-trouble.ts";
import { createSessionContext } from "./session-context.ts";
import { createSessionLog, type SessionLog } from "./session-log.ts";
import { createReadings } from "./session-readings.ts";

export interface SessionsParts {
  store: Store;
  clock: Clock;
  ids: Ids;
  shelf: StoryShelf;
  asks: AskDesk;
  hooks: Pick<Hooks, "announce" | "observe">;
  mountHooks: MountHooks;
  assets: SessionAssets;
  beginTurn: BeginTurn;
  /** Ends what was kept running for a session that is gone. */
  endProcessesOf(sessionId: string): Promise<void>;
  /** Null: somebody else is the host of this store, and its turns are still running. */
  leftovers: Leftovers | null;
}

/** What a host that died has left behind. */
export interface Leftovers {
  /** Ends the processes of attempts that were running. */
  end(requestIds: readonly string[]): void;
}

export function createSessions(parts: SessionsParts): SessionService {
  const { store, clock, ids, shelf, assets } = parts;
  const ancestry = createAncestry(store);
  const followers = createFollowers(store, ancestry);
  const log = createSessionLog(store, clock, ids.newId, {
    committed: (commit) => {
      open.known(commit.sessionId)?.take(commit.events);
      followers.tell(commit);
      parts.hooks.observe(commit.events);
    },
    owed: (sessionId, event) => open.known(sessionId)?.takeOwed(event),
  });
  const open = createOpenSessions(store, ancestry, log);
  const catchUp = createCatchUp(ancestry, parts.hooks, parts.mountHooks);
  if (parts.leftovers !== null) markInterrupted(store, log, parts.leftovers);

  const play = createPlay({ store, ancestry, open, log, catchUp, ids, asks: parts.asks, beginTurn: parts.beginTurn });
  const { begin: _, ...turns } = play;
  let closing: Promise<void> | null = null;
  async function closeAll(): Promise<void> {
    const running = open.all().flatMap((session) => (session.running === null ? [] : [session.running]));
    for (const turn of running) turn.stop.abort(new CancelReason("shutdown"));
    await Promise.all(running.map(({ finished }) => finished));
    for (const { sessionId } of open.all()) settleIfPossible(sessionId);
    followers.close();
    await shelf.close();
    store.close();
  }

  function settleIfPossible(sessionId: string): void {
    try {
      log.settle(sessionId);
    } catch {
      // Then its turn counts as interrupted when the next host starts.
    }
  }

  const service: SessionService = {
    ...createReadings({ store, ancestry, shelf, open, log, assetFile: assets.file }),
    ...createLifecycle({
      store,
      ancestry,
      shelf,
      open,
      log,
      catchUp,
      followers,
      assets,
      begin: play.begin,
      newId: ids.newId,
      endProcessesOf: (sessionId) => parts.endProcessesOf(sessionId),
    }),
    ...createHeadMoves(store, open, log, ids.newId),
    ...createSessionContext(open, log),
    ...turns,

    async follow(sessionId, after, reader, logs = "each") {
      const session = open.live(sessionId);
      if (isRefusal(session)) return session;
      // A number from another life of this log: what it counted is not what is here.
      return followers.follow(sessionId, after > session.present().seq ? 0 : after, reader, logs);
    },

    close: () => (closing ??= closeAll()),
  };
  return refuseOnDiskTrouble(openFirst(open, service));
}

/** Turns that a host left running when it died. */
function markInterrupted(store: Store, log: SessionLog, leftovers: Leftovers): void {
  const left = store.runningTurns();
  leftovers.end(left.flatMap(({ turnId }) => unendedAttempts(store.turnEvents(turnId, ["tool:start", "tool:end"]))));
  for (const { sessionId, turnId } of left) {
    const draft: EventDraft = { event: "turn:interrupt", component: "kernel", turn_id: turnId, data: { turnId } };
    // On a full disk the next host says it: opening must not fail for it.
    log.note(sessionId, draft);
  }
}
