import { describe, expect, test } from "vitest";
import { planOfTools } from "../../../test/told-events.ts";
import type { AssetRecord, ExecutionResult, ToolResult } from "../../story/execution-result.ts";
import { recordingSchema, recordPlans } from "./recording.ts";

const DONE = { version: "0", type: "done", ok: true } as const;

function made(toolId: string, more: Partial<ToolResult> = {}): ToolResult {
  const attempts = [{} as ToolResult["attempts"][number]];
  const result = { toolId, skill: `skill of ${toolId}`, ok: true, state: "completed", output: { n: 1 }, attempts };
  return {
    ...result,
    executionTime: 1,
    retryCount: 0,
    events: [DONE],
    eventCount: 1,
    eventsOmitted: 0,
    ...more,
  } as ToolResult;
}

function resultOf(toolResults: ToolResult[], aggregatedAssets: AssetRecord[] = []): ExecutionResult {
  return { toolResults, aggregatedAssets } as unknown as ExecutionResult;
}

const FAILED = { tool: "skill of a", operation: "run", input: {}, events: [DONE] };
const NO_FILES = (): null => null;

describe("a recording", () => {
  test("has each tool that was started, as it was asked and what came of it", () => {
    const plan = planOfTools({ toolId: "a", operation: "shine", input: { brightness: 3 } }, "b");
    const recording = recordPlans([{ plan, result: resultOf([made("a"), made("b", { attempts: [] })]) }], NO_FILES);
    const call = { tool: "skill of a", operation: "shine", input: { brightness: 3 }, events: [DONE], output: { n: 1 } };
    expect(recording).toEqual({ recording: 0, calls: [call] });
    expect(recordingSchema.safeParse(recording).success).toBe(true);
  });

  test("has all plans, in their order; a tool of which nothing is known is left out", () => {
    const plan = planOfTools("a", "b");
    const result = resultOf([made("a")]);
    const { calls } = recordPlans(
      [
        { plan, result },
        { plan, result },
      ],
      NO_FILES,
    );
    expect(calls.map(({ tool }) => tool)).toEqual(["skill of a", "skill of a"]);
  });

  test("has no output of what failed, but why it did; and nobody builds on that", () => {
    const input = { from: { $from: "a", path: "/n" } };
    const errorDetail = { category: "tool_failure", code: "WET", message: "the wick is wet" } as const;
    const plan = planOfTools("a", { toolId: "b", input, dependencies: ["a"] });
    const record = (result: ToolResult) =>
      recordPlans([{ plan, result: resultOf([result, made("b")]) }], NO_FILES).calls;
    const [failed, after] = record(made("a", { ok: false, state: "failed", errorDetail }));
    expect(failed).toEqual({ ...FAILED, error: errorDetail });
    const [, built] = record(made("a"));
    expect([after?.input, built?.input]).toEqual([{ from: null }, { from: 1 }]);
  });

  test("has the files of a tool's own assets, where their bytes can be kept", () => {
    const asset = (toolId: string, assetId: string, sha256?: string): AssetRecord =>
      ({ toolId, assetId, kind: "image", mediaType: "image/png", ...(sha256 && { sha256 }) }) as AssetRecord;
    const plan = planOfTools("a", "b");
    const assets = [asset("a", "kept", "1"), asset("a", "large", "2"), asset("a", "refused"), asset("c", "other", "1")];
    const read: string[] = [];
    const { calls } = recordPlans([{ plan, result: resultOf([made("a"), made("b")], assets) }], (sha256) => {
      read.push(sha256);
      return sha256 === "1" ? "AAAA" : null;
    });
    expect(calls[0]?.files).toEqual({ kept: "AAAA" });
    expect(calls[1]).not.toHaveProperty("files");
    expect(read).toEqual(["1", "2"]);
  });
});

describe("a file that is a recording", () => {
  const call = { tool: "lamp", operation: "run", input: {}, events: [DONE] };
  const error = { code: "C", category: "timeout", message: "m" };
  test.each<[what: string, call: object, isOne: boolean]>([
    ["a call", call, true],
    ["with output, whatever it is", { ...call, output: null }, true],
    ["with an error", { ...call, error: { ...error, details: {} } }, true],
    ["with files", { ...call, files: { a: "AAAA" } }, true],
    ["of no tool", { ...call, tool: "" }, false],
    ["of no operation", { ...call, operation: "" }, false],
    ["with a list for input", { ...call, input: [] }, false],
    ["with events that are none", { ...call, events: [{ type: "x" }] }, false],
    ["with an error of no category", { ...call, error: { ...error, category: "bad luck" } }, false],
    ["with an error without a code", { ...call, error: { category: "timeout", message: "m" } }, false],
    ["with an error without words", { ...call, error: { category: "timeout", code: "C" } }, false],
    ["with files that are no base64", { ...call, files: { a: "not base64!" } }, false],
    ["without events", { ...call, events: undefined }, false],
  ])("%s: %s", (_, value, isOne) => {
    expect(recordingSchema.safeParse({ recording: 0, calls: [value] }).success).toBe(isOne);
  });

  test("of another version is none", () => {
    expect(recordingSchema.safeParse({ recording: 1, calls: [] }).success).toBe(false);
    expect(recordingSchema.safeParse({ recording: 0 }).success).toBe(false);
  });
});
