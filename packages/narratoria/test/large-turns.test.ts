/** A turn of very many events is read in slices: meanwhile the event loop goes round, and others are answered. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SessionService } from "../src/runtime/seams/session-service.ts";
import type { Store } from "../src/runtime/seams/store.ts";
import { openSqliteStore } from "../src/stores/sqlite.ts";
import { createScriptedHost, end, ok, patch, planOf, type ScriptedHost } from "./scripted-host.ts";

const EVENTS = 12_000;

let folder: string;
let file: string;
let sessionId: string;
let turnId: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "narratoria-test-"));
  file = join(folder, "log.db");
  const host = open();
  sessionId = await host.begin();
  turnId = await host.play(sessionId, "count");
  await host.sessions.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function open(): ScriptedHost {
  return createScriptedHost({
    file,
    narrate: ({ prompt, plans }) => (prompt !== "count" || plans.length > 0 ? end("Counted.") : planOf("counter")),
    tools: {
      counter: () => ({ events: Array.from({ length: EVENTS }, (_, n) => patch({ [`stone${n % 50}`]: n })) }),
    },
  });
}

/** How often the event loop went round until the answer was there. */
async function turnsOfTheLoop(ask: (sessions: SessionService) => Promise<unknown>, isOpen = false): Promise<number> {
  const { sessions } = open();
  if (isOpen) ok(await sessions.view(sessionId));
  let rounds = 0;
  let isWaiting = true;
  const count = (): void => {
    rounds++;
    if (isWaiting) setImmediate(count);
  };
  setImmediate(count);
  ok((await ask(sessions)) as object);
  isWaiting = false;
  await sessions.close();
  return rounds;
}

test.each<[name: string, ask: (sessions: SessionService) => Promise<unknown>]>([
  ["opening the session and showing it", (sessions) => sessions.view(sessionId)],
  ["everything about the turn", (sessions) => sessions.turn(sessionId, turnId)],
  ["the state after it", (sessions) => sessions.stateAt(sessionId, turnId)],
  ["where a value came from", (sessions) => sessions.why(sessionId, "/stone7")],
  ["the tree", (sessions) => sessions.tree(sessionId)],
])("[Z1.7] others are answered meanwhile: %s", async (_, ask) => {
  expect(await turnsOfTheLoop(ask)).toBeGreaterThan(5);
});

test("[Z1.7] others are answered while a session is held against its checksums before its export", async () => {
  expect(await turnsOfTheLoop((sessions) => sessions.export(sessionId), true)).toBeGreaterThan(5);
});

test("what was read in slices is what was written, whatever happened meanwhile", async () => {
  const { sessions } = open();
  const [view, , again] = await Promise.all([
    sessions.view(sessionId),
    sessions.bookmark(sessionId, turnId, "here"),
    sessions.view(sessionId),
  ]);
  expect(ok(view).state["stone49"]).toBe(EVENTS - 1);
  expect(ok(again).bookmarks).toEqual({ [turnId]: "here" });
  expect(ok(await sessions.turn(sessionId, turnId)).trace.length).toBeGreaterThan(EVENTS);
  const undone = ok(await sessions.undo(sessionId));
  expect(undone.state).toEqual({});
  expect(ok(await sessions.moveHead(sessionId, turnId)).state).toEqual(ok(view).state);
  await sessions.close();
});

test("[Z1.7] whether a prompt was sent before is found out without reading what happened in the turns since", async () => {
  const { sessions, store } = open();
  ok(await sessions.view(sessionId));
  let rows = 0;
  const { turnPage, turnEvents } = store;
  store.turnPage = (...given) => counted(turnPage(...given));
  store.turnEvents = (...given) => counted(turnEvents(...given));
  function counted<T>(events: T[]): T[] {
    rows += events.length;
    return events;
  }
  const sent = [await sessions.prompt(sessionId, "look", { key: "k" })];
  await sessions.idle(sessionId);
  rows = 0;
  sent.push(await sessions.prompt(sessionId, "look", { key: "k" }));
  expect(sent[1]).toEqual(sent[0]);
  expect(rows).toBe(0);
  await sessions.close();
});

test("[Z1.7] others are answered while a large session is taken in, and while it is deleted; nobody sees half of it", async () => {
  const here = open();
  const packed = await buffer(ok(await here.sessions.export(sessionId)));
  await here.sessions.close();
  const seen = new Set<number>();
  /** What others see of it until they are told to stop. */
  const look = async (sessions: SessionService, isOver: () => boolean): Promise<void> => {
    while (!isOver()) {
      for (const { turnCount } of await sessions.list()) seen.add(turnCount);
      await new Promise(setImmediate);
    }
  };
  let copy = "";
  const taking = await turnsOfTheLoop(async (sessions) => {
    let isOver = false;
    const looking = look(sessions, () => isOver);
    const imported = ok(await sessions.import(Readable.from([packed])));
    copy = imported.sessionId;
    isOver = true;
    await looking;
    expect(ok(await sessions.view(copy)).state).toEqual(ok(await sessions.view(sessionId)).state);
    return imported;
  });
  expect(taking).toBeGreaterThan(20);
  const deleting = await turnsOfTheLoop(async (sessions) => {
    ok(await sessions.view(copy));
    let isOver = false;
    const looking = look(sessions, () => isOver);
    const removed = await sessions.remove(copy);
    isOver = true;
    await looking;
    expect((await sessions.list()).map((each) => each.sessionId)).toEqual([sessionId]);
    return removed;
  }, true);
  expect(deleting).toBeGreaterThan(20);
  expect([...seen]).toEqual([ok(await open().sessions.view(sessionId)).turnCount]);
});

test("[Z1.4] a host that dies while a session is taken in leaves nothing of it", async () => {
  const here = open();
  const packed = await buffer(ok(await here.sessions.export(sessionId)));
  const copies: string[] = [];
  const other = openSqliteStore(join(folder, "other.db"));
  const dying: Store = {
    ...other,
    takeIn: (records) => {
      other.takeIn(records);
      const at = join(folder, `dead-${copies.length}.db`);
      for (const ending of ["-ends", "", "-wal"]) copyFileSync(join(folder, `other.db${ending}`), at + ending);
      if (copies.length < 3) copies.push(at);
      else if (copies.length === 3)
        throw Object.assign(new Error("disk full"), { code: "ERR_SQLITE_ERROR", errcode: 13 });
    },
  };
  const there = createScriptedHost({ store: dying, narrate: () => end("x") });
  expect(await there.sessions.import(Readable.from([packed]))).toMatchObject({ kind: "refused", code: "conflict" });
  expect([other.sessions(), other.unfinished()]).toEqual([[], []]);
  expect(other.session(sessionId)).toBeNull();
  await there.sessions.close();
  await here.sessions.close();
  for (const at of copies) {
    const next = createScriptedHost({ file: at, narrate: () => end("x") });
    expect(await next.sessions.list()).toEqual([]);
    while (next.store.unfinished().length > 0) await new Promise(setImmediate);
    expect([next.store.session(sessionId), next.store.turn(turnId)]).toEqual([null, null]);
    await next.sessions.close();
  }
  expect(copies).toHaveLength(3);
});
