import { expect, test } from "vitest";
import type { ToolView } from "../story/session-view.ts";
import { wordsForDuration } from "../story/plain-words.ts";
import { wordsForChange, wordsForProgress, wordsForTime } from "./words.ts";

test.each([
  [{ path: "/inventory/torch/lit", before: false, after: true }, "torch lit: no -> yes"],
  [{ path: "/lantern/lit", after: true }, "lantern lit: yes"],
  [{ path: "/discovered/door_inscription", after: "Ancient runes" }, "door inscription: Ancient runes"],
  [{ path: "/inventory/key/name", after: "a brass key" }, "key: a brass key"],
  [{ path: "/inventory/payPackets", before: {} }, "pay packets: gone"],
  [{ path: "/list", before: [1], after: [1, 2] }, "list: 1 entry -> 2 entries"],
  [{ path: "", after: "x" }, "everything: x"],
  [{ path: "/a\u001b[31mb", after: "\u001b[0mc" }, "ab: c"],
])("%j is told as %j", (change, words) => {
  expect(wordsForChange(change)).toBe(words);
});

test.each([
  [
    { message: "examining the door", progress: 0.4, attempt: 3, maxAttempts: 5 },
    "examining the door... 40 %, retry 2 of 4",
  ],
  [{ message: "Looking…", progress: null, attempt: 1, maxAttempts: 4 }, "Looking..."],
  [{ message: null, progress: 1, attempt: 1, maxAttempts: 4 }, "door examiner... 100 %"],
])("a tool at work: %j", (tool, words) => {
  expect(wordsForProgress({ skill: "door-examiner", ...tool } as ToolView)).toBe(words);
});

test("times", () => {
  expect([0, 999, 1500, 61_000].map(wordsForDuration)).toEqual(["0 ms", "999 ms", "1.5 s", "1 min 1 s"]);
  expect([10, 120, 7200, 864_000].map((ago) => wordsForTime(1_000_000_000 - ago, 1_000_000_000))).toEqual([
    "just now",
    "2 min ago",
    "2 h ago",
    "2001-08-30",
  ]);
});
