import { describe, expect, test } from "vitest";
import type { NarratoriaEvent } from "../../story/event.ts";
import type { FileRecord } from "./file-line.ts";
import { createRecordCheck } from "./session-record-check.ts";

let ids = 0;
/** An event of the session `s`, unless it says otherwise. */
function event(name: string, data: object, more: object = {}): FileRecord {
  const about = { id: `e${++ids}`, ts: 1, component: "kernel", session_id: "s" };
  return { kind: "event", event: { ...about, event: name, data, ...more } as NarratoriaEvent };
}

const START = event("session:start", { plan: { goal: "", inputs: {} } });

function turn(turnId: string, number: number, parentTurnId: string | null = null, more: object = {}): FileRecord {
  return event("turn:start", { turnId, prompt: "", number, parentTurnId }, { turn_id: turnId, ...more });
}

function lines(texts: string[], more: object = {}): FileRecord {
  const about = { id: "l", ts: 1, component: "runner", session_id: "s", turn_id: "t0", span_id: "x" };
  const first = { ...about, event: "tool:event", data: { toolId: "a" }, ...more };
  return { kind: "lines", first, number: 0, lines: texts, progress: null } as FileRecord;
}

/** What the check says of the records, and then of their end; the first problem is the last word. */
function check(...records: FileRecord[]): string | null {
  const checking = createRecordCheck();
  for (const record of records) {
    const problem = checking.take(record);
    if (problem !== null) return problem;
  }
  return checking.finish();
}

const LOG = JSON.stringify({ version: "0", type: "log", level: "info", message: "m" });

describe("a file that tells a session", () => {
  test("begins, has turns that follow each other, and siblings", () => {
    const records = [turn("t0", 0), turn("t1", 1, "t0"), turn("t2", 1, "t0"), turn("u0", 0)];
    expect(check(START, ...records, event("session:end", { reason: "" }))).toBeNull();
  });

  test("has log lines, and events outside of turns", () => {
    expect(check(START, event("session:title", { title: "x" }), turn("t0", 0), lines([LOG, LOG]))).toBeNull();
  });

  test("points to turns that are there, or to the time before the first", () => {
    const pointers = [
      event("session:head", { turnId: "t0", reason: "undo" }),
      event("session:head", { turnId: null, reason: "undo" }),
      event("session:head", { reason: "undo" }),
      event("session:bookmark", { turnId: "t0" }),
    ];
    expect(check(START, turn("t0", 0), ...pointers)).toBeNull();
  });

  test("may have plans that were rejected, whatever they are", () => {
    const plan = { turn_id: "t0", status: "rejected" };
    expect(check(START, turn("t0", 0), event("plan:create", { plan: { tools: null } }, plan))).toBeNull();
  });
});

describe("what contradicts itself", () => {
  const plan = { turn_id: "t0", status: "accepted" };
  const printed = { turn_id: "t0", span_id: "x", module: "a" };
  const asset = { version: "0", type: "asset", assetId: "a", kind: "image", mediaType: "image/png", path: "a.png" };
  const stored = { toolId: "a", assetId: "a", kind: "image", mediaType: "image/png", status: "stored" };
  test.each<[what: string, problem: string, records: FileRecord[]]>([
    ["nothing at all", "no beginning", []],
    ["a turn before the beginning", "no beginning", [turn("t0", 0), START]],
    ["lines before the beginning", "no beginning", [lines([LOG])]],
    ["a second beginning", "a second beginning", [START, { ...START }]],
    ["an event of another session", "events of several sessions", [START, turn("t0", 0, null, { session_id: "z" })]],
    [
      "lines of another session",
      "events of several sessions",
      [START, turn("t0", 0), lines([LOG], { session_id: "z" })],
    ],
    ["a fork", "events of several sessions", [START, event("session:fork", { parent: "s" })]],
    ["an event of no turn", "an event of an unknown turn", [START, event("turn:end", {}, { turn_id: "t9" })]],
    ["lines of no turn", "an event of an unknown turn", [START, lines([LOG])]],
    ["a turn without a name", "a turn twice", [START, turn("", 0)]],
    ["a turn by two names", "a turn twice", [START, turn("t0", 0, null, { turn_id: "t1" })]],
    ["a turn twice", "a turn twice", [START, turn("t0", 0), turn("t0", 0)]],
    ["a turn that follows none", "a turn without the one before it", [START, turn("t1", 1, "t0")]],
    ["a first turn that is none", "a turn without the one before it", [START, turn("t0", 1)]],
    ["a number left out", "a turn without the one before it", [START, turn("t0", 0), turn("t2", 2, "t0")]],
    ["a number twice", "a turn without the one before it", [START, turn("t0", 0), turn("t1", 0, "t0")]],
    ["a head nowhere", "a pointer to an unknown turn", [START, event("session:head", { turnId: "t9", reason: "" })]],
    ["a bookmark nowhere", "a pointer to an unknown turn", [START, event("session:bookmark", { turnId: "t9" })]],
    ["a plan that is none", "a plan that is none", [START, turn("t0", 0), event("plan:create", { plan: {} }, plan)]],
    ["a line that is none", "a log line that is none", [START, turn("t0", 0), lines([LOG, "{}"])]],
    ["two lines in one", "a log line that is none", [START, turn("t0", 0), lines([`${LOG}\n`])]],
    [
      "a line that is no log line",
      "a log line that is none",
      [START, turn("t0", 0), lines([`{"version":"0","type":"done","ok":true}`])],
    ],
    [
      "what no tool says",
      "a tool's event that is none",
      [START, turn("t0", 0), event("tool:event", { toolId: "a", event: { type: "x" } }, printed)],
    ],
    [
      "an asset whose hash is none",
      "an asset with no hash",
      [
        START,
        turn("t0", 0),
        event("tool:event", { toolId: "a", event: asset, asset: { ...stored, sha256: "../x" } }, printed),
      ],
    ],
    [
      "an asset whose hash goes on",
      "an asset with no hash",
      [
        START,
        turn("t0", 0),
        event(
          "tool:event",
          { toolId: "a", event: asset, asset: { ...stored, sha256: `${"0".repeat(64)}/x` } },
          printed,
        ),
      ],
    ],
    [
      "an asset that nobody took",
      "an asset",
      [START, turn("t0", 0), event("tool:event", { toolId: "a", event: asset }, printed)],
    ],
  ])("%s", (_, problem, records) => {
    expect(check(...records)).toBe(problem);
  });

  test("an event twice", () => {
    const title = event("session:title", { title: "x" });
    expect(check(START, title, title)).toBe("an event is there twice");
  });
});

test("the assets that events refer to are told", () => {
  const checking = createRecordCheck();
  const sha256 = "ab".repeat(32);
  const asset = { version: "0", type: "asset", assetId: "a", kind: "image", mediaType: "image/png", path: "a.png" };
  const taken = { toolId: "a", assetId: "a", kind: "image", mediaType: "image/png", status: "stored", sha256 };
  const printed = event("tool:event", { toolId: "a", event: asset, asset: taken }, { turn_id: "t0", span_id: "x" });
  for (const record of [START, turn("t0", 0), printed]) expect(checking.take(record)).toBeNull();
  expect([...checking.assets]).toEqual([sha256]);
});

/** Something that passes each check and yet cannot be folded, wherever in the file it stands. */
test.each([0, 998, 1_500])("what cannot be shown is refused, after %i others", (others) => {
  const titles = Array.from({ length: others }, () => event("session:title", { title: "x" }));
  const broken = event("turn:end", { turnId: "t0", choices: 7 }, { turn_id: "t0", status: "completed" });
  expect(check(START, turn("t0", 0), ...titles, broken)).toBe("events that cannot be shown");
  expect(check(START, turn("t0", 0), ...titles)).toBeNull();
});

test("what cannot be shown is noticed a thousand events later, not at the end of a long file", () => {
  const checking = createRecordCheck();
  checking.take(START);
  checking.take(turn("t0", 0));
  checking.take(event("turn:end", { turnId: "t0", choices: 7 }, { turn_id: "t0", status: "completed" }));
  const problems = Array.from({ length: 1_000 }, () => checking.take(event("session:title", { title: "x" })));
  expect(problems.find((problem) => problem !== null)).toBe("events that cannot be shown");
});
