/**
 * Sessions: pointers into the tree of turns. A turn is a commit, undo moves the head to the parent, another take is a
 * sibling, a fork is a new session with its head at any turn; nothing is lost by any of them. The log
 * (`session-log.ts`) is the only writer, `turn.ts` does the work of one turn, `session-readings.ts` only looks.
 */
import type { Json } from "@narratoria/tool/json";
import { mergePatch } from "../../story/merge-patch.ts";
import { CancelReason } from "../execution/cancel-reason.ts";
import type { EventDraft } from "../execution/event-log.ts";
import { createFollowers } from "./followers.ts";
import { importSession } from "../session-file/import-session.ts";
import { refuseWhenDiskFull } from "./full-disk.ts";
import type { LiveSession } from "./live-session.ts";
import { ENABLED_SKILL, takesOf } from "./load-view.ts";
import { createOpenSessions } from "./open-sessions.ts";
import { rebuildTurn, unendedAttempts } from "../turns/rebuild-turn.ts";
import { conflict, notFound, refused } from "../seams/refusals.ts";
import { readContext } from "./session-context.ts";
import { hookChanges } from "./session-hooks.ts";
import { createSessionLog } from "./session-log.ts";
import { mountChanges } from "./session-mounts.ts";
import { createReadings } from "./session-readings.ts";
import { isRefusal, type SessionService } from "../seams/session-service.ts";
import { startTurn, type TurnEnvironment } from "../turns/start-turn.ts";
import type { SessionRow } from "../seams/store.ts";
import type { StoryShelf } from "../mounts/story-shelf.ts";
import { NOTHING_DONE } from "../turns/turn.ts";

export interface SessionsOptions extends Omit<TurnEnvironment, "log" | "openStory"> {
  shelf: StoryShelf;
  /** Somebody else is the host of this store, and its turns are still running. */
  readOnly?: boolean;
  /** Where an asset's bytes lie. */
  assetFile(sha256: string): string;
  /** Ends the processes of attempts that a host left running when it died. */
  endLeftovers?(requestIds: readonly string[]): void;
  /** Ends the processes that were kept for a session. */
  endSession?(sessionId: string): Promise<void>;
  /** Removes the bytes of assets nobody refers to any more. */
  sweepAssets(stillUsed: ReadonlySet<string>): void;
}

/** Keys under which turns and the player's choices are kept. */
const OWN_KEYS = ["narrator", ENABLED_SKILL];
const MOST_PROMPT_BYTES = 64 * 1024;

export function createSessions(options: SessionsOptions): SessionService {
  const { store, clock, newId, shelf } = options;
  const open = createOpenSessions(store);
  const { live, turnIn, stateBefore } = open;
  const followers = createFollowers(store);
  const log = createSessionLog(store, clock, newId, (events, lines) => {
    for (const sessionId of new Set(events.map(({ session_id }) => session_id ?? ""))) {
      const own = events.filter(({ session_id }) => session_id === sessionId);
      open.keepCurrent(sessionId, own, lines);
      followers.notify(sessionId);
    }
    options.hooks.observe(events);
  });
  const environment: TurnEnvironment = { ...options, log, openStory: (dir) => shelf.openForTurn(dir) };
  if (!options.readOnly) markInterrupted();

  /** Turns that a host left running when it died. */
  function markInterrupted(): void {
    const left = store.runningTurns();
    options.endLeftovers?.(left.flatMap(({ turnId }) => unendedAttempts(store.turnEvents(turnId))));
    const drafts = left.map((turn): EventDraft => {
      const about = { session_id: turn.sessionId, turn_id: turn.turnId };
      return { event: "turn:interrupt", component: "kernel", data: { turnId: turn.turnId }, ...about };
    });
    if (drafts.length > 0) log.append(drafts);
  }

  function begin(session: LiveSession, prompt: string | null, parentTurnId: string | null): { turnId: string } {
    const { sessionId } = session;
    const turnId = newId();
    const drafts: EventDraft[] = [];
    if (parentTurnId !== session.view.headTurnId) drafts.push(headMove(sessionId, parentTurnId, "branch"));
    const parent = parentTurnId === null ? null : store.turn(parentTurnId);
    const siblings = takesOf(store, store.session(sessionId) as SessionRow, parentTurnId);
    const seed = options.newSeed();
    const data = {
      turnId,
      parentTurnId,
      prompt: prompt ?? "",
      seed,
      number: parent === null ? 0 : parent.number + 1,
      takes: [...siblings, turnId],
    };
    const about = { session_id: sessionId, turn_id: turnId };
    drafts.push({ event: "turn:start", component: "runtime", data, ...about });
    log.append(drafts);
    const stateAtStart = session.view.state;
    startTurn(environment, session, { turnId, number: data.number, prompt, seed, stateAtStart, resumed: NOTHING_DONE });
    return { turnId };
  }

  function headMove(sessionId: string, turnId: string | null, reason: string): EventDraft {
    return { event: "session:head", component: "kernel", data: { turnId, reason }, session_id: sessionId };
  }

  function moveHead(session: LiveSession, turnId: string | null, reason: string): LiveSession["view"] {
    log.append([headMove(session.sessionId, turnId, reason)]);
    return session.view;
  }

  const service: SessionService = {
    ...createReadings(store, shelf, open, options.assetFile),

    async create({ storyDir, title, goal, inputs }) {
      const opened = await shelf.open(storyDir ?? shelf.defaultDir);
      if (opened.kind === "invalid") {
        const problems = opened.problems as unknown as Json;
        return refused("bad_request", "this story has errors", { problems });
      }
      const { story } = opened;
      const sessionId = newId();
      const state = mergePatch(story.initialState, inputs ?? {});
      log.append([
        {
          event: "session:start",
          component: "kernel",
          session_id: sessionId,
          data: {
            title: title ?? story.title,
            story: { dir: story.dir, title: story.title, version: story.version },
            plan: { goal: goal ?? story.goal, inputs: { story: story.title, version: story.version, state } },
          },
        },
        ...mountChanges(sessionId, new Map(), story.mounts),
      ]);
      // Only now: which hooks it has depends on what it tells.
      const hookEvents = hookChanges(options, sessionId, story);
      if (hookEvents.length > 0) log.append(hookEvents);
      const session = live(sessionId);
      if (!isRefusal(session)) begin(session, null, null);
      return { sessionId };
    },

    prompt(sessionId, text, parentTurnId) {
      if (text.trim() === "") return refused("bad_request", "say something first");
      if (Buffer.byteLength(text) > MOST_PROMPT_BYTES)
        return refused("bad_request", "a prompt may have 64 KiB at most");
      const session = open.free(sessionId, log);
      if (isRefusal(session)) return session;
      if (parentTurnId !== undefined) {
        const parent = turnIn(sessionId, parentTurnId);
        if (isRefusal(parent)) return parent;
      }
      return begin(session, text, parentTurnId ?? session.view.headTurnId);
    },

    retry(sessionId, turnId) {
      const session = open.free(sessionId, log);
      if (isRefusal(session)) return session;
      const id = turnId ?? session.view.headTurnId;
      if (id === null) return conflict("there is no turn to take again");
      const turn = turnIn(sessionId, id);
      if (isRefusal(turn)) return turn;
      const prompt = store.turnEvents(id)[0]?.data?.["prompt"];
      return begin(session, typeof prompt === "string" && prompt !== "" ? prompt : null, turn.parentTurnId);
    },

    undo(sessionId) {
      const session = open.free(sessionId, log);
      if (isRefusal(session)) return session;
      const head = session.view.headTurnId === null ? null : store.turn(session.view.headTurnId);
      if (head === null || head.parentTurnId === null)
        return conflict("this is the beginning: there is nothing to undo");
      return moveHead(session, head.parentTurnId, "undo");
    },

    moveHead(sessionId, turnId) {
      const session = open.free(sessionId, log);
      if (isRefusal(session)) return session;
      const turn = turnIn(sessionId, turnId);
      return isRefusal(turn) ? turn : moveHead(session, turnId, "switch");
    },

    fork(sessionId, turnId, title) {
      const session = live(sessionId);
      if (isRefusal(session)) return session;
      const turn = turnIn(sessionId, turnId);
      if (isRefusal(turn)) return turn;
      if (turn.status === "running") return conflict("this turn is still running; fork when it has ended");
      const forkId = newId();
      const data = { parent: sessionId, turnId, title: title ?? `${session.view.title} (fork)` };
      log.append([{ event: "session:fork", component: "kernel", session_id: forkId, data }]);
      return { sessionId: forkId };
    },

    async cancel(sessionId) {
      const session = live(sessionId);
      if (isRefusal(session)) return session;
      session.running?.stop.abort(new CancelReason("cancelled"));
      await session.running?.finished;
      return session.view;
    },

    resume(sessionId, turnId) {
      const session = open.free(sessionId, log);
      if (isRefusal(session)) return session;
      const turn = turnIn(sessionId, turnId);
      if (isRefusal(turn)) return turn;
      if (turn.status !== "interrupted") return conflict("this turn was not interrupted");
      if (turn.sessionId !== sessionId || store.isBuiltOn(turnId)) {
        return conflict("the story went on from this turn, so it cannot change any more; take it again instead");
      }
      if (session.view.headTurnId !== turnId) moveHead(session, turnId, "switch");
      const events = store.turnEvents(turnId);
      const { prompt, seed } = events[0]?.data ?? {};
      const about = { session_id: sessionId, turn_id: turnId };
      log.append([{ event: "turn:resume", component: "kernel", data: { turnId }, ...about }]);
      startTurn(environment, session, {
        turnId,
        number: turn.number,
        seed: Number(seed ?? 0),
        stateAtStart: stateBefore(sessionId, turn),
        prompt: typeof prompt === "string" && prompt !== "" ? prompt : null,
        resumed: rebuildTurn(events, stateBefore(sessionId, turn), store.countLogLines),
      });
      return session.view;
    },

    discard(sessionId, turnId) {
      const session = open.free(sessionId, log);
      if (isRefusal(session)) return session;
      const turn = turnIn(sessionId, turnId);
      if (isRefusal(turn)) return turn;
      if (turn.status !== "interrupted") return conflict("this turn was not interrupted");
      // Before the opening scene there is nothing to go back to: it is told again.
      if (turn.parentTurnId === null) begin(session, null, null);
      else moveHead(session, turn.parentTurnId, "discard");
      return session.view;
    },

    rename(sessionId, title) {
      const session = live(sessionId);
      if (isRefusal(session)) return session;
      if (title.trim() === "") return refused("bad_request", "a title needs at least one letter");
      const data = { title: title.trim() };
      log.append([{ event: "session:title", component: "kernel", session_id: sessionId, data }]);
      return session.view;
    },

    bookmark(sessionId, turnId, name) {
      const session = live(sessionId);
      if (isRefusal(session)) return session;
      const turn = turnIn(sessionId, turnId);
      if (isRefusal(turn)) return turn;
      const data = { turnId, name };
      log.append([{ event: "session:bookmark", component: "kernel", session_id: sessionId, data }]);
      return session.view;
    },

    getContext(sessionId, key) {
      const session = live(sessionId);
      if (isRefusal(session)) return session;
      log.append([{ event: "context:get", component: "kernel", data: { key }, session_id: sessionId }]);
      return { key, value: readContext(store, store.session(sessionId) as SessionRow, key) ?? null };
    },

    setContext(sessionId, key, value) {
      const session = live(sessionId);
      if (isRefusal(session)) return session;
      if (OWN_KEYS.includes(key)) return refused("bad_request", `the key ${key} is Narratoria's own`);
      log.append([{ event: "context:set", component: "kernel", data: { key, value }, session_id: sessionId }]);
      return { key, value };
    },

    enableSkill(sessionId, skill) {
      const session = open.free(sessionId, log);
      if (isRefusal(session)) return session;
      if (!Object.hasOwn(session.health, skill)) return notFound("failing skill", skill);
      const data = { key: ENABLED_SKILL, skill, value: session.view.turnCount - 1 };
      log.append([{ event: "context:set", component: "kernel", data, session_id: sessionId }]);
      return session.view;
    },

    end(sessionId, reason) {
      const session = live(sessionId);
      if (isRefusal(session)) return session;
      if (session.running !== null) return conflict("a turn is running; wait for it or stop it first");
      if (!session.view.ended) {
        log.append([{ event: "session:end", component: "kernel", session_id: sessionId, data: { reason } }]);
      }
      return session.view;
    },

    async remove(sessionId) {
      const session = live(sessionId);
      if (isRefusal(session)) return session;
      if (session.running !== null) return conflict("a turn is running; stop it first");
      store.remove(sessionId);
      open.forget(sessionId);
      followers.closeOf(sessionId);
      await options.endSession?.(sessionId);
      options.sweepAssets(store.assetHashes());
      return { removed: true };
    },

    answer(sessionId, askId, value) {
      const session = live(sessionId);
      if (isRefusal(session)) return session;
      return options.asks.answer(askId, value) ? { answered: true } : notFound("question", askId);
    },

    follow(sessionId, after, reader, logs = "each") {
      const session = live(sessionId);
      return isRefusal(session) ? session : followers.follow(sessionId, after, reader, logs);
    },

    async idle(sessionId) {
      for (let running = open.known(sessionId)?.running; running; running = open.known(sessionId)?.running) {
        await running.finished;
      }
    },

    import: (file) => {
      const storyDir = (title: string): string | null =>
        shelf.list().find((story) => story.title === title)?.dir ?? null;
      return importSession({ store, assets: options.assets, newId, storyDir }, file);
    },

    async close() {
      const running = open.all().flatMap((session) => (session.running === null ? [] : [session.running]));
      for (const turn of running) turn.stop.abort(new CancelReason("shutdown"));
      await Promise.all(running.map(({ finished }) => finished));
      followers.close();
      await shelf.close();
      store.close();
    },
  };
  return refuseWhenDiskFull(service);
}
