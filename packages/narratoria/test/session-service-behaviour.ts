/** What every session service does, however it keeps its sessions: the suite that the real one and the tests' fake share. */
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  isRefusal,
  type SessionService,
  type StreamedEvent,
  type Subscription,
} from "../src/runtime/seams/session-service.ts";
import { ok } from "./scripted-host.ts";

export interface ServiceRig {
  sessions: SessionService;
  /** A session at rest, its opening told. */
  begin(): Promise<string>;
  /** So many events more, one commit each. */
  happen(sessionId: string, count: number): Promise<void>;
}

export function describeSessionService(name: string, open: () => ServiceRig): void {
  describe(`${name} as a session service`, () => {
    let rig: ServiceRig;
    let sessions: SessionService;
    beforeEach(() => {
      rig = open();
      ({ sessions } = rig);
    });
    afterEach(() => sessions.close());

    const openingOf = async (sessionId: string): Promise<string> => ok(await sessions.view(sessionId)).headTurnId ?? "";

    test("a session that was created is listed and can be seen", async () => {
      const { sessionId } = ok(await sessions.create({}));
      await sessions.idle(sessionId);
      expect((await sessions.list()).map((session) => session.sessionId)).toEqual([sessionId]);
      expect(ok(await sessions.view(sessionId))).toMatchObject({ sessionId, ended: false });
      expect(ok(await sessions.view(sessionId)).turns.at(-1)?.status).toBe("completed");
    });

    test("every call about a session that is not there is refused, and says so", async () => {
      const reader = { take: () => true, closed: () => {} };
      const calls: Promise<unknown>[] = [
        sessions.view("nobody"),
        sessions.prompt("nobody", "go"),
        sessions.retry("nobody"),
        sessions.undo("nobody"),
        sessions.moveHead("nobody", "turn"),
        sessions.fork("nobody", "turn"),
        sessions.cancel("nobody"),
        sessions.resume("nobody", "turn"),
        sessions.discard("nobody", "turn"),
        sessions.rename("nobody", "x"),
        sessions.bookmark("nobody", "turn", "x"),
        sessions.getContext("nobody", "x"),
        sessions.setContext("nobody", "x", 1),
        sessions.enableSkill("nobody", "x"),
        sessions.end("nobody", "over"),
        sessions.remove("nobody"),
        sessions.answer("nobody", "ask", "yes"),
        sessions.turn("nobody", "turn"),
        sessions.turnEnded("nobody", "turn"),
        sessions.stateAt("nobody", "turn"),
        sessions.tree("nobody"),
        sessions.why("nobody", "/x"),
        sessions.logs("nobody", "span", { from: 0, count: 1 }),
        sessions.follow("nobody", 0, reader),
        sessions.export("nobody"),
        sessions.asset("nothing"),
      ];
      for (const answer of await Promise.all(calls))
        expect(answer).toMatchObject({ kind: "refused", code: "not_found" });
      await sessions.idle("nobody");
    });

    test("a turn can be waited for and looked at; one that is not there cannot", async () => {
      const session = await rig.begin();
      const turnId = await openingOf(session);
      expect(await sessions.turnEnded(session, turnId)).toBe("completed");
      expect(ok(await sessions.turn(session, turnId)).turn).toMatchObject({ turnId, prompt: null });
      for (const answer of [await sessions.turnEnded(session, "none"), await sessions.turn(session, "none")])
        expect(answer).toMatchObject({ kind: "refused", code: "not_found" });
    });

    test("a title, an end and what is to be remembered are kept", async () => {
      const session = await rig.begin();
      expect(ok(await sessions.rename(session, "An evening")).title).toBe("An evening");
      expect(await sessions.getContext(session, "mood")).toEqual({ key: "mood", value: null });
      expect(await sessions.setContext(session, "mood", { calm: true })).toEqual({
        key: "mood",
        value: { calm: true },
      });
      expect(await sessions.getContext(session, "mood")).toEqual({ key: "mood", value: { calm: true } });
      expect(ok(await sessions.end(session, "over")).ended).toBe(true);
      expect(ok(await sessions.view(session))).toMatchObject({ title: "An evening", ended: true });
    });

    test("a fork is another session", async () => {
      const session = await rig.begin();
      const { sessionId } = ok(await sessions.fork(session, await openingOf(session)));
      expect(sessionId).not.toBe(session);
      expect((await sessions.list()).map((each) => each.sessionId).toSorted()).toEqual([session, sessionId].toSorted());
    });

    test("a session that was removed is gone, and its readers are told", async () => {
      const session = await rig.begin();
      const reader = await listen(sessions, session, 0);
      expect(await sessions.remove(session)).toMatchObject({ removed: true, kept: null });
      expect(reader.isClosed()).toBe(true);
      expect(await sessions.view(session)).toMatchObject({ kind: "refused", code: "not_found" });
      expect(await sessions.list()).toEqual([]);
    });

    test("what is no session file is refused", async () => {
      const imported = await sessions.import(Readable.from([Buffer.from("abc")]));
      expect(imported).toMatchObject({ kind: "refused", code: "bad_request" });
    });

    test("closing says goodbye to readers", async () => {
      const reader = await listen(sessions, await rig.begin(), 0);
      await sessions.close();
      expect(reader.isClosed()).toBe(true);
    });

    describe("who follows a session", () => {
      test("hears each event once and in order, encoded as it is", async () => {
        const session = await rig.begin();
        await rig.happen(session, 3);
        const reader = await listen(sessions, session, 0);
        await rig.happen(session, 3);
        const last = ok(await sessions.view(session)).seq;
        await reader.hears(last);
        expect(reader.seqs()).toEqual(Array.from({ length: last }, (_, n) => n + 1));
        for (const { seq, json, event } of reader.heard) {
          expect(event()).toEqual(JSON.parse(json));
          expect(event()).toMatchObject({ seq, session_id: session });
        }
      });

      test("begins after its number", async () => {
        const session = await rig.begin();
        await rig.happen(session, 5);
        const last = ok(await sessions.view(session)).seq;
        const reader = await listen(sessions, session, last - 2);
        await rig.happen(session, 1);
        await reader.hears(last + 1);
        expect(reader.seqs()).toEqual([last - 1, last, last + 1]);
      });

      test("begins again where the number is of another life of the log, and can tell", async () => {
        const session = await rig.begin();
        await rig.happen(session, 2);
        const last = ok(await sessions.view(session)).seq;
        const reader = await listen(sessions, session, last + 1_000);
        await reader.hears(last);
        expect(reader.seqs()[0]).toBe(1);
      });

      test("is handed nothing while it is full, and goes on where it stopped", async () => {
        const session = await rig.begin();
        await rig.happen(session, 4);
        const reader = await listen(sessions, session, 0, 2);
        await reader.hears(2);
        await rig.happen(session, 4);
        await breath();
        expect(reader.seqs()).toEqual([1, 2]);
        reader.resume();
        await reader.hears(4);
        await breath();
        expect(reader.seqs()).toEqual([1, 2, 3, 4]);
      });

      test("hears nothing more when it has left", async () => {
        const session = await rig.begin();
        const reader = await listen(sessions, session, ok(await sessions.view(session)).seq);
        await breath();
        reader.leave();
        await rig.happen(session, 2);
        await breath();
        expect(reader.heard).toEqual([]);
        expect(reader.isClosed()).toBe(false);
      });
    });
  });
}

interface Listener {
  heard: StreamedEvent[];
  seqs(): number[];
  isClosed(): boolean;
  hears(seq: number): Promise<unknown>;
  resume(): void;
  leave(): void;
}

/** Full after every `room` events. */
async function listen(sessions: SessionService, session: string, after: number, room = Infinity): Promise<Listener> {
  const heard: StreamedEvent[] = [];
  let isClosed = false;
  const following = await sessions.follow(session, after, {
    take: (event) => heard.push(event) % room !== 0,
    closed: () => (isClosed = true),
  });
  if (isRefusal(following)) throw new Error(following.message);
  const subscription: Subscription = following;
  return {
    heard,
    seqs: () => heard.map(({ seq }) => seq),
    isClosed: () => isClosed,
    hears: (seq) => vi.waitUntil(() => heard.some((event) => event.seq === seq), { timeout: 10_000, interval: 1 }),
    resume: () => subscription.resume(),
    leave: () => subscription.close(),
  };
}

/** Long enough for whatever would be handed out to have been. */
async function breath(): Promise<void> {
  for (let round = 0; round < 10; round++) await new Promise((go) => setImmediate(go));
}
