/** What SQLite drops without a word is noticed: a damaged or cut write-ahead log, an empty file, an older one in its place. */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readEnds } from "../src/stores/ends-file.ts";
import { StoreError } from "../src/stores/open-database.ts";
import { openSqliteStore } from "../src/stores/sqlite.ts";
import { logInto } from "./log-into.ts";
import { createScriptedHost, end, logLine, patch, planOf } from "./scripted-host.ts";
import { logLines, start, title, turn, turnEnd } from "./store-behaviour.ts";
import { removeNow } from "./remove-now.ts";

let dir = "";
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "narratoria-lost-"))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** What its header says. */
function framesOf(wal: Buffer): { pageSize: number; frames: number } {
  const pageSize = wal.readUInt32BE(8);
  return { pageSize, frames: Math.floor((wal.length - 32) / (24 + pageSize)) };
}

/** Two stories of a host that was killed: its files as they lie there then. */
async function killedHost(turns = 4): Promise<{ file: string; events: number }> {
  const live = join(dir, "live.db");
  const host = createScriptedHost({
    file: live,
    narrate: ({ plans }) => (plans.length > 0 ? end("x") : planOf("lamp")),
    tools: { lamp: () => ({ events: [logLine("hm"), patch({ lit: true })] }) },
  });
  const sessions = [await host.begin(), await host.begin()];
  for (let n = 0; n < turns; n++) for (const session of sessions) await host.play(session, `turn ${n}`);
  const events = sessions.reduce((sum, session) => sum + host.store.lastSeq(session), 0);
  const file = join(dir, "narratoria.db");
  for (const ending of ["", "-wal", "-ends"]) copyFileSync(live + ending, file + ending);
  await host.sessions.close();
  for (const name of readdirSync(dir)) if (name.startsWith("live")) rmSync(join(dir, name));
  return { file, events };
}

const contentsOf = (file: string): Buffer[] => ["", "-wal", "-ends"].map((ending) => readFileSync(file + ending));

describe("[Z1.4] a lost tail is noticed, told, and left as it is", () => {
  test.each<[string, (wal: string) => void]>([
    ["a flipped byte in the middle of the write-ahead log", (wal) => flip(wal, Math.floor(statSync(wal).size / 2))],
    ["a flipped byte in its header", (wal) => flip(wal, 17)],
    ["a cut one", (wal) => truncateSync(wal, Math.floor(statSync(wal).size / 3))],
    ["an empty one", (wal) => truncateSync(wal, 0)],
    ["none", (wal) => rmSync(wal)],
  ])("%s", async (_, harm) => {
    const { file } = await killedHost();
    openSqliteStore(file, { readOnly: true }).close();
    harm(`${file}-wal`);
    const before = readFileSync(file);
    for (const readOnly of [false, true, false]) {
      expect(() => openSqliteStore(file, { readOnly })).toThrow(StoreError);
      expect(() => openSqliteStore(file, { readOnly })).toThrow(
        /(the last \d+ events of (one story|two stories)|(one story|two stories) altogether|is empty|no library)/,
      );
    }
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("wherever the write-ahead log is cut or changed, what is lost is told", async () => {
    const { file, events } = await killedHost(3);
    const wal = readFileSync(`${file}-wal`);
    const main = readFileSync(file);
    const ends = readFileSync(`${file}-ends`);
    const { pageSize, frames } = framesOf(wal);
    expect(frames).toBeGreaterThan(20);
    const frameBytes = 24 + pageSize;
    const told = { refused: 0, whole: 0 };
    const tryWith = (harmed: Buffer): void => {
      writeFileSync(file, main);
      writeFileSync(`${file}-wal`, harmed);
      writeFileSync(`${file}-ends`, ends);
      rmSync(`${file}-shm`, { force: true });
      try {
        const store = openSqliteStore(file);
        // Nothing was lost, or nothing that was promised: whole turns, and what a running one had last.
        const left = store.sessions().reduce((sum, { lastSeq }) => sum + lastSeq, 0);
        expect(left).toBe(events);
        for (const { sessionId } of store.sessions()) expect(store.findDamage(sessionId)).toEqual([]);
        store.close();
        told.whole++;
      } catch (error) {
        expect(error).toBeInstanceOf(StoreError);
        told.refused++;
      }
    };
    // All of them take a minute; these few are others with every length.
    for (let frame = frames; frame >= 0; frame -= 11) {
      for (const off of [0, 25]) tryWith(wal.subarray(0, 32 + frame * frameBytes + off));
    }
    for (let at = wal.length % 997; at < wal.length; at += 19_997) {
      const harmed = Buffer.from(wal);
      harmed[at] = (harmed[at] ?? 0) ^ 0x20;
      tryWith(harmed);
    }
    expect(told.refused).toBeGreaterThan(20);
    expect(told.whole).toBeGreaterThan(0);
  });

  test("the sentence has the numbers", async () => {
    const { file } = await killedHost();
    const wal = readFileSync(`${file}-wal`);
    flip(`${file}-wal`, Math.floor(wal.length / 2));
    const damaged = contentsOf(file);
    const left = new DatabaseSync(file, { readOnly: true });
    const { n } = left.prepare("SELECT sum(last_seq) AS n FROM sessions").get() as { n: number };
    left.close();
    const whole = wal.length > 0 ? await countEvents(file) : 0;
    expect(n).toBeLessThan(whole);
    expect(() => openSqliteStore(file)).toThrow(`the last ${whole - n} events of two stories are missing`);
    expect(contentsOf(file)).toEqual(damaged);
  });

  test("an older file put in the place of the newer", async () => {
    const { file } = await killedHost();
    rmSync(`${file}-wal`, { force: true });
    rmSync(`${file}-shm`, { force: true });
    const older = openSqliteStore(join(dir, "older.db"));
    logInto(older).append([start("a"), title("a", "x")]);
    older.close();
    copyFileSync(join(dir, "older.db"), file);
    expect(() => openSqliteStore(file)).toThrow(/two stories altogether are missing/);
  });

  test("a process that dies at any commit is no loss: the note is never ahead of the store", () => {
    const file = join(dir, "narratoria.db");
    const store = openSqliteStore(file);
    const log = logInto(store);
    log.append([start("a"), turn("a", "t")]);
    for (let n = 0; n < 20; n++) {
      if (n % 3 === 0) logLines(log, "a", "t", 2, n * 2);
      else log.append([title("a", `${n}`)]);
      if (n === 10) log.append([start("b"), title("b", "x")]);
      if (n === 15) removeNow(store, "b");
      const copy = join(dir, "copy.db");
      // The note first, as it lay there before the store's own files were copied.
      for (const ending of ["-ends", "", "-wal"]) copyFileSync(file + ending, copy + ending);
      openSqliteStore(copy).close();
      for (const ending of ["-ends", ""]) rmSync(copy + ending);
    }
    log.append([turnEnd("a", "t")]);
    store.close();
    openSqliteStore(file).close();
  });

  test.each<[string, (note: string) => void]>([
    ["deleted", (note) => rmSync(note)],
    ["replaced by a copy of itself", (note) => (copyFileSync(note, `${note}-2`), renameSync(`${note}-2`, note))],
  ])("a note that is %s under a running host is made again", async (_, harm) => {
    const { file } = await killedHost();
    const store = openSqliteStore(file);
    const [gone, left] = store.sessions();
    harm(`${file}-ends`);
    removeNow(store, gone?.sessionId ?? "");
    store.close();
    expect([...readEnds(file).keys()]).toEqual([left?.sessionId]);
    openSqliteStore(file).close();
  });

  test("what cannot be forgotten is not deleted: it would count as lost", async () => {
    const { file } = await killedHost();
    const store = openSqliteStore(file);
    const sessionId = store.sessions()[0]?.sessionId ?? "";
    rmSync(`${file}-ends`);
    mkdirSync(`${file}-ends.new`);
    expect(() => removeNow(store, sessionId)).toThrow("EISDIR");
    expect(store.session(sessionId)).not.toBeNull();
    rmdirSync(`${file}-ends.new`);
    removeNow(store, sessionId);
    store.close();
    openSqliteStore(file).close();
  });

  test("a damaged line in the note says nothing, the others do", async () => {
    const { file } = await killedHost();
    rmSync(`${file}-wal`);
    flip(`${file}-ends`, 30);
    expect(() => openSqliteStore(file)).toThrow(StoreError);
    writeFileSync(`${file}-ends`, "\nnonsense\n\n[1,2]\nAAAAAAAAAAA [1]");
    rmSync(file);
    openSqliteStore(file).close();
  });
});

describe("[Z1.4] an empty file is no new library where an old one was", () => {
  test.each<[string, (folder: string) => void, RegExp]>([
    ["beside assets", (folder) => put(folder, "assets/ab/abcd"), /1 file of stories lies in its assets folder/],
    ["beside a copy", (folder) => put(folder, "narratoria.db.bak"), /narratoria\.db\.bak lies beside it/],
    ["beside a backup", (folder) => put(folder, "backup/narratoria.db"), /backup lies beside it/],
  ])("%s", (_, lay, words) => {
    const file = join(dir, "narratoria.db");
    lay(dir);
    for (const make of [() => rmSync(file, { force: true }), () => writeFileSync(file, "")]) {
      make();
      expect(() => openSqliteStore(file)).toThrow(StoreError);
      expect(() => openSqliteStore(file)).toThrow(words);
      expect(statSync(file, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    }
  });

  test("nor beside the note of what it had; without any of these it is one", async () => {
    const { file } = await killedHost(1);
    for (const ending of ["-wal", "-shm"]) rmSync(file + ending, { force: true });
    writeFileSync(file, "");
    expect(() => openSqliteStore(file)).toThrow(/two stories were kept in it/);
    rmSync(`${file}-ends`);
    openSqliteStore(file).close();
  });

  test("a host that died while it made the file goes on making it", () => {
    const file = join(dir, "narratoria.db");
    const db = new DatabaseSync(file);
    db.exec("PRAGMA journal_mode = WAL");
    db.close();
    openSqliteStore(file).close();
  });

  test("a large file that was cut is refused", async () => {
    const file = join(dir, "narratoria.db");
    const store = openSqliteStore(file);
    const log = logInto(store);
    log.append([start("a")]);
    for (let n = 0; n < 40; n++) log.append([title("a", "long ".repeat(30_000))]);
    store.close();
    rmSync(`${file}-ends`);
    expect(statSync(file).size).toBeGreaterThan(4 * 1024 * 1024);
    truncateSync(file, 3 * 1024 * 1024);
    expect(() => openSqliteStore(file)).toThrow(/cut off|malformed/);
  });
});

/** As they were noted. */
async function countEvents(file: string): Promise<number> {
  const lines = readFileSync(`${file}-ends`, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  const ends = new Map(lines.map((line) => JSON.parse(line.slice(line.indexOf(" ") + 1)) as [string, number]));
  return [...ends.values()].reduce((sum, seq) => sum + seq, 0);
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at);
  writeFileSync(file, bytes);
}

function put(folder: string, path: string): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), "x");
}
