import { describe, expect, test } from "vitest";
import type { NarratoriaEvent } from "../../story/event.ts";
import { assetHashOf, readLine, sealOf } from "./file-line.ts";

const TITLE = { id: "e", ts: 1, event: "session:title", component: "kernel", data: { title: "x" }, colour: "red" };
const FIRST = {
  id: "l",
  ts: 1,
  event: "tool:event",
  component: "runner",
  turn_id: "t",
  span_id: "x",
  data: { toolId: "a" },
};
const LINES = { kind: "lines", first: FIRST, number: 0, lines: ["{}"], progress: null };
const HASH = "0123456789abcdef".repeat(4);
const HEADER = { kind: "header", format: "f", version: 1, sessionId: "", title: "", story: "" };
const DAMAGED = "the file is damaged";
const NAMED_WRONGLY = "the file names an asset wrongly";

describe("a line of a session file", () => {
  test.each<[what: string, line: object, read?: object]>([
    ["a header", { kind: "header", format: "f", version: 1, sessionId: "s", title: "t", story: "x" }, HEADER],
    ["an event, unknown fields and all", { kind: "event", event: TITLE }],
    ["log lines", LINES],
    ["log lines that told of progress", { ...LINES, number: 7, progress: 0.5 }],
    ["an asset", { kind: "asset", sha256: HASH }],
    ["a chunk", { kind: "chunk", base64: "" }],
  ])("%s", (_, line, read = line) => {
    expect(readLine(JSON.stringify(line))).toEqual({ kind: "line", line: read });
  });

  test.each<[what: string, line: unknown, message: string]>([
    ["a list", [], DAMAGED],
    ["a header without a version", { kind: "header", format: "f" }, DAMAGED],
    ["a header without a format", { kind: "header", version: 1 }, DAMAGED],
    ["a chunk without bytes", { kind: "chunk" }, DAMAGED],
    ["a chunk of a number", { kind: "chunk", base64: 1 }, DAMAGED],
    ["an asset without a name", { kind: "asset" }, NAMED_WRONGLY],
    ["an asset named by a number", { kind: "asset", sha256: 1 }, NAMED_WRONGLY],
    ["an asset with a path before it", { kind: "asset", sha256: `../${HASH}` }, NAMED_WRONGLY],
    ["an asset with a path behind it", { kind: "asset", sha256: `${HASH}/x` }, NAMED_WRONGLY],
    ["a hash in capitals", { kind: "asset", sha256: HASH.toUpperCase() }, NAMED_WRONGLY],
    ["no event", { kind: "event" }, contradiction("an event that is none of ours")],
    ["another's event", { kind: "event", event: { id: "e" } }, contradiction("an event that is none of ours")],
    ["no lines", { ...LINES, lines: [] }, contradiction("log lines that are none")],
    ["lines of numbers", { ...LINES, lines: [1] }, contradiction("log lines that are none")],
    ["lines before the first", { ...LINES, number: -1 }, contradiction("log lines that are none")],
    ["progress in words", { ...LINES, progress: "half" }, contradiction("log lines that are none")],
    ["lines of nobody", { ...LINES, first: {} }, contradiction("log lines of no attempt")],
    ["lines of no attempt", { ...LINES, first: { ...FIRST, span_id: "" } }, contradiction("log lines of no attempt")],
    ["another kind", { kind: "surprise" }, contradiction("a line of an unknown kind")],
    ["no kind", {}, contradiction("a line of an unknown kind")],
  ])("%s is none", (_, line, message) => {
    expect(readLine(JSON.stringify(line))).toEqual({ kind: "wrong", message });
  });

  test("what is no JSON is none", () => {
    expect(readLine("{")).toEqual({ kind: "wrong", message: DAMAGED });
  });
});

function contradiction(problem: string): string {
  return `the file contradicts itself: ${problem}`;
}

test("the seal is a frame that zstd skips, of a length it tells, and a line that can be read", () => {
  const seal = sealOf(HASH);
  expect(seal.subarray(0, 4).toString("hex")).toBe("502a4d18");
  expect(seal.readUInt32LE(4)).toBe(seal.length - 8);
  expect(seal.subarray(8).toString()).toBe(`{"kind":"end","sha256":"${HASH}"}\n`);
});

test("an event's asset is known by its hash; most events have none", () => {
  const printed = { ...FIRST, data: { toolId: "a", event: {}, asset: { sha256: HASH } } } as unknown as NarratoriaEvent;
  expect(assetHashOf(printed)).toBe(HASH);
  expect(assetHashOf({ ...printed, data: { toolId: "a", event: {}, asset: {} } } as NarratoriaEvent)).toBeNull();
  expect(assetHashOf({ ...printed, data: { toolId: "a", event: {} } } as NarratoriaEvent)).toBeNull();
  expect(assetHashOf({ ...printed, event: "session:title" } as NarratoriaEvent)).toBeNull();
});
