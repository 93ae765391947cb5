/** What was done to a log behind the store's back is seen: the chain of checksums no longer fits. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Damage } from "../src/runtime/seams/store.ts";
import { logInto } from "./log-into.ts";
import { openSqliteStore } from "../src/stores/sqlite.ts";
import { fork, logLines, start, title, turn, turnEnd } from "./store-behaviour.ts";

let dir = "";
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), "narratoria-damage-"))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Session "a": 1 start, 2 turn, 3 to 22 lines, 23 end, 24 title; "b", forked from it: 25 and 26. */
function damageAfter(harm: string | ((db: DatabaseSync) => void), sessionId = "a"): Damage[] {
  const file = join(dir, "narratoria.db");
  const store = openSqliteStore(file);
  const log = logInto(store);
  log.append([start("a"), turn("a", "t")]);
  logLines(log, "a", "t", 10);
  logLines(log, "a", "t", 10, 10);
  log.append([turnEnd("a", "t"), title("a", "x"), fork("b", "a", "t"), title("b", "y")]);
  store.close();
  const db = new DatabaseSync(file);
  if (typeof harm === "string") db.exec(harm);
  else harm(db);
  db.close();
  const reader = openSqliteStore(file, { readOnly: true });
  const found = reader.findDamage(sessionId);
  const other = reader.findDamage(sessionId === "a" ? "b" : "a");
  reader.close();
  expect(other).toEqual([]);
  return found;
}

describe("[Z1.4] damage to a session's log", () => {
  const altered = (seq: number): Damage => ({ kind: "altered", seq });
  const cut = (after: number): Damage => ({ kind: "cut", after });

  test.each<[string, string, Damage[]]>([
    ["none", "SELECT 1", []],
    [
      "another word in an event",
      "UPDATE events SET json = replace(json, '\"x\"', '\"z\"') WHERE seq = 24",
      [altered(24)],
    ],
    [
      "an event in the middle changed",
      "UPDATE events SET json = replace(json, 'go', 'no') WHERE seq = 2",
      [altered(2)],
    ],
    ["an event filed under another name", "UPDATE events SET name = 'session:end' WHERE seq = 24", [altered(24)]],
    ["an event filed under another turn", "UPDATE events SET turn_id = 'u' WHERE seq = 23", [altered(23)]],
    ["an event filed under another id", "UPDATE events SET event_id = 'u' WHERE seq = 23", [altered(23)]],
    ["an event deleted", "DELETE FROM events WHERE seq = 2", [{ kind: "missing", after: 1, before: 3 }]],
    ["the first event deleted", "DELETE FROM events WHERE seq = 1", [{ kind: "missing", after: 0, before: 2 }]],
    ["the last event deleted", "DELETE FROM events WHERE seq = 24", [cut(23)]],
    ["several deleted at the end", "DELETE FROM events WHERE seq IN (23, 24)", [cut(22)]],
    ["a block deleted", "DELETE FROM line_blocks WHERE first_seq = 3", [{ kind: "missing", after: 2, before: 13 }]],
    ["everything deleted", "DELETE FROM events WHERE session_id = 'a'; DELETE FROM line_blocks", [cut(0)]],
    ["a block's lines changed", "UPDATE line_blocks SET lines = x'7b7d' WHERE first_seq = 13", [altered(13)]],
    ["a block's place changed", "UPDATE line_blocks SET first_number = 7 WHERE first_seq = 13", [altered(13)]],
    ["a block's progress changed", "UPDATE line_blocks SET progress = 0.5 WHERE first_seq = 13", [altered(13)]],
    ["a block's envelope changed", "UPDATE line_blocks SET envelope = '{}' WHERE first_seq = 13", [altered(13)]],
    [
      "a block's packing changed",
      "UPDATE line_blocks SET is_compressed = 1 - is_compressed WHERE first_seq = 13",
      [altered(13)],
    ],
    ["a block filed under another attempt", "UPDATE line_blocks SET span_id = 'u' WHERE first_seq = 13", [altered(13)]],
    ["another end", "UPDATE sessions SET chain = 'x' WHERE session_id = 'a'", [cut(24)]],
    [
      "two at once",
      "UPDATE events SET json = json || ' ' WHERE seq = 2; DELETE FROM events WHERE seq = 24",
      [altered(2), cut(23)],
    ],
  ])("%s", (_, harm, expected) => {
    expect(damageAfter(harm)).toEqual(expected);
  });

  test("an event put in the place of another", () => {
    const swap = (db: DatabaseSync): void => {
      db.exec("UPDATE events SET seq = -1 WHERE session_id = 'a' AND seq = 23");
      db.exec("UPDATE events SET seq = 23 WHERE session_id = 'a' AND seq = 24");
      db.exec("UPDATE events SET seq = 24 WHERE seq = -1");
    };
    expect(damageAfter(swap).map(({ kind }) => kind)).toContain("altered");
  });

  test("in a fork", () => {
    expect(damageAfter("UPDATE events SET json = replace(json, 'Fork', 'Fark') WHERE seq = 25", "b")).toEqual([
      altered(25),
    ]);
    for (const name of readdirSync(dir)) rmSync(join(dir, name));
    expect(damageAfter("DELETE FROM events WHERE session_id = 'b' AND seq = 25", "b")).toEqual([
      { kind: "missing", after: 0, before: 26 },
    ]);
  });
});

test.each(["each", "runs"] as const)(
  "[Z1.4] a page reads no further than it goes, with log lines told as %s",
  (logs) => {
    const file = join(dir, "narratoria.db");
    const store = openSqliteStore(file);
    const log = logInto(store);
    log.append([start("a"), turn("a", "t"), ...Array.from({ length: 20 }, (_, n) => title("a", `title ${n}`))]);
    logLines(log, "a", "t", 10);
    const db = new DatabaseSync(file);
    db.exec("UPDATE line_blocks SET lines = x'7b7d'");
    db.close();
    expect(store.eventsAfter("a", 0, 20, logs)).toHaveLength(20);
    expect(() => store.eventsAfter("a", 0, 40, logs)).toThrow("event 23 of session a is not what was written");
    store.close();
  },
);
