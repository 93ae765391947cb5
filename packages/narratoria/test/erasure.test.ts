/** Deleting a session: what no other needs is gone from the file, what a fork begins with stays, and both are said. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { examineStore } from "../src/stores/examine-store.ts";
import { openSqliteStore } from "../src/stores/sqlite.ts";
import { createPlayground } from "./playground.ts";
import { createPlayground as createServed, serve } from "./serve-process.ts";
import { createScriptedHost, end, logLine, ok, patch, planOf, streamOf, type ScriptedHost } from "./scripted-host.ts";

let dir = "";
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "narratoria-erase-"))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const file = (): string => join(dir, "narratoria.db");

function openHost(at = file()): ScriptedHost {
  return createScriptedHost({
    file: at,
    narrate: ({ prompt, plans }) =>
      prompt === null || plans.length > 0
        ? end(`Told of ${prompt}.`, { memory: { letters: prompt?.length ?? 0 } })
        : planOf("lamp"),
    tools: {
      lamp: ({ state }) => ({
        events: [logLine(`secret log ${Number(state?.["n"] ?? 0)}`), patch({ n: Number(state?.["n"] ?? 0) + 1 })],
      }),
    },
  });
}

const WHOLE = { unreadable: null, file: [], damage: [], lost: [], derived: [] };

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
      kept: { turns: 3, neededBy: [{ sessionId: fork, title: "The fork" }] },
      shortened: [],
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

  test("a purge leaves nothing of what was told; a fork goes on with its state, its choices and what its narrator remembers", async () => {
    const host = openHost();
    const parent = await host.begin();
    await host.play(parent, "shared");
    const turn = await host.play(parent, "forked-here");
    const fork = ok(await host.sessions.fork(parent, turn, "The fork")).sessionId;
    const untouched = ok(await host.sessions.fork(parent, turn, "Never played")).sessionId;
    await host.play(fork, "own");
    const further = ok(await host.sessions.fork(fork, turn, "Further")).sessionId;
    await host.play(parent, "later");
    ok(await host.sessions.rename(parent, "A private title"));
    const { turnId } = ok(await host.sessions.prompt(fork, "running"));
    expect(await host.sessions.remove(parent, true)).toMatchObject({
      code: "conflict",
      message: expect.stringContaining('a turn is running in "The fork"'),
    });
    await host.sessions.turnEnded(fork, turnId);
    const before = ok(await host.sessions.view(fork));
    const stateBefore = ok(await host.sessions.stateAt(untouched, turn)).state;

    expect(ok(await host.sessions.remove(parent, true))).toMatchObject({
      kept: null,
      shortened: [{ title: "The fork" }, { title: "Never played" }, { title: "Further" }],
    });
    expect(["shared", "forked-here", "later", "A private title", "secret log 0"].filter(bytesHold)).toEqual([]);
    await host.sessions.close();
    expect(await examineStore(dir)).toMatchObject(WHOLE);

    const again = openHost();
    const after = ok(await again.sessions.view(fork));
    expect(after.state).toEqual(before.state);
    expect(after.turns.slice(1)).toEqual(before.turns.slice(3));
    expect(after.turns[0]).toMatchObject({ turnId: turn, prompt: null, number: 2, tools: [] });
    expect(after.turns[0]?.passages).toMatchObject([{ kind: "changes", changes: [{ path: "/n", after: 2 }] }]);
    expect(after.turns[0]?.notice).toBe("What was told before this was deleted.");
    expect(ok(await again.sessions.stateAt(untouched, turn)).state).toEqual(stateBefore);
    for (const each of [fork, untouched, further]) {
      expect(ok(await again.sessions.view(each)).choices).toEqual([]);
      await again.play(each, "on");
      expect(again.store.findDamage(each)).toEqual([]);
    }
    expect(again.store.findDamage(parent)).toEqual([]);
    expect(ok(await again.sessions.view(further)).state).toEqual({ n: Number(stateBefore["n"]) + 1 });
    for (const each of [fork, untouched, further]) ok(await again.sessions.remove(each));
    expect(again.store.session(parent)).toBeNull();
    await again.sessions.close();
    expect(await examineStore(dir)).toMatchObject(WHOLE);
  });

  test("what was deleted and stays for its forks can be purged later, by its id", async () => {
    const host = openHost();
    const parent = await host.begin();
    const early = await host.play(parent, "early-words");
    const late = await host.play(parent, "late-words");
    const forks = [
      ok(await host.sessions.fork(parent, early)).sessionId,
      ok(await host.sessions.fork(parent, late)).sessionId,
    ];
    expect(ok(await host.sessions.remove(parent)).kept?.turns).toBe(3);
    const states = await Promise.all(forks.map(async (each) => ok(await host.sessions.view(each)).state));
    expect(ok(await host.sessions.remove(parent, true)).shortened).toHaveLength(2);
    expect(["early-words", "late-words"].filter(bytesHold)).toEqual([]);
    expect(await Promise.all(forks.map(async (each) => ok(await host.sessions.view(each)).state))).toEqual(states);
    expect(await host.sessions.remove(parent)).toMatchObject({ code: "not_found" });
    await host.sessions.close();
    expect(await examineStore(dir)).toMatchObject(WHOLE);
  });

  test("a host that dies at any step of it leaves the session, or what the next one finishes; forks are whole all the time", async () => {
    const host = openHost();
    const parent = await host.begin();
    await host.play(parent, "shared");
    const turn = await host.play(parent, "forked-here");
    const fork = ok(await host.sessions.fork(parent, turn, "The fork")).sessionId;
    for (let n = 0; n < 60; n++) await host.play(parent, `private ${n}`);
    await host.play(fork, "own");
    const { state } = ok(await host.sessions.view(fork));
    const stream = streamOf(host.store, fork);
    await host.sessions.close();
    const store = openSqliteStore(file());
    const whole = streamOf(store, parent).length;

    let steps = 0;
    for (const gone of [parent, fork]) {
      store.beginRemoval(gone, false);
      for (let at: string | null = gone; at !== null;) {
        const work = store.finishRemoval(at, () => {});
        for (let step = work.next(); ; step = work.next()) {
          await expectFinished(gone, steps++);
          at = step.done === true ? step.value : at;
          if (step.done === true) break;
        }
      }
    }
    expect(steps).toBeGreaterThan(5);
    expect(whole).toBeGreaterThan(400);
    store.close();

    /** As if the process had been killed now: its files, opened by the next. */
    async function expectFinished(gone: string, name: number): Promise<void> {
      const copy = join(dir, `copy-${name}`);
      mkdirSync(copy);
      for (const ending of ["-ends", "", "-wal"]) {
        copyFileSync(file() + ending, join(copy, `narratoria.db${ending}`));
      }
      expect(await examineStore(copy)).toMatchObject(WHOLE);
      const next = openHost(join(copy, "narratoria.db"));
      const listed = (await next.sessions.list()).map(({ sessionId }) => sessionId);
      expect(listed).toEqual(gone === parent ? [fork] : []);
      if (gone === parent) {
        expect(ok(await next.sessions.view(fork)).state).toEqual(state);
        expect(streamOf(next.store, fork)).toEqual(stream);
      }
      while (next.store.unfinished().length > 0) await new Promise(setImmediate);
      expect(next.store.turnsOf(parent).length).toBe(gone === parent ? 3 : 0);
      await next.sessions.close();
      expect(await examineStore(copy)).toMatchObject(WHOLE);
      rmSync(copy, { recursive: true });
    }
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
  expect(asked.stderr).toMatch(/nothing was deleted: .*--yes.*"Elsewhere" \([0-9a-f]{8}\) would go on without/);
  const deleted = await playground.run("sessions", "delete", id, "--yes");
  expect(deleted.stdout).toMatch(
    /^stays: 2 turns, hidden, because "Elsewhere" \(\w{8}\) began with them; narratoria sessions delete \S+ --purge/m,
  );
  const later = await playground.run("sessions", "delete", id, "--purge", "--yes");
  expect(later.stdout).toMatch(/^goes on without its beginning: "Elsewhere" \(\w{8}\)$/m);
  const [fork] = await playground.sessions();
  await playground.run("sessions", "fork", fork?.sessionId ?? "", "--title", "Further");
  const purged = await playground.run("sessions", "delete", fork?.sessionId ?? "", "--purge", "--yes");
  expect(purged.stdout).toMatch(/^goes on without its beginning: "Further" \(\w{8}\)$/m);
  expect((await playground.sessions()).map(({ title }) => title)).toEqual(["Further"]);
  expect(await examineStore(playground.data)).toMatchObject(WHOLE);
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
  const purged = await serving.api("DELETE", `/api/sessions/${sessionId}?purge=true`);
  expect(purged).toMatchObject({ status: 200, body: { kept: null, shortened: [{ sessionId: fork }] } });
  expect((await serving.api("DELETE", `/api/sessions/${fork}`)).status).toBe(200);
  expect((await serving.api("DELETE", `/api/sessions/${fork}?purge=perhaps`)).status).toBe(400);
  await serving.end("SIGTERM");
});
