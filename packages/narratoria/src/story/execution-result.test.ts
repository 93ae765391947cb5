import { expect, expectTypeOf, test } from "vitest";
import type { z } from "zod";
import { ERROR_CATEGORIES, executionResultSchema, type ExecutionResult, type ToolResult } from "./execution-result.ts";

test("the type and the schema are the same", () => {
  expectTypeOf<z.output<typeof executionResultSchema>>().toEqualTypeOf<ExecutionResult>();
});

test("[R1.1] the categories of errors are closed", () => {
  expect(ERROR_CATEGORIES).toEqual(["tool_failure", "process_error", "timeout", "protocol_violation", "forbidden"]);
});

const skipped: ToolResult = {
  toolId: "b",
  skill: "door",
  ok: false,
  state: "skipped",
  output: null,
  executionTime: 0,
  retryCount: 0,
  error: "a failed",
  events: [],
  eventCount: 0,
  eventsOmitted: 0,
  attempts: [],
};
const { error: _, ...silent } = skipped;

test.each([
  ["[R1.1] a skipped tool says why", skipped, true],
  ["[R1.1] a tool that is not ok without a reason", silent, false],
  ["[R1.1] a completed tool", { ...silent, ok: true, state: "completed" }, true],
  ["[R1.1] ok and state that contradict each other", { ...skipped, state: "completed" }, false],
  ["[R1.1] a state of its own", { ...skipped, state: "pending" }, false],
  ["[R1.3] an output that is a list", { ...skipped, output: [1] }, true],
  ["[R1.3] no output field at all", { ...skipped, output: undefined }, false],
  ["[R1.1] an unknown category", { ...skipped, errorDetail: { code: "X", category: "bug", message: "" } }, false],
  ["[R1.1] a negative count", { ...skipped, retryCount: -1 }, false],
  ["[R1.1] an event that is none", { ...skipped, events: [{ version: "0", type: "log" }] }, false],
])("%s", (_name, toolResult, valid) => {
  expect(executionResultSchema.safeParse(resultWith(toolResult)).success).toBe(valid);
});

test("[R1.1] a contradiction is told where it is", () => {
  const told = (toolResult: object) =>
    executionResultSchema
      .safeParse(resultWith(toolResult))
      .error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  expect(told(silent)).toEqual(["toolResults.0.error: missing"]);
  expect(told({ ...skipped, state: "completed" })).toEqual(["toolResults.0.state: contradicts ok"]);
});

function resultWith(toolResult: object): object {
  return {
    planId: "p",
    success: false,
    narrative: "",
    executionTime: 1.5,
    toolResults: [toolResult],
    failedTools: [],
    generationAttempt: 1,
    canReplan: true,
    disabledSkills: [],
    aggregatedState: {},
    aggregatedAssets: [],
  };
}
