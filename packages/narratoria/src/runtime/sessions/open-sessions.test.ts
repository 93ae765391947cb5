import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFakeClock } from "../../../test/fake-clock.ts";
import { removeNow } from "../../../test/remove-now.ts";
import { openSqliteStore } from "../../stores/sqlite.ts";
import type { EventDraft } from "../../story/event.ts";
import { isRefusal } from "../seams/session-service.ts";
import type { Store } from "../seams/store.ts";
import { createAncestry } from "../turns/ancestry.ts";
import type { RunningTurn } from "../turns/begin-turn.ts";
import type { LiveSession } from "./live-session.ts";
import { createOpenSessions, type OpenSessions } from "./open-sessions.ts";
import { createSessionLog, type SessionLog } from "./session-log.ts";

const MOST = 200;
let store: Store;
let log: SessionLog;
let open: OpenSessions;
let owing: Set<string>;
let settled: string[];

beforeEach(() => {
  store = openSqliteStore(":memory:");
  let ids = 0;
  log = createSessionLog(store, createFakeClock(), () => `id-${++ids}`, {
    committed: ({ sessionId, events }) => open.known(sessionId)?.take(events),
    owed: () => {},
  });
  owing = new Set();
  settled = [];
  open = createOpenSessions(store, createAncestry(store), {
    owes: (sessionId) => owing.has(sessionId),
    settle: (sessionId) => void settled.push(sessionId),
  });
});
afterEach(() => store.close());

function begin(sessionId: string, dir = "/story"): string {
  const data = { plan: { goal: "g", inputs: {} }, title: sessionId, story: { dir, title: "S", version: null } };
  log.append(sessionId, [{ event: "session:start", component: "kernel", data }]);
  return sessionId;
}

function write(sessionId: string, draft: EventDraft): void {
  log.append(sessionId, [draft]);
}

function live(sessionId: string): LiveSession {
  const session = open.live(sessionId);
  if (isRefusal(session)) throw new Error(session.message);
  return session;
}

const isOpen = (sessionId: string): boolean => open.known(sessionId) !== undefined;
const RUNNING = { turnId: "t" } as RunningTurn;

describe("how many sessions are open at once", () => {
  test("two hundred; then the longest open one makes room", () => {
    for (let n = 0; n < MOST; n++) live(begin(`s${n}`));
    expect(open.all()).toHaveLength(MOST);
    live(begin("another"));
    expect([isOpen("s0"), isOpen("s1"), isOpen("another")]).toEqual([false, true, true]);
    expect(open.all()).toHaveLength(MOST);
  });

  test("not one in which a turn runs, nor one that owes something to the log", () => {
    for (let n = 0; n < MOST; n++) live(begin(`s${n}`));
    live("s0").running = RUNNING;
    owing.add("s1");
    live(begin("another"));
    expect(["s0", "s1", "s2", "s3"].map(isOpen)).toEqual([true, true, false, true]);
  });
});

describe("a session that is asked for", () => {
  test("is opened once, at once or in slices", async () => {
    begin("s");
    expect(isOpen("s")).toBe(false);
    await open.ready("s");
    const opened = open.known("s");
    expect(opened).toBeDefined();
    await open.ready("s");
    expect([open.live("s"), open.free("s"), open.playable("s")]).toEqual([opened, opened, opened]);
    expect(open.known("s")).toBe(opened);
    open.forget("s");
    expect(live("s")).not.toBe(opened);
  });

  test("is not there, or was removed: refused, and getting it ready does nothing", async () => {
    begin("gone");
    removeNow(store, "gone");
    for (const sessionId of ["none", "gone"]) {
      await open.ready(sessionId);
      expect(open.live(sessionId)).toMatchObject({ code: "not_found", message: `there is no session "${sessionId}"` });
      expect(isOpen(sessionId)).toBe(false);
    }
  });

  test("that was written to while it was read is read again", async () => {
    begin("s");
    const ready = open.ready("s");
    write("s", { event: "context:set", component: "kernel", data: { key: "k", value: 1 } });
    await ready;
    expect(live("s").present().context.get("k")).toBe(1);
    expect(live("s").present().seq).toBe(store.lastSeq("s"));
  });

  test("may have to be at rest, not over, and have a story that is known here", () => {
    begin("s");
    live("s").running = RUNNING;
    const running = { code: "conflict", message: "a turn is running; wait for it or stop it first" };
    for (const answer of [open.atRest("s"), open.free("s"), open.playable("s")]) expect(answer).toMatchObject(running);
    expect(settled).toEqual([]);
    live("s").running = null;
    expect(open.atRest("s")).toBe(live("s"));
    expect(settled).toEqual(["s"]);
    write("s", { event: "session:end", component: "kernel", data: { reason: "over" } });
    const over = { code: "conflict", message: "this session has ended" };
    expect(open.atRest("s")).toBe(live("s"));
    for (const answer of [open.free("s"), open.playable("s")]) expect(answer).toMatchObject(over);
    begin("strange", "");
    expect(open.free("strange")).toBe(live("strange"));
    expect(open.playable("strange")).toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/^nobody has said which story here .+; import its file with the story$/) as string,
    });
  });
});
