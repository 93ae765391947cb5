/** `narratoria doctor --repair`: a copy first, then what is whole is kept and nothing else is told as if it were. */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { examineStore, isDamaged, type StoreFindings } from "../src/stores/examine-store.ts";
import { repairStore, type Repair } from "../src/stores/repair-store.ts";
import { createPlayground } from "./playground.ts";
import { createScriptedHost, end, logLine, ok, patch, planOf, streamOf, type ScriptedHost } from "./scripted-host.ts";
import { createPlayground as createServed, serve } from "./serve-process.ts";

let dir = "";
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "narratoria-repair-"))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const file = (): string => join(dir, "narratoria.db");

function openHost(): ScriptedHost {
  return createScriptedHost({
    file: file(),
    narrate: ({ prompt, plans }) => (prompt === null || plans.length > 0 ? end(`Told ${prompt}.`) : planOf("lamp")),
    tools: {
      lamp: ({ state }) => ({ events: [logLine("hm ".repeat(2000)), patch({ n: Number(state?.["n"] ?? 0) + 1 })] }),
    },
  });
}

interface Told {
  story: string;
  fork: string;
  other: string;
  turns: string[];
}

/** A story of an opening and four turns, a fork at the third, another story; closed unless it is to look killed. */
async function tell(): Promise<Told> {
  const host = openHost();
  const story = await host.begin();
  const turns: string[] = [];
  for (const text of ["one", "two", "three", "four"]) turns.push(await host.play(story, text));
  const fork = ok(await host.sessions.fork(story, turns[2] ?? "")).sessionId;
  await host.play(fork, "forked");
  const other = await host.begin();
  await host.play(other, "elsewhere");
  await host.sessions.close();
  return { story, fork, other, turns };
}

function harm(sql: string): void {
  const db = new DatabaseSync(file());
  db.exec(sql);
  db.close();
}

async function repair(): Promise<{ found: StoreFindings; done: Repair }> {
  const found = await examineStore(dir);
  const done = repairStore(dir, found, new Date("2026-11-17T20:15:30Z"));
  expect(isDamaged(await examineStore(dir))).toBe(done.refused !== null);
  return { found, done };
}

async function promptsOf(host: ScriptedHost, session: string): Promise<(string | null)[]> {
  streamOf(host.store, session);
  return ok(await host.sessions.view(session)).turns.map(({ prompt }) => prompt);
}

describe("[Z1.4] a repair", () => {
  test.each<[string, (told: Told) => string, (string | null)[], boolean]>([
    [
      "of an event in the last turn",
      (t) => `UPDATE events SET json = replace(json, '"n":4', '"n":9') WHERE turn_id = '${t.turns[3]}'`,
      [null, "one", "two", "three"],
      true,
    ],
    [
      "of a deleted event in the middle",
      (t) => `DELETE FROM events WHERE turn_id = '${t.turns[1]}' AND name = 'tool:event'`,
      [null, "one"],
      false,
    ],
    [
      "of a turn that lost its beginning",
      (t) => `DELETE FROM events WHERE turn_id = '${t.turns[2]}' AND name = 'turn:start'`,
      [null, "one", "two"],
      false,
    ],
    [
      "of log lines alone",
      (t) => `UPDATE line_blocks SET lines = x'00' WHERE turn_id = '${t.turns[0]}'`,
      [null, "one", "two", "three", "four"],
      true,
    ],
    [
      "of lists that say something else",
      (t) =>
        `UPDATE sessions SET title = 'x', head_turn = NULL WHERE session_id = '${t.story}'; DELETE FROM turns WHERE turn_id = '${t.turns[3]}'`,
      [null, "one", "two", "three", "four"],
      true,
    ],
    [
      "of a session that is not in the list",
      (t) => `DELETE FROM sessions WHERE session_id = '${t.story}'`,
      [null, "one", "two", "three", "four"],
      true,
    ],
  ])("%s keeps the turns before it, and other stories", async (_, sql, prompts, forkStays) => {
    const told = await tell();
    harm(sql(told));
    const damaged = readFileSync(file());
    const { found, done } = await repair();
    expect(isDamaged(found)).toBe(true);
    expect(done.copy).toBe(join(dir, "damaged-2026-11-17T20-15-30"));
    expect(readFileSync(join(done.copy ?? "", "narratoria.db")).equals(damaged)).toBe(true);
    const host = openHost();
    expect(await promptsOf(host, told.story)).toEqual(prompts);
    expect(ok(await host.sessions.view(told.story)).state).toEqual({ n: prompts.length - 1 });
    expect(await promptsOf(host, told.other)).toEqual([null, "elsewhere"]);
    if (forkStays) expect(await promptsOf(host, told.fork)).toEqual([null, "one", "two", "three", "forked"]);
    else expect((await host.sessions.list()).map(({ sessionId }) => sessionId)).not.toContain(told.fork);
    const last = host.store.lastSeq(told.story);
    await host.play(told.story, "on");
    expect(host.store.lastSeq(told.story)).toBeGreaterThan(last);
    expect(ok(await host.sessions.view(told.story)).state).toEqual({ n: prompts.length });
    await host.sessions.close();
    expect(isDamaged(await examineStore(dir))).toBe(false);
  });

  test("of a story that lost its beginning: it goes, and what stands on it; the others stay", async () => {
    const told = await tell();
    harm(`UPDATE events SET json = json || ' ' WHERE session_id = '${told.story}' AND seq = 1`);
    const { done } = await repair();
    expect(done.sessions.map(({ sessionId, turnsKept }) => [sessionId, turnsKept])).toEqual([
      [told.story, 0],
      [told.fork, 0],
    ]);
    const host = openHost();
    expect((await host.sessions.list()).map(({ sessionId }) => sessionId)).toEqual([told.other]);
    await host.sessions.close();
  });

  test("of a spoilt page: what lies on the others is kept", async () => {
    const told = await tell();
    const host = openHost();
    for (let n = 0; n < 12; n++) await host.play(told.other, `long ${"word ".repeat(2_000)}${n}`);
    await host.sessions.close();
    const bytes = readFileSync(file());
    const at = bytes.lastIndexOf("word word word");
    bytes.fill(0x5a, at - (at % 4096), at - (at % 4096) + 4096);
    writeFileSync(file(), bytes);
    const { found, done } = await repair();
    expect([found.file.length > 0 || found.damage.length > 0, done.refused]).toEqual([true, null]);
    const after = openHost();
    expect(await promptsOf(after, told.story)).toEqual([null, "one", "two", "three", "four"]);
    expect((await promptsOf(after, told.other)).length).toBeGreaterThan(2);
    await after.sessions.close();
  });

  test("of a lost end goes on with what is left, and no number is given twice", async () => {
    const { story } = await tell();
    const host = openHost();
    await host.play(story, "five");
    const last = host.store.lastSeq(story);
    const copies = ["", "-wal", "-ends"].map((ending) => readFileSync(file() + ending));
    await host.sessions.close();
    for (const [index, ending] of ["", "-wal", "-ends"].entries()) writeFileSync(file() + ending, copies[index] ?? "");
    truncateSync(`${file()}-wal`, Math.floor(statSync(`${file()}-wal`).size / 2));
    const { found, done } = await repair();
    expect(found.lost).toMatchObject([{ sessionId: story, until: last }]);
    expect(done.refused).toBeNull();
    const after = openHost();
    await after.play(story, "again");
    expect(after.store.session(story)?.lastSeq).toBeGreaterThan(last);
    await after.sessions.close();
  });

  test("of what cannot be read at all changes nothing, and says so", async () => {
    await tell();
    writeFileSync(file(), "no database ".repeat(500));
    const { found, done } = await repair();
    expect(found.unreadable).toContain("not a database");
    expect(done.refused).toContain("not a database");
    expect(readFileSync(file(), "utf8")).toBe("no database ".repeat(500));
  });

  test("of an asset that is something else: it is put aside, and answers as missing", async () => {
    const found = await examineStore(dir);
    await tell();
    const name = "ab".padEnd(64, "0");
    mkdirSync(join(dir, "assets", "ab"), { recursive: true });
    writeFileSync(join(dir, "assets", "ab", name), "something else");
    const done = repairStore(dir, { ...found, assets: { missing: [], altered: [name], unused: [] } }, new Date());
    expect([done.refused, readdirSync(join(dir, "assets", "ab"))]).toEqual([null, []]);
    expect(readFileSync(join(done.copy ?? "", name), "utf8")).toBe("something else");
  });

  test("where all is well makes no copy, and sweeps only what no story has", async () => {
    const told = await tell();
    const before = readdirSync(dir);
    const { done } = await repair();
    expect(done).toEqual({ copy: null, sessions: [], swept: 0, refused: null });
    expect(readdirSync(dir).filter((name) => !/-(?:wal|shm)$/.test(name))).toEqual(before);
    const host = openHost();
    expect(await promptsOf(host, told.fork)).toHaveLength(5);
    await host.sessions.close();
  });
});

test("[Z1.4] the command: exit 1 with what is wrong, then 0 with what was kept; not under a running host", async () => {
  using playground = createPlayground();
  await playground.play(["Listen", "Light the lamp"], playground.kept);
  const store = join(playground.data, "narratoria.db");
  const db = new DatabaseSync(store);
  db.exec("UPDATE events SET json = replace(json, 'Light', 'Fight') WHERE name = 'turn:start'");
  db.close();
  rmSync(join(playground.data, "assets"), { recursive: true });
  {
    await using _ = await playground.host();
    const held = await playground.run("doctor", "--repair");
    expect([held.exitCode, held.stdout]).toEqual([1, expect.stringContaining("another Narratoria is using")]);
  }
  const seen = await playground.run("doctor");
  expect(seen.exitCode).toBe(1);
  expect(seen.stdout).toMatch(/^Asset {8}[0-9a-f]{12} is missing$/m);
  expect(seen.stdout).toContain("narratoria doctor --repair");
  const repaired = await playground.run("doctor", "--repair");
  expect([repaired.exitCode, repaired.stderr]).toEqual([0, ""]);
  expect(repaired.stdout).toMatch(/^Copy {9}everything as it was found: .+damaged-/m);
  expect(repaired.stdout).toMatch(/^Repaired {5}"The Cellar" \([0-9a-f]{8}\): 2 of 3 turns are kept/m);
  expect((await playground.run("doctor")).exitCode).toBe(0);
  expect((await playground.sessions())[0]?.turnCount).toBe(2);
}, 60_000);

test("[Z1.4] serve on a damaged library: in words, never a stack trace; a damaged story is refused and the others played", async () => {
  using playground = createServed();
  const args = ["--port", "0", "--data", playground.data, "--story", playground.story];
  const first = await serve(args);
  const ids: string[] = [];
  for (let n = 0; n < 2; n++) {
    const { sessionId } = (await first.api("POST", "/api/sessions", {})).body as { sessionId: string };
    await first.until(sessionId, ({ turns }) => turns[0]?.status === "completed");
    ids.push(sessionId);
  }
  await first.end("SIGTERM");
  const store = join(playground.data, "narratoria.db");
  const db = new DatabaseSync(store);
  db.exec(`UPDATE events SET json = replace(json, 'A cellar', 'A palace') WHERE session_id = '${ids[0]}'`);
  db.close();
  const second = await serve(args);
  const told = expect.stringMatching(/^Event \d+ of this story is not what was written/);
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["POST", "/prompts", { text: "light" }],
    ["GET", "/export", undefined],
    ["GET", "/tree", undefined],
    ["POST", "/undo", {}],
  ] as const) {
    const answer = await second.api(method, `/api/sessions/${ids[0]}${path}`, body);
    expect([path, answer]).toEqual([path, { status: 409, body: { error: { code: "conflict", message: told } } }]);
  }
  const list = (await second.api("GET", "/api/sessions")).body as { sessionId: string; excerpt: string }[];
  expect(list.find(({ sessionId }) => sessionId === ids[0])?.excerpt).toEqual(told);
  expect((await second.api("POST", `/api/sessions/${ids[1]}/prompts`, { text: "light" })).status).toBe(202);
  await second.until(ids[1] ?? "", ({ turns }) => turns[1]?.status === "completed");
  await second.end("SIGTERM");
  expect(second.stderr()).toContain("is not what was written. narratoria doctor looks at everything");
  expect(second.stderr()).not.toMatch(/^\s+at /m);

  copyFileSync(store, `${store}.bak`);
  truncateSync(store, 0);
  await expect(serve(args)).rejects.toThrow(
    /ended with 1: narratoria: .*is empty or not there, but two stories were kept in it/,
  );
}, 60_000);
