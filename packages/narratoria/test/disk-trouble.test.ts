/** A disk that is full, broken or read-only: every call is refused in words or answered, never thrown, and it passes. */
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { NarratorAnswer, NarratorQuestion } from "../src/runtime/seams/narrator.ts";
import { isRefusal, type SessionService } from "../src/runtime/seams/session-service.ts";
import type { Store } from "../src/runtime/seams/store.ts";
import { openSqliteStore } from "../src/stores/sqlite.ts";
import { createScriptedHost, end, failure, ok, planOf, type ScriptedHost } from "./scripted-host.ts";

const TROUBLES: [string, Error, string][] = [
  ["full", Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR", errcode: 13 }), "no room"],
  ["full, says the file system", Object.assign(new Error("write"), { code: "ENOSPC" }), "no room"],
  ["full for this user", Object.assign(new Error("write"), { code: "EDQUOT" }), "quota"],
  [
    "failing",
    Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 10 | (3 << 8) }),
    "disk could not be read",
  ],
  ["failing, says the file system", Object.assign(new Error("read"), { code: "EIO" }), "disk could not be read"],
  ["read-only", Object.assign(new Error("attempt to write a readonly database"), { errcode: 8 }), "only be read"],
  ["read-only, says the file system", Object.assign(new Error("open"), { code: "EROFS" }), "only be read"],
];

interface Played {
  host: ScriptedHost;
  store: Store;
  session: string;
  turn: string;
  file: Buffer;
  /** From now on, or until null. */
  breakDisk(error: Error | null): void;
}

/** A session with a turn, a fork's file, and a store that can be broken. */
async function play(): Promise<Played> {
  let broken: Error | null = null;
  const real = openSqliteStore(":memory:");
  const orThrow =
    <Given extends unknown[], Result>(work: (...given: Given) => Result) =>
    (...given: Given): Result => {
      if (broken !== null) throw broken;
      return work(...given);
    };
  const store: Store = {
    ...real,
    append: orThrow(real.append),
    takeIn: orThrow(real.takeIn),
    beginRemoval: orThrow(real.beginRemoval),
    saveSnapshot: orThrow(real.saveSnapshot),
  };
  const host = createScriptedHost({
    store,
    narrate: ({ prompt, plans }) => (prompt === null || plans.length > 0 ? end("x") : planOf("lamp")),
    tools: { lamp: () => ({ error: failure("process_error") }) },
  });
  const session = await host.begin();
  const turn = await host.play(session, "one");
  const file = await buffer(ok(await host.sessions.export(session)));
  return { host, store, session, turn, file, breakDisk: (error) => (broken = error) };
}

/** One call of every method there is; who adds a method must say here how it is called. */
function callsOn(
  sessions: SessionService,
  { session, turn, file }: Played,
): Record<keyof SessionService, () => Promise<unknown>> {
  const reader = { take: () => true, closed: () => {} };
  return {
    stories: () => sessions.stories(),
    list: () => sessions.list(),
    create: () => sessions.create({}),
    view: () => sessions.view(session),
    prompt: () => sessions.prompt(session, "two"),
    retry: () => sessions.retry(session),
    undo: () => sessions.undo(session),
    moveHead: () => sessions.moveHead(session, turn),
    fork: () => sessions.fork(session, turn),
    cancel: () => sessions.cancel(session),
    resume: () => sessions.resume(session, turn),
    discard: () => sessions.discard(session, turn),
    rename: () => sessions.rename(session, "x"),
    bookmark: () => sessions.bookmark(session, turn, "x"),
    getContext: () => sessions.getContext(session, "mood"),
    setContext: () => sessions.setContext(session, "mood", 1),
    enableSkill: () => sessions.enableSkill(session, "lamp"),
    end: () => sessions.end(session, "over"),
    forksOf: () => sessions.forksOf(session),
    remove: () => sessions.remove(session),
    answer: () => sessions.answer(session, "nothing", "yes"),
    turn: () => sessions.turn(session, turn),
    turnEnded: () => sessions.turnEnded(session, turn),
    stateAt: () => sessions.stateAt(session, turn),
    tree: () => sessions.tree(session),
    why: () => sessions.why(session, "/lamp"),
    logs: () => sessions.logs(session, "none", { from: 0, count: 1 }),
    follow: () => sessions.follow(session, 0, reader),
    idle: () => sessions.idle(session),
    asset: () => sessions.asset("nothing"),
    export: () => sessions.export(session),
    import: () => sessions.import(Readable.from([file])),
    close: () => sessions.close(),
  };
}

/** Those that must write to do what they are asked for. */
const WRITES = [
  ..."create prompt retry undo moveHead fork rename bookmark setContext enableSkill end remove import".split(" "),
];

test.each(TROUBLES)(
  "[Z1.4] every call on a disk that is %s is refused in words or answered",
  async (_, error, words) => {
    const played = await play();
    const { host, breakDisk } = played;
    const calls = callsOn(host.sessions, played);
    expect(Object.keys(calls).toSorted()).toEqual(Object.keys(host.sessions).toSorted());
    breakDisk(error);
    const refused: string[] = [];
    for (const [name, call] of Object.entries(calls)) {
      if (name === "close") continue;
      const answer = await call();
      if (isRefusal(answer) && answer.message.includes(words)) refused.push(name);
    }
    expect(refused.toSorted()).toEqual(WRITES.toSorted());
    await calls.close();
  },
);

test("[Z1.4] when there is room again, all of it works", async () => {
  const played = await play();
  const { host, breakDisk, session } = played;
  breakDisk(TROUBLES[0]?.[1] ?? null);
  expect(isRefusal(await host.sessions.prompt(session, "two"))).toBe(true);
  breakDisk(null);
  await host.play(session, "three");
  const { turns } = ok(await host.sessions.view(session));
  expect(turns.map(({ prompt }) => prompt)).toEqual([null, "one", "three"]);
});

test("any other error is a bug, and thrown", async () => {
  const { host, breakDisk, session } = await play();
  breakDisk(new Error("constraint failed"));
  await expect(host.sessions.rename(session, "x")).rejects.toThrow("constraint failed");
});

describe("[N1.4] a turn whose end did not fit on the disk", () => {
  test("is shown as it will be, can be waited for, and is written before whatever comes next", async () => {
    const played = await play();
    const { host, breakDisk, session, store } = played;
    const { turnId } = ok(await host.sessions.prompt(session, "two"));
    breakDisk(TROUBLES[0]?.[1] ?? null);
    expect(await host.sessions.turnEnded(session, turnId)).toBe("failed");
    const view = ok(await host.sessions.view(session));
    expect(view.turns.at(-1)).toMatchObject({ turnId, status: "failed", notice: expect.stringContaining("no room") });
    expect(store.turn(turnId)?.status).toBe("running");
    breakDisk(null);
    ok(await host.sessions.rename(session, "x"));
    expect(store.turn(turnId)?.status).toBe("failed");
    expect(store.eventsAfter(session, view.seq - 1, 9).map(({ seq, name }) => [seq, name])).toEqual([
      [view.seq, "turn:end"],
      [view.seq + 1, "session:title"],
    ]);
    expect(ok(await host.sessions.view(session)).turns).toEqual(view.turns);
  });

  test("has remembered nothing: what the narrator keeps is written with the end, or not at all", async () => {
    const real = openSqliteStore(":memory:");
    let mayEnd = true;
    const append: Store["append"] = (records) => {
      const written = [...records];
      const isEnd = written.some((record) => record.kind === "event" && record.event.event === "turn:end");
      if (isEnd && !mayEnd) throw Object.assign(new Error("write"), { code: "ENOSPC" });
      real.append(written);
    };
    const narrate = ({ prompt }: NarratorQuestion): NarratorAnswer => end("x", { memory: { after: prompt } });
    const host = createScriptedHost({ store: { ...real, append }, narrate });
    const session = await host.begin();
    await host.play(session, "one");
    mayEnd = false;
    await host.play(session, "two");
    mayEnd = true;
    await host.play(session, "three");
    expect(host.questions.map(({ context }) => context.memory)).toEqual([
      null,
      { after: null },
      { after: "one" },
      { after: "one" },
    ]);
  });

  test("does not keep its session from being forked, ended or exported whole", async () => {
    const played = await play();
    const { host, breakDisk, session } = played;
    const { turnId } = ok(await host.sessions.prompt(session, "two"));
    breakDisk(TROUBLES[0]?.[1] ?? null);
    await host.sessions.idle(session);
    expect(await host.sessions.fork(session, turnId)).toMatchObject({ message: expect.stringContaining("no room") });
    breakDisk(null);
    const { sessionId } = ok(await host.sessions.fork(session, turnId));
    expect(ok(await host.sessions.view(sessionId)).turns.at(-1)?.status).toBe("failed");
  });
});

test("[N1.4] a turn whose end is owed is not forgotten however many other sessions are opened: no two turns run at once", async () => {
  const real = openSqliteStore(":memory:");
  let isFull = false;
  const append: Store["append"] = (records) => {
    if (isFull) throw Object.assign(new Error("write"), { code: "ENOSPC" });
    real.append(records);
  };
  const host = createScriptedHost({ store: { ...real, append }, narrate: () => end("x") });
  const others: string[] = [];
  for (let n = 0; n < 210; n++) others.push(await host.begin());
  const session = await host.begin();
  const { turnId } = ok(await host.sessions.prompt(session, "two"));
  isFull = true;
  await host.sessions.turnEnded(session, turnId);
  isFull = false;
  for (const other of others) ok(await host.sessions.view(other));
  expect(real.turn(turnId)?.status).toBe("running");
  expect(ok(await host.sessions.view(session)).turns.at(-1)).toMatchObject({ turnId, status: "failed" });
  const next = ok(await host.sessions.prompt(session, "three"));
  expect(real.turn(turnId)?.status).toBe("failed");
  await host.sessions.turnEnded(session, next.turnId);
  const names = real.eventsAfter(session, 0, 99).map(({ name }) => name);
  const turns = names.filter((name) => name === "turn:start" || name === "turn:end");
  expect(turns).toEqual(["turn:start", "turn:end", "turn:start", "turn:end", "turn:start", "turn:end"]);
});
