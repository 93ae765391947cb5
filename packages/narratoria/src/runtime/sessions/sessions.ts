/**
 * Sessions: pointers into the tree of turns. A turn is a commit, undo moves the head to the parent, another take is a
 * sibling, a fork is a new session with its head at any turn; nothing is lost by any of them. This puts the parts of the
 * service together: the log (`session-log.ts`) is the only writer, and tells the open sessions, the readers and the
 * hooks what it has committed.
 */
import type { EventDraft } from "../../story/event.ts";
import { CancelReason } from "../execution/cancel-reason.ts";
import type { StoryShelf } from "../mounts/story-shelf.ts";
import type { Hooks } from "../policy/hooks.ts";
import type { ModuleHooks } from "../policy/module-hooks.ts";
import { createObservers } from "../policy/observers.ts";
import type { AssetStore } from "../seams/assets.ts";
import type { Clock } from "../seams/clock.ts";
import { diskTroubleIn } from "../seams/disk-trouble.ts";
import { isRefusal, type SessionService } from "../seams/session-service.ts";
import type { Store } from "../seams/store.ts";
import { createAncestry } from "../turns/ancestry.ts";
import { unendedAttempts } from "../turns/rebuild-turn.ts";
import { createBeginnings } from "./begin-session.ts";
import { createCatchUp } from "./catch-up.ts";
import { createEndings } from "./end-session.ts";
import { createFollowers } from "./followers.ts";
import { createHeadMoves } from "./move-head.ts";
import { createObservedLog } from "./observed-log.ts";
import { openFirst } from "./open-first.ts";
import { createOpenSessions } from "./open-sessions.ts";
import { createPlay, type Ids, type TurnTelling } from "./play.ts";
import { createRemovals } from "./removals.ts";
import { refuseOnDiskTrouble } from "./refuse-on-disk-trouble.ts";
import { refuseWhenClosed } from "./refuse-when-closed.ts";
import { createSessionContext } from "./session-context.ts";
import type { SessionDesk } from "./session-desk.ts";
import { createSessionLog, type SessionLog } from "./session-log.ts";
import { createReadings } from "./session-readings.ts";

/** What sessions are kept in. */
export interface SessionKeeping {
  readonly store: Store;
  readonly assets: SessionAssets;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The bytes that sessions refer to. */
export interface SessionAssets {
  readonly store: AssetStore;
  /** Where an asset's bytes lie. */
  file(sha256: string): string;
  /** Removes those of these that nobody is about to refer to. */
  sweep(hashes: readonly string[]): void;
}

/** What there is to be told, and who wants to hear of it. */
export interface SessionStories {
  readonly shelf: StoryShelf;
  readonly hooks: Pick<Hooks, "announce" | "observersOf">;
  readonly moduleHooks: ModuleHooks;
}

/** How turns are told here, and what they leave running. */
export interface SessionTurns {
  readonly telling: TurnTelling;
  /** Ends what was kept running for a session that is gone. */
  endProcessesOf(sessionId: string): Promise<void>;
  /** Null: somebody else is the host of this store, and its turns are still running. */
  readonly leftovers: Leftovers | null;
}

/** What a host that died has left behind. */
export interface Leftovers {
  /** Ends the processes of attempts that were running. */
  end(requestIds: readonly string[]): void;
}

/** How long the host waits with its end until hooks have heard of it. */
const LAST_WORDS_MS = 2_000;

export function createSessions(
  { store, assets, clock, ids }: SessionKeeping,
  { shelf, hooks, moduleHooks }: SessionStories,
  { telling, endProcessesOf, leftovers }: SessionTurns,
): SessionService {
  const ancestry = createAncestry(store);
  const followers = createFollowers(store, ancestry);
  const log = createSessionLog(store, clock, ids.newId, {
    committed: (commit) => {
      open.known(commit.sessionId)?.take(commit.events);
      followers.tell(commit);
      observers.observe(commit.sessionId, commit.events);
    },
    owed: (sessionId, event) => open.known(sessionId)?.takeOwed(event),
  });
  const open = createOpenSessions(store, ancestry, log);
  const observed = createObservedLog({ store, ancestry, log }, shelf, moduleHooks);
  const observers = createObservers(hooks, observed, clock);
  const desk: SessionDesk = { store, ancestry, open, log };
  const catchUp = createCatchUp(ancestry, hooks, moduleHooks);
  const removals = createRemovals(store, ancestry, ids.newId, assets.sweep);
  if (leftovers !== null) {
    markInterrupted(store, log, leftovers);
    void removals.finishAll();
  }

  const { beginSession, ...turns } = createPlay(desk, { catchUp, ids, telling });
  let closing: Promise<void> | null = null;
  async function closeAll(): Promise<void> {
    const running = open.all().flatMap((session) => (session.running === null ? [] : [session.running]));
    for (const turn of running) turn.stop.abort(new CancelReason("shutdown"));
    await Promise.all(running.map(({ finished }) => finished));
    for (const { sessionId } of open.all()) settleIfPossible(sessionId);
    await observers.close(LAST_WORDS_MS);
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

  function forget(sessionId: string): Promise<void> {
    observers.forget(sessionId);
    moduleHooks.forget(sessionId);
    return endProcessesOf(sessionId);
  }

  const service: SessionService = {
    ...createReadings(desk, shelf, assets.file),
    ...createBeginnings(desk, { shelf, catchUp, beginSession, removals, assets: assets.store, newId: ids.newId }),
    ...createEndings(desk, { followers, removals, forget }),
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
  return refuseWhenClosed(refuseOnDiskTrouble(openFirst(open, service)), () => closing !== null);
}

/** Turns that a host left running when it died. */
function markInterrupted(store: Store, log: SessionLog, leftovers: Leftovers): void {
  const left = store.runningTurns();
  leftovers.end(left.flatMap(({ turnId }) => attemptsLeft(store, turnId)));
  for (const { sessionId, turnId } of left) {
    const draft: EventDraft = { event: "turn:interrupt", component: "kernel", turn_id: turnId, data: { turnId } };
    // On a full disk the next host says it: opening must not fail for it.
    log.note(sessionId, draft);
  }
}

/** Of a turn that is damaged nothing is known; whoever opens its session is told. */
function attemptsLeft(store: Store, turnId: string): string[] {
  try {
    return unendedAttempts(store.turnEvents(turnId, ["tool:start", "tool:end"]));
  } catch (error) {
    if (diskTroubleIn(error) === null) throw error;
    return [];
  }
}
