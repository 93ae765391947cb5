/** The store on real files: what is appended is read back, whatever else happens to the file or beside it. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DataFolderInUse, openSessions } from "../src/create-narratoria.ts";
import { logInto } from "./log-into.ts";
import { createRowDeriver } from "../src/stores/derive-rows.ts";
import { lockDataFolder } from "../src/stores/host-lock.ts";
import { openSqliteStore } from "../src/stores/sqlite.ts";
import { StoreError } from "../src/stores/open-database.ts";
import type { NarratoriaEvent } from "../src/story/event.ts";
import { describeStore, logLines, start, title } from "./store-behaviour.ts";
import { createScriptedHost, end, logLine, ok, patch, planOf, streamOf } from "./scripted-host.ts";

let dir = "";
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "narratoria-store-"))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const file = (): string => join(dir, "narratoria.db");

describeStore("on a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "narratoria-store-"));
  const store = openSqliteStore(join(folder, "narratoria.db"));
  return { store, discard: () => (store.close(), rmSync(folder, { recursive: true, force: true })) };
});

describeStore("in memory", () => {
  const store = openSqliteStore(":memory:");
  return { store, discard: () => store.close() };
});

describe("the log", () => {
  test("[K1.1] a reader beside the host sees numbers as they are given", () => {
    const store = openSqliteStore(file());
    const log = logInto(store);
    log.append([start("s")]);
    const reader = openSqliteStore(file(), { readOnly: true });
    expect(reader.lastSeq("s")).toBe(1);
    log.append([title("s", "x")]);
    expect(reader.lastSeq("s")).toBe(2);
    reader.close();
    store.close();
    expect(openSqliteStore(file()).lastSeq("s")).toBe(2);
  });

  test("a million lines are stored whole, small, and readable by range", () => {
    const store = openSqliteStore(file());
    const log = logInto(store);
    log.append([start("s")]);
    for (let at = 0; at < 1_000_000; at += 10_000) logLines(log, "s", "t", 10_000, at);
    expect(store.countLogLines("span")).toBe(1_000_000);
    expect(messages(store.logLines("span", 765_432, 2))).toEqual(["line 765432", "line 765433"]);
    const last = store.eventsAfter("s", 999_999, 5).map((stored) => stored.event());
    expect(messages(last)).toEqual(["line 999998", "line 999999"]);
    store.close();
    expect(readFileSync(file()).length).toBeLessThan(20 * 1024 * 1024);
  });
});

function messages(events: Iterable<NarratoriaEvent>): unknown[] {
  return [...events].map((line) =>
    line.event === "tool:event" && line.data.event.type === "log" ? line.data.event.message : null,
  );
}

test("[K1.1] the other tables are derived: made again from the log they are the same", async () => {
  const host = createScriptedHost({
    file: file(),
    narrate: ({ prompt, plans }) =>
      prompt === null || plans.length > 0 ? end("x", { ending: "home" }) : planOf("lamp"),
    tools: { lamp: () => ({ events: [patch({ lit: true }), logLine("lit")] }) },
  });
  const session = await host.begin();
  const turn = await host.play(session, "one");
  await host.play(session, "two");
  ok(await host.sessions.undo(session));
  ok(await host.sessions.rename(session, "Renamed"));
  ok(await host.sessions.end(ok(await host.sessions.fork(session, turn)).sessionId, "over"));
  await host.sessions.close();

  const db = new DatabaseSync(file());
  const read = (): object[][] =>
    ["sessions", "turns", "asset_uses"].map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY 1`).all());
  const before = read();
  db.exec("DELETE FROM sessions; DELETE FROM turns; DELETE FROM asset_uses;");
  const derive = createRowDeriver(db);
  for (const { json } of db.prepare("SELECT json FROM events ORDER BY rowid").all() as { json: string }[])
    derive.event(JSON.parse(json) as NarratoriaEvent);
  for (const { session_id, seq, chain } of db.prepare(LAST_ROWS).all() as object[] as LastRow[])
    derive.end(session_id, seq, chain);
  expect(read()).toEqual(before);
  expect(before.map((rows) => rows.length)).toEqual([2, 3, 0]);
  db.close();
});

interface LastRow {
  session_id: string;
  seq: number;
  chain: string;
}

/** SQLite takes the other columns from the row that has the greatest. */
const LAST_ROWS = `
  SELECT session_id, max(seq) AS seq, chain FROM
    (SELECT session_id, seq, chain FROM events UNION ALL SELECT session_id, last_seq, chain FROM line_blocks)
  GROUP BY session_id`;

describe("removing", () => {
  test("a session that others were forked from is hidden, and goes with the last of them", async () => {
    const host = createScriptedHost({ narrate: ({ prompt }) => end(`${prompt}`) });
    const parent = await host.begin();
    const turn = await host.play(parent, "one");
    const child = ok(await host.sessions.fork(parent, turn)).sessionId;
    const grandchild = ok(await host.sessions.fork(child, turn)).sessionId;
    ok(await host.sessions.remove(parent));
    ok(await host.sessions.remove(child));
    expect((await host.sessions.list()).map(({ sessionId }) => sessionId)).toEqual([grandchild]);
    expect(await host.sessions.view(parent)).toMatchObject({ kind: "refused", code: "not_found" });
    expect(ok(await host.sessions.view(grandchild)).turns.map(({ prompt }) => prompt)).toEqual([null, "one"]);
    expect(streamOf(host.store, grandchild)[0]?.event).toBe("session:start");
    ok(await host.sessions.remove(grandchild));
    for (const id of [parent, child, grandchild]) expect(host.store.session(id)).toBeNull();
    expect(host.store.turnEvents(turn)).toEqual([]);
  });

  test("who follows it is told", async () => {
    const host = createScriptedHost({ narrate: () => end("x") });
    const session = await host.begin();
    let closed = 0;
    ok(await host.sessions.follow(session, 0, { take: () => true, closed: () => void closed++ }));
    ok(await host.sessions.remove(session));
    expect(closed).toBe(1);
  });
});

describe("[Z1.4] a file that cannot be used is refused in words, and stays as it was", () => {
  async function play(): Promise<void> {
    const host = createScriptedHost({ file: file(), narrate: () => end("word ".repeat(5_000)) });
    const session = await host.begin();
    for (const text of ["one", "two", "three"]) await host.play(session, text);
    await host.sessions.close();
  }

  test.each<[string, () => void, RegExp]>([
    ["no database", () => writeFileSync(file(), "Dear diary, ".repeat(999)), /not a database.*Nothing was changed/],
    ["a torn file", () => truncateSync(file(), 30_000), /cannot be opened.*Nothing was changed/],
    ["a damaged file", () => scribble(20_000), /cannot be opened.*(damaged|malformed).*Nothing was changed/s],
    ["a damaged header", () => scribble(0), /cannot be opened.*Nothing was changed/],
    [
      "a file of a newer Narratoria",
      () => new DatabaseSync(file()).exec("PRAGMA user_version = 99"),
      /newer Narratoria/,
    ],
  ])("%s", async (_, harm, message) => {
    await play();
    harm();
    const before = readFileSync(file());
    expect(() => openSqliteStore(file())).toThrow(StoreError);
    expect(() => openSqliteStore(file())).toThrow(message);
    expect(readFileSync(file()).equals(before)).toBe(true);
  });

  test("a database of another program", () => {
    const db = new DatabaseSync(file());
    db.exec("CREATE TABLE recipes (name TEXT)");
    db.close();
    const before = readFileSync(file());
    expect(() => openSqliteStore(file())).toThrow(/no library of Narratoria/);
    expect(readFileSync(file()).equals(before)).toBe(true);
  });

  test("a folder that cannot be written to, or is none", async () => {
    writeFileSync(join(dir, "a-file"), "");
    expect(() => openSqliteStore(join(dir, "a-file", "narratoria.db"))).toThrow(StoreError);
    expect(() => lockDataFolder(join(dir, "a-file"))).toThrow(/is no folder; choose another/);
    await expect(openSessions({ dataDir: join(dir, "a-file") })).rejects.toThrow(StoreError);
    const closed = join(dir, "closed");
    mkdirSync(closed);
    const open = makeReadOnly(closed);
    try {
      await expect(openSessions({ dataDir: closed })).rejects.toThrow(StoreError);
    } finally {
      open();
    }
  });

  test("[K1.1] a write that was torn off in the log beside the file is as if it never was", async () => {
    const host = createScriptedHost({ file: file(), narrate: () => end("x") });
    const session = await host.begin();
    await host.play(session, "kept");
    mkdirSync(join(dir, "crash"));
    for (const end of ["", "-wal"]) copyFileSync(file() + end, join(dir, "crash", `narratoria.db${end}`));
    appendFileSync(join(dir, "crash", "narratoria.db-wal"), Buffer.alloc(2_500, 7));
    const store = openSqliteStore(join(dir, "crash", "narratoria.db"));
    expect(streamOf(store, session)).toEqual(streamOf(host.store, session));
    store.close();
  });
});

describe("two at once", () => {
  test("[Z1.4] a second host refuses and says why; a reader works beside the first", async () => {
    const story = join(dir, "story");
    mkdirSync(story);
    writeFileSync(join(story, "story.ink"), "A room.\n* [Leave] You leave.\n-> END\n");
    const first = await openSessions({
      dataDir: join(dir, "data"),
      storyDir: story,
      sandbox: "none",
      allowUnconfined: true,
    });
    const { sessionId } = ok(await first.create({}));
    await first.idle(sessionId);
    await expect(openSessions({ dataDir: join(dir, "data"), storyDir: story })).rejects.toThrow(DataFolderInUse);
    const reader = openSqliteStore(join(dir, "data", "narratoria.db"), { readOnly: true });
    expect(reader.session(sessionId)?.title).toBe("story");
    const seen = reader.eventsAfter(sessionId, 0, 99).length;
    ok(await first.prompt(sessionId, "leave"));
    await first.idle(sessionId);
    expect(reader.eventsAfter(sessionId, 0, 99).length).toBeGreaterThan(seen);
    expect(() => logInto(reader).append([title(sessionId, "x")])).toThrow(/readonly/);
    reader.close();
    await first.close();
    const second = await openSessions({
      dataDir: join(dir, "data"),
      storyDir: story,
      sandbox: "none",
      allowUnconfined: true,
    });
    expect(ok(await second.view(sessionId)).turns).toHaveLength(2);
    await second.close();
  });

  test("what could not be opened does not keep the folder locked", async () => {
    writeFileSync(file(), "no database at all, but long enough to look at ".repeat(99));
    await expect(openSessions({ dataDir: dir, sandbox: "none", allowUnconfined: true })).rejects.toThrow(StoreError);
    rmSync(file());
    const sessions = await openSessions({ dataDir: dir, sandbox: "none", allowUnconfined: true });
    await sessions.close();
  });
});

function scribble(at: number): void {
  const bytes = readFileSync(file());
  bytes.fill(0x5a, at, at + 3_000);
  writeFileSync(file(), bytes);
}

/** Root may write to anything but a read-only mount. */
function makeReadOnly(folder: string): () => void {
  if (process.getuid?.() !== 0) {
    chmodSync(folder, 0o500);
    return () => chmodSync(folder, 0o700);
  }
  execFileSync("mount", ["-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", folder]);
  return () => void execFileSync("umount", [folder]);
}
