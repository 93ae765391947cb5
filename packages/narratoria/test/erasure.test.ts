/** Deleting a session: what no other needs is gone from the file, what a fork begins with stays, and both are said. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { examineStore, isDamaged } from "../src/stores/examine-store.ts";
import { createPlayground } from "./playground.ts";
import { createPlayground as createServed, serve } from "./serve-process.ts";
import { createScriptedHost, end, logLine, ok, patch, planOf, streamOf, type ScriptedHost } from "./scripted-host.ts";

let dir = "";
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "narratoria-erase-"))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const file = (): string => join(dir, "narratoria.db");

function openHost(): ScriptedHost {
  return createScriptedHost({
    file: file(),
    narrate: ({ prompt, plans }) =>
      prompt === null || plans.length > 0 ? end(`Told of ${prompt}.`, { memory: { prompt } }) : planOf("lamp"),
    tools: {
      lamp: ({ state }) => ({
        events: [logLine(`secret log ${Number(state?.["n"] ?? 0)}`), patch({ n: Number(state?.["n"] ?? 0) + 1 })],
      }),
    },
  });
}

/** What can be found in the files, whoever looks. */
function bytesHold(words: string): boolean {
  return [file(), `${file()}-wal`].some((path) => readFileSync(path).includes(words));
}

describe("[K1.3] a session that was forked, deleted", () => {
  test("keeps the turns on the way to the fork and nothing else; the fork has all it had", async () => {
    const host = openHost();
    const parent = await host.begin();
    await host.play(parent, "shared");
    const turn = await host.play(parent, "forked-here");
    const fork = ok(await host.sessions.fork(parent, turn, "The fork")).sessionId;
    await host.play(parent, "later-and-private");
    ok(await host.sessions.moveHead(parent, turn));
    await host.play(parent, "another-take");
    ok(await host.sessions.rename(parent, "A private title"));
    await host.play(fork, "own");
    const before = { view: ok(await host.sessions.view(fork)), stream: streamOf(host.store, fork) };
    expect(["later-and-private", "another-take", "A private title"].every(bytesHold)).toBe(true);

    const removed = ok(await host.sessions.remove(parent));
    expect(removed).toEqual({
      removed: true,
      sessions: [parent],
      kept: { turns: 3, neededBy: [{ sessionId: fork, title: "The fork" }] },
    });
    expect(["later-and-private", "another-take", "A private title"].filter(bytesHold)).toEqual([]);
    expect(bytesHold("forked-here")).toBe(true);
    expect(ok(await host.sessions.view(fork))).toEqual(before.view);
    expect(streamOf(host.store, fork)).toEqual(before.stream);
    for (const each of [parent, fork]) expect(host.store.findDamage(each)).toEqual([]);
    await host.sessions.close();

    const again = openHost();
    expect(streamOf(again.store, fork)).toEqual(before.stream);
    expect(ok(await again.sessions.view(fork)).state).toEqual(before.view.state);
    await again.play(fork, "on");
    expect(ok(await again.sessions.view(fork)).state).toEqual({ n: 4 });
    ok(await again.sessions.remove(fork));
    expect(["forked-here", "shared", "own"].filter(bytesHold)).toEqual([]);
    expect([parent, fork].map((id) => again.store.session(id))).toEqual([null, null]);
    await again.sessions.close();
  });

  test("what only a deleted fork needed goes with it; what another still needs stays", async () => {
    const host = openHost();
    const parent = await host.begin();
    const early = await host.play(parent, "early");
    const late = await host.play(parent, "late");
    const one = ok(await host.sessions.fork(parent, early)).sessionId;
    const two = ok(await host.sessions.fork(parent, late)).sessionId;
    const three = ok(await host.sessions.fork(one, early)).sessionId;
    expect(ok(await host.sessions.forksOf(parent)).map(({ sessionId }) => sessionId)).toEqual([one, two, three]);
    ok(await host.sessions.remove(parent));
    const stream = streamOf(host.store, three);
    ok(await host.sessions.remove(two));
    expect([bytesHold("late"), bytesHold("early")]).toEqual([false, true]);
    expect(ok(await host.sessions.remove(one)).kept).toBeNull();
    expect(streamOf(host.store, three)).toEqual(stream);
    expect(host.store.findDamage(parent)).toEqual([]);
    await host.sessions.close();
  });

  test("a purge deletes those that were forked from it as well, unless one of them is being told", async () => {
    const host = openHost();
    const parent = await host.begin();
    const turn = await host.play(parent, "shared");
    const fork = ok(await host.sessions.fork(parent, turn, "The fork")).sessionId;
    const other = await host.begin();
    const { turnId } = ok(await host.sessions.prompt(fork, "running"));
    expect(await host.sessions.remove(parent, true)).toMatchObject({
      code: "conflict",
      message: expect.stringContaining('a turn is running in "The fork"'),
    });
    await host.sessions.turnEnded(fork, turnId);
    expect(ok(await host.sessions.remove(parent, true))).toEqual({
      removed: true,
      sessions: [parent, fork],
      kept: null,
    });
    expect((await host.sessions.list()).map(({ sessionId }) => sessionId)).toEqual([other]);
    expect(["shared", "running"].filter(bytesHold)).toEqual([]);
    await host.sessions.close();
  });
});

test("narratoria sessions delete says what stays and why; --purge names what else would go and asks", async () => {
  using playground = createPlayground();
  await playground.play(["Listen"], playground.kept);
  const [parent] = await playground.sessions();
  const id = parent?.sessionId ?? "";
  await playground.run("sessions", "fork", id, "--title", "Elsewhere");
  const asked = await playground.run("sessions", "delete", id, "--purge");
  expect(asked.exitCode).toBe(1);
  expect(asked.stderr).toMatch(/nothing was deleted: .*--yes.*It would also delete "Elsewhere" \([0-9a-f]{8}\)/);
  const deleted = await playground.run("sessions", "delete", id, "--yes");
  expect(deleted.stdout).toMatch(/^stays: 2 turns, hidden, because "Elsewhere" \(\w{8}\) began with them; --purge/m);
  const [fork] = await playground.sessions();
  await playground.run("sessions", "fork", fork?.sessionId ?? "", "--title", "Further");
  const purged = await playground.run("sessions", "delete", fork?.sessionId ?? "", "--purge", "--yes");
  expect(purged.stdout).toMatch(/^also removed: "Further" \(\w{8}\)$/m);
  expect(await playground.sessions()).toEqual([]);
  expect(isDamaged(await examineStore(playground.data))).toBe(false);
});

test("DELETE answers what stays, and ?purge=true leaves nothing", async () => {
  using playground = createServed();
  const serving = await serve(["--port", "0", "--data", playground.data, "--story", playground.story]);
  const { sessionId } = (await serving.api("POST", "/api/sessions", {})).body as { sessionId: string };
  const view = await serving.until(sessionId, ({ turns }) => turns[0]?.status === "completed");
  const forked = await serving.api("POST", `/api/sessions/${sessionId}/fork`, { turnId: view.headTurnId ?? "" });
  const { sessionId: fork } = forked.body as { sessionId: string };
  const deleted = await serving.api("DELETE", `/api/sessions/${sessionId}`);
  expect(deleted).toMatchObject({
    status: 200,
    body: { sessionId, deleted: [sessionId], kept: { turns: 1, neededBy: [{ sessionId: fork }] } },
  });
  const purged = await serving.api("DELETE", `/api/sessions/${fork}?purge=true`);
  expect(purged).toMatchObject({ status: 200, body: { deleted: [fork], kept: null } });
  expect((await serving.api("DELETE", `/api/sessions/${fork}?purge=perhaps`)).status).toBe(400);
  await serving.end("SIGTERM");
});
