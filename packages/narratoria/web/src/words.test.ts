import { describe, expect, test } from "vitest";
import type { Change } from "../../src/story/session-view.ts";
import { plainName, wordsForBytes, wordsForChange, wordsForDuration } from "./words.ts";

describe("[U1.2] a change of the state in words", () => {
  test.each<[Change, string, string]>([
    [{ path: "/inventory/torch/lit", before: false, after: true }, "torch lit", "yes"],
    [{ path: "/inventory/flask/oil", before: 3, after: 2 }, "flask oil", "3 → 2"],
    [{ path: "/lamp/lit", before: false, after: true }, "lamp lit", "yes"],
    [{ path: "/oil", before: 3, after: 2 }, "oil", "3 → 2"],
    [{ path: "/discovered/door_inscription", after: "Ancient runes" }, "door inscription", "Ancient runes"],
    [{ path: "/inventory/key/name", after: "a brass key" }, "key", "a brass key"],
    [{ path: "/inventory/torch/lit", before: true }, "torch lit", "gone"],
    [{ path: "/map/rooms", before: 1, after: ["a", "b"] }, "rooms", "2 entries"],
    [{ path: "/a~1b", after: "" }, "a/b", "empty"],
    [{ path: "", after: 1 }, "everything", "1"],
  ])("%j", (change, subject, outcome) => {
    expect(wordsForChange(change)).toEqual({ subject, outcome });
  });

  test("a very long value is shortened", () => {
    expect(wordsForChange({ path: "/note", after: "x".repeat(500) }).outcome).toHaveLength(60);
  });
});

test("names, sizes and times", () => {
  expect(plainName("torch-lighter")).toBe("torch lighter");
  expect(plainName("doorExaminer_2")).toBe("door examiner 2");
  expect([0, 999, 1400, 61_000].map(wordsForDuration)).toEqual(["0 ms", "999 ms", "1.4 s", "1 min 1 s"]);
  expect([12, 2048, 3 * 1024 * 1024].map(wordsForBytes)).toEqual(["12 bytes", "2.0 kB", "3.0 MB"]);
});
