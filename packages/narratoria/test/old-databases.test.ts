/**
 * Databases that older versions wrote, in `fixtures/databases/`: everything in them reads back as those versions read it,
 * and their sessions go on.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { openSessions, openSessionsReadOnly } from "../src/create-narratoria.ts";
import type {
  LogLine,
  Refusal,
  SessionService,
  SessionSummary,
  StreamedEvent,
  TreeNode,
} from "../src/runtime/seams/session-service.ts";
import type { Store } from "../src/runtime/seams/store.ts";
import { createAncestry } from "../src/runtime/turns/ancestry.ts";
import { examineStore, isDamaged } from "../src/stores/examine-store.ts";
import { openSqliteStore } from "../src/stores/sqlite.ts";
import type { NarratoriaEvent } from "../src/story/event.ts";
import type { SessionView, TurnView } from "../src/story/session-view.ts";
import { ok } from "./scripted-host.ts";

interface Readings {
  list: SessionSummary[];
  sessions: {
    sessionId: string;
    view: SessionView;
    tree: TreeNode[];
    stream: NarratoriaEvent[];
    logs: Record<string, LogLine[]>;
    states: Record<string, JsonObject>;
  }[];
}

let dir = "";
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "narratoria-old-database-"))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const file = (): string => join(dir, "narratoria.db");

describe.each(["02a7c75", "9f0677b"])("the database of %s", (version) => {
  const fixture = (ending: string): Buffer =>
    zstdDecompressSync(readFileSync(new URL(`fixtures/databases/${version}.${ending}.zst`, import.meta.url)));
  const readings = JSON.parse(fixture("readings.json").toString()) as Readings;
  const sessionOf = (title: string): string =>
    readings.list.find((session) => session.title === title)?.sessionId ?? `no session ${title}`;
  beforeEach(() => writeFileSync(file(), fixture("db")));

  test("[K1.1] [K1.3] reads back as that version read it", async () => {
    const sessions = await openSessions({ dataDir: dir, sandbox: "none", allowUnconfined: true });
    expect(await answer(sessions.list())).toMatchObject(readings.list);
    for (const old of readings.sessions) await expectSame(sessions, old);
    await sessions.close();
  });

  test("[Z1.4] who only reads leaves the file as it was", async () => {
    const sessions = await openSessionsReadOnly(dir);
    const list = await answer(sessions.list());
    expect(list.map(({ sessionId }) => sessionId)).toEqual(readings.list.map(({ sessionId }) => sessionId));
    for (const { sessionId, states } of readings.sessions) {
      for (const [turnId, state] of Object.entries(states))
        expect((await answer(sessions.stateAt(sessionId, turnId))).state).toEqual(state);
    }
    await sessions.close();
    expect(readFileSync(file()).equals(fixture("db"))).toBe(true);
  });

  test("[Z1.4] becomes a file as a new one is, whole, and its checksums see what is done to it", () => {
    using store = open(file());
    using fresh = open(join(dir, "fresh.db"));
    expect(schemaOf(file())).toEqual(schemaOf(join(dir, "fresh.db")));
    expect(fresh.sessions()).toEqual([]);
    const ids = new DatabaseSync(file()).prepare("SELECT session_id FROM sessions").all() as { session_id: string }[];
    expect(ids).toHaveLength(9);
    for (const { session_id: sessionId } of ids) expect(store.findDamage(sessionId)).toEqual([]);
    const db = new DatabaseSync(file());
    db.exec("UPDATE events SET json = json || ' ' WHERE name = 'session:bookmark'");
    db.exec("DELETE FROM line_blocks WHERE first_seq = (SELECT max(first_seq) FROM line_blocks)");
    db.close();
    expect(store.findDamage(sessionOf("The whole long evening"))).toHaveLength(1);
    expect(store.findDamage(sessionOf("Beside what was cut off"))).toMatchObject([{ kind: "cut" }]);
    expect(store.findDamage(sessionOf("Cut off"))).toEqual([]);
  });

  test("[U1.4] sessions go on after every number that a reader may hold, and a fork has none of what its parent does", async () => {
    const highest = highestNumber(file());
    const sessions = await openSessions({ dataDir: dir, sandbox: "none", allowUnconfined: true });
    const parent = sessionOf("The whole long evening");
    const fork = sessionOf("What if we knock");
    const before = storedStream(fork);
    await answer(sessions.rename(parent, "On and on"));
    await answer(sessions.bookmark(parent, (await answer(sessions.tree(parent)))[0]?.turnId ?? "", "here"));
    const ownLast = readings.sessions.find(({ sessionId }) => sessionId === parent)?.stream.at(-1)?.seq ?? 0;
    expect(ownLast).toBeLessThan(highest);
    for (const held of [ownLast, ownLast + 1, highest]) {
      const after = await followed(sessions, parent, held, highest + 2);
      expect(after.map(({ event, seq }) => [event, seq])).toEqual([
        ["session:title", highest + 1],
        ["session:bookmark", highest + 2],
      ]);
    }
    expect(storedStream(fork)).toEqual(before);
    await sessions.close();
  });

  test("[Z1.4] kill -9 in the middle of the migration leaves the old file, and the next start makes it new", () => {
    const script = new URL("crash-migration.ts", import.meta.url).pathname;
    const { signal, stderr } = spawnSync(process.execPath, [script, file()], { encoding: "utf8" });
    expect({ signal, stderr }).toEqual({ signal: "SIGKILL", stderr: "" });
    expect(statSync(`${file()}-wal`).size).toBeGreaterThan(100_000);
    const db = new DatabaseSync(file());
    expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: 1 });
    expect(db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name LIKE 'old_%'").get()).toEqual({ n: 0 });
    db.close();
    using store = open(file());
    expect(
      store
        .sessions()
        .map(({ sessionId }) => sessionId)
        .toSorted(),
    ).toEqual(readings.list.map(({ sessionId }) => sessionId).toSorted());
    for (const { sessionId } of readings.list) expect(store.findDamage(sessionId)).toEqual([]);
  });

  test("[Z1.4] nor does it matter when: at any statement, and after the commit", () => {
    const script = new URL("crash-migration.ts", import.meta.url).pathname;
    const kill = (moment: string): string => {
      for (const ending of ["-wal", "-shm", "-ends"]) rmSync(file() + ending, { force: true });
      writeFileSync(file(), fixture("db"));
      const { signal, stdout, stderr } = spawnSync(process.execPath, [script, file(), moment], { encoding: "utf8" });
      expect([moment, signal, stderr]).toEqual([moment, "SIGKILL", ""]);
      return stdout;
    };
    const statements = Number(kill("never"));
    expect(statements).toBeGreaterThan(100);
    const versions = new Set<number>();
    // The last ones are between the two steps, in the second, and its commit.
    const early = [0, 0.01, 0.3, 0.7, 0.99].map((part) => Math.floor(part * statements));
    for (const moment of [...early, ...Array.from({ length: 6 }, (_, n) => statements - 4 + n), "never"]) {
      kill(String(moment));
      const db = new DatabaseSync(file());
      versions.add((db.prepare("PRAGMA user_version").get() as { user_version: number }).user_version);
      db.close();
      using store = open(file());
      expect(store.sessions()).toHaveLength(readings.list.length);
      for (const { sessionId } of readings.list) expect(store.findDamage(sessionId)).toEqual([]);
    }
    expect([...versions]).toEqual([1, 2, 3]);
  });

  test("[Z1.4] the doctor finds nothing wrong with it, before it is brought up to date and after", async () => {
    expect(isDamaged({ ...(await examineStore(dir)), assets: NO_ASSETS })).toBe(false);
    open(file())[Symbol.dispose]();
    expect(isDamaged({ ...(await examineStore(dir)), assets: NO_ASSETS })).toBe(false);
  });
});

/** Only the databases were kept. */
const NO_ASSETS = { missing: [], altered: [], unused: [] };

test("[K1.3] what a session of an older version was told to remember, a fork still knows as it was", async () => {
  const packed = readFileSync(new URL("fixtures/databases/9f0677b.db.zst", import.meta.url));
  writeFileSync(file(), zstdDecompressSync(packed));
  const sessions = await openSessions({ dataDir: dir, sandbox: "none", allowUnconfined: true });
  const contexts = new Map<string, unknown>();
  for (const { title, sessionId } of await answer(sessions.list())) {
    const mood = await answer(sessions.getContext(sessionId, "mood"));
    const weather = await answer(sessions.getContext(sessionId, "weather"));
    contexts.set(title, [mood.value, weather.value]);
  }
  await sessions.close();
  expect(contexts.get("The whole long evening")).toEqual(["after the fork", null]);
  expect(contexts.get("What if we knock")).toEqual(["curious", "rain"]);
  expect(contexts.get("What if we knock (fork)")).toEqual(["curious", "rain"]);
  expect(contexts.get("The pump")).toEqual([null, null]);
});

async function expectSame(sessions: SessionService, old: Readings["sessions"][number]): Promise<void> {
  const { sessionId } = old;
  const { title, story, headTurnId, state, choices, bookmarks, ended, turnCount } = old.view;
  const expected = { title, story, headTurnId, state, choices, bookmarks, ended, turnCount };
  expect(await answer(sessions.view(sessionId))).toMatchObject(expected);
  expect(await answer(sessions.tree(sessionId))).toEqual(old.tree);
  for (const turn of old.view.turns) {
    const { turn: found } = await answer(sessions.turn(sessionId, turn.turnId));
    // A tool that was cut off now says so; the first version still called it running.
    const known = turn.tools.map(({ status }) => status !== "running");
    expect(shown(found, known)).toEqual(shown(turn, known));
    // The first version did not find the takes of a turn that a fork inherits.
    if (turn.takes.length > 0) expect(found.takes).toEqual(turn.takes);
  }
  for (const [turnId, state] of Object.entries(old.states))
    expect((await answer(sessions.stateAt(sessionId, turnId))).state).toEqual(state);
  for (const [spanId, lines] of Object.entries(old.logs))
    expect(await answer(sessions.logs(sessionId, spanId, { from: 0, count: 1000 }))).toEqual(lines);

  const stream = storedStream(sessionId);
  const numbers = stream.map(({ seq }) => seq ?? 0);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  expect(stream.filter((event) => !isNowInherited(event, sessionId)).map(withoutOpening)).toEqual(
    old.stream.map(withoutOpening),
  );
}

/** What these versions left out of a fork's stream. */
function isNowInherited({ event, session_id, turn_id }: NarratoriaEvent, sessionId: string): boolean {
  return event === "context:set" && session_id !== sessionId && (turn_id ?? null) === null;
}

/** A turn that was left running is interrupted by whoever opens the file next: each at another time. */
function withoutOpening(event: NarratoriaEvent): object {
  return event.event === "turn:interrupt" ? { ...event, id: "", ts: 0 } : event;
}

function shown(turn: TurnView, known: readonly boolean[]): object {
  const { turnId, parentTurnId, number, prompt, status, startedAt, endedAt, passages, ending } = turn;
  // They have had an id since; then they did not.
  const choices = turn.choices.map((choice) => ({ ...choice, id: "" }));
  const tools = turn.tools
    .filter((_, index) => known[index])
    .map(({ toolId, skill, status, attempt, summary, error }) => {
      return { toolId, skill, status, attempt, summary, error };
    });
  return { turnId, parentTurnId, number, prompt, status, startedAt, endedAt, passages, choices, ending, tools };
}

/** What the file holds, as a reader of the stream gets it. */
function storedStream(sessionId: string): NarratoriaEvent[] {
  using store = open(file(), { readOnly: true });
  const ancestry = createAncestry(store);
  const events: NarratoriaEvent[] = [];
  for (let at = 0, isLast = false; !isLast;) {
    const page = ancestry.stream(sessionId, at, 100, "each");
    events.push(...page.events.map((streamed) => streamed.event()));
    ({ next: at, isLast } = page);
  }
  return events;
}

/** What a follower is given after a number, until that of the last event. */
async function followed(sessions: SessionService, id: string, after: number, last: number): Promise<NarratoriaEvent[]> {
  const events: NarratoriaEvent[] = [];
  await new Promise<void>((resolve, reject) => {
    const take = (streamed: StreamedEvent): boolean => {
      events.push(streamed.event());
      if (streamed.seq === last) resolve();
      return true;
    };
    answer(sessions.follow(id, after, { take, closed: () => {} })).catch(reject);
  });
  return events;
}

async function answer<T>(given: T | Refusal | Promise<T | Refusal>): Promise<T> {
  return ok(await Promise.resolve(given));
}

function open(path: string, options: { readOnly?: boolean } = {}): Store & Disposable {
  const store = openSqliteStore(path, options);
  return { ...store, [Symbol.dispose]: () => store.close() };
}

function highestNumber(path: string): number {
  using db = new DatabaseSync(path, { readOnly: true });
  const found = db.prepare("SELECT max((SELECT max(seq) FROM events), (SELECT max(last_seq) FROM line_blocks)) AS n");
  return (found.get() as { n: number }).n;
}

function schemaOf(path: string): object {
  using db = new DatabaseSync(path, { readOnly: true });
  const names = db.prepare("SELECT name, type FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1").all();
  const columns = db.prepare(
    `SELECT s.name AS "table", c.name, c.type, c."notnull", c.dflt_value, c.pk FROM sqlite_schema s
     JOIN pragma_table_info(s.name) c WHERE s.type = 'table' ORDER BY 1, 2`,
  );
  const indexed = db.prepare(
    "SELECT s.name, i.name AS \"column\" FROM sqlite_schema s JOIN pragma_index_info(s.name) i WHERE s.type = 'index' ORDER BY 1, seqno",
  );
  return { version: db.prepare("PRAGMA user_version").get(), names, columns: columns.all(), indexed: indexed.all() };
}
