/** A turn of very many events is read in slices: meanwhile the event loop goes round, and others are answered. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SessionService } from "../src/runtime/seams/session-service.ts";
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
