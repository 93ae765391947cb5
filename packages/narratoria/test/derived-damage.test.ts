/** What is derived from the log, and how it is found: where it says something else, nobody is told a wrong story. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { examineStore, isDamaged } from "../src/stores/examine-store.ts";
import { StoreError } from "../src/stores/open-database.ts";
import { repairStore } from "../src/stores/repair-store.ts";
import { isRefusal } from "../src/runtime/seams/session-service.ts";
import { createScriptedHost, end, ok, patch, planOf, type ScriptedHost } from "./scripted-host.ts";

let dir = "";
let made = "";
let parent = "";
let fork = "";

beforeAll(async () => {
  made = dir = mkdtempSync(join(tmpdir(), "narratoria-derived-"));
  const host = openHost();
  parent = await host.begin();
  const turns = [];
  for (const prompt of ["one", "two", "three"]) turns.push(await host.play(parent, prompt));
  fork = ok(await host.sessions.fork(parent, turns[1] ?? "", "Elsewhere")).sessionId;
  await host.play(fork, "four");
  await host.sessions.close();
});
afterAll(() => rmSync(made, { recursive: true, force: true }));
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "narratoria-derived-"));
  cpSync(made, dir, { recursive: true });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Its first turn is so large that not all of the file is looked at when it is opened. */
function openHost(): ScriptedHost {
  return createScriptedHost({
    file: join(dir, "narratoria.db"),
    narrate: ({ prompt, plans }) =>
      prompt === null || plans.length > 0 ? end(`Told of ${prompt}.`) : planOf({ skill: "lamp", input: { prompt } }),
    tools: {
      lamp: ({ input }) => {
        const { prompt } = input as { prompt: string };
        const blank = prompt === "one" ? Array.from({ length: 3 }, () => patch({ blank: " ".repeat(800_000) })) : [];
        return { events: [patch({ [prompt]: true }), ...blank, patch({ blank: null })] };
      },
    },
  });
}

function change(sql: string): void {
  const db = new DatabaseSync(join(dir, "narratoria.db"), { defensive: false });
  db.exec(sql);
  db.close();
}

/** Every way to look at a session; what each answers, or that it was refused. */
async function look({ sessions }: ScriptedHost, sessionId: string): Promise<unknown[]> {
  const view = await sessions.view(sessionId);
  const tree = await sessions.tree(sessionId);
  const turnId = isRefusal(tree) ? "" : (tree.at(-1)?.turnId ?? "");
  const looks = [view, tree, await sessions.stateAt(sessionId, turnId), await sessions.why(sessionId, "/two")];
  return looks.map((each) => (isRefusal(each) ? "refused" : JSON.stringify(each)));
}

async function lookAtBoth(): Promise<unknown[][]> {
  const host = openHost();
  const looks = [await look(host, parent), await look(host, fork)];
  await host.sessions.close();
  return looks;
}

describe("[Z1.4] a row that does not say what the log says is not believed, seen by the doctor, and made again", () => {
  test.each([
    ["a turn's parent", "UPDATE turns SET parent_turn = 'x' || substr(parent_turn, 2) WHERE number = 2"],
    ["a turn without its parent", "UPDATE turns SET parent_turn = NULL WHERE number = 2"],
    ["a turn's number", "UPDATE turns SET number = 9 WHERE number = 2"],
    ["what became of a turn", "UPDATE turns SET status = 'complfted' WHERE number = 2"],
    ["where a turn begins", "UPDATE turns SET start_seq = start_seq + 1 WHERE number = 2"],
    ["a turn's name", "UPDATE turns SET turn_id = 'x' || substr(turn_id, 2) WHERE number = 2"],
    ["a turn's session", "UPDATE turns SET session_id = 'x' || substr(session_id, 2) WHERE number = 2"],
    ["a turn that is gone", "DELETE FROM turns WHERE number = 2"],
    ["a title", "UPDATE sessions SET title = 'x' || title"],
    ["a head", "UPDATE sessions SET head_turn = 'x' || substr(head_turn, 2)"],
    ["a session without its head", "UPDATE sessions SET head_turn = NULL"],
    ["where a fork begins", "UPDATE sessions SET fork_turn = 'x' || substr(fork_turn, 2)"],
    ["whose fork it is", "UPDATE sessions SET parent_session = 'x' || substr(parent_session, 2)"],
    ["after which number it forked", "UPDATE sessions SET fork_seq = fork_seq - 9"],
    ["an end that was none", "UPDATE sessions SET ended = 1"],
    ["a last number that others have", "UPDATE sessions SET last_seq = last_seq - 9"],
  ])("%s", async (_, sql) => {
    const before = await lookAtBoth();
    change(sql);
    const after = await lookAtBoth();
    const flat = after.flat();
    expect(flat.filter((each, index) => each !== "refused" && each !== before.flat()[index])).toEqual([]);
    expect(flat).toContain("refused");

    const found = await examineStore(dir);
    expect(isDamaged(found)).toBe(true);
    expect(repairStore(dir, found, new Date("2026-01-02")).refused).toBeNull();
    expect(isDamaged(await examineStore(dir))).toBe(false);
    expect(await lookAtBoth()).toEqual(before);
  });
});

test("[Z1.4] a story that was hidden by damage is seen by the doctor, and shown again", async () => {
  change(`UPDATE sessions SET removed = 1 WHERE session_id = '${fork}'`);
  const found = await examineStore(dir);
  expect(found.derived).toEqual([fork]);
  repairStore(dir, found, new Date("2026-01-02"));
  const host = openHost();
  expect((await host.sessions.list()).map(({ sessionId }) => sessionId).toSorted()).toEqual([parent, fork].toSorted());
  await host.sessions.close();
});

test("[Z1.4] a list tells of a story whose row is altered, and shows the others", async () => {
  change(`UPDATE sessions SET head_turn = NULL WHERE session_id = '${fork}'`);
  const host = openHost();
  const list = new Map((await host.sessions.list()).map((each) => [each.sessionId, each]));
  expect(list.get(fork)?.excerpt).toMatch(/^What is kept of this story is not what was written/);
  expect(list.get(parent)?.excerpt).toBe("Told of three.");
  await host.sessions.close();
});

test("[Z1.4] an event that the index of turns has lost is not left out of its turn", async () => {
  const before = await lookAtBoth();
  const db = new DatabaseSync(join(dir, "narratoria.db"), { defensive: false });
  const [index] = db.prepare("SELECT * FROM sqlite_schema WHERE name = 'events_of_turn'").all() as {
    [column: string]: string | number;
  }[];
  const row = db
    .prepare("SELECT rowid AS id, turn_id AS turn FROM events WHERE json LIKE '%{\"two\":true}%'")
    .get() as { id: number; turn: string };
  db.prepare("UPDATE events SET turn_id = 'elsewhere' WHERE rowid = ?").run(row.id);
  db.exec("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'events_of_turn'");
  db.close();
  // Unknown to SQLite, the index stays as it is.
  const again = new DatabaseSync(join(dir, "narratoria.db"), { defensive: false });
  again.prepare("UPDATE events SET turn_id = ? WHERE rowid = ?").run(row.turn, row.id);
  again.exec("PRAGMA writable_schema = ON");
  again
    .prepare("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)")
    .run(...["type", "name", "tbl_name", "rootpage", "sql"].map((column) => index?.[column] ?? null));
  again.close();

  const after = (await lookAtBoth()).flat();
  expect(after.filter((each, at) => each !== "refused" && each !== before.flat()[at])).toEqual([]);
  expect(after).toContain("refused");
  const found = await examineStore(dir);
  expect(found.file).not.toEqual([]);
  expect(repairStore(dir, found, new Date("2026-01-02")).refused).toBeNull();
  expect(await lookAtBoth()).toEqual(before);
});

test("[Z1.4] a letter of the tables' text is refused in words, and the rows are kept", async () => {
  const before = await lookAtBoth();
  change(
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'json TEXT', 'jsoo TEXT') WHERE name = 'events'",
  );
  expect(openHost).toThrow(StoreError);
  expect(openHost).toThrow(/its tables are not those that were made.*doctor --repair/);
  const found = await examineStore(dir);
  expect(isDamaged(found)).toBe(true);
  expect(repairStore(dir, found, new Date("2026-01-02"))).toMatchObject({ refused: null, sessions: [] });
  expect(await lookAtBoth()).toEqual(before);
});
