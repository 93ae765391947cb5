import { describe, expect, expectTypeOf, test } from "vitest";
import type { z } from "zod";
import { parsePlan, type Plan, type planSchema } from "./plan.ts";

test("the type and the schema are the same", () => {
  expectTypeOf<z.output<typeof planSchema>>().toEqualTypeOf<Plan>();
});

describe("[P1.1] reading a plan", () => {
  const full: Plan = {
    requestId: "p1",
    narrative: "You reach for the torch.",
    tools: [
      {
        toolId: "light1",
        toolPath: "tools/torch-lighter",
        operation: "run",
        input: {},
        dependencies: [],
        required: true,
        async: false,
        retryPolicy: { maxRetries: 3, backoffMs: 100 },
        timeoutMs: null,
      },
    ],
    parallel: false,
    disabledSkills: [],
    metadata: { generationAttempt: 1, parentPlanId: null },
    timeoutMs: null,
  };

  test("what is left out gets its default", () => {
    const short = {
      requestId: "p1",
      narrative: full.narrative,
      tools: [{ toolId: "light1", toolPath: "tools/torch-lighter" }],
    };
    expect(parsePlan(short)).toEqual({ kind: "plan", plan: full });
  });

  test("null means left out, also inside retryPolicy and metadata", () => {
    const tool = {
      toolId: "light1",
      toolPath: "tools/torch-lighter",
      operation: null,
      input: null,
      dependencies: null,
      required: null,
      async: null,
      retryPolicy: { maxRetries: null, backoffMs: null },
      timeoutMs: null,
    };
    const metadata = { generationAttempt: null, parentPlanId: null };
    const optional = { parallel: null, disabledSkills: null, metadata, timeoutMs: null };
    const plan = { requestId: "p1", narrative: full.narrative, tools: [tool], ...optional };
    expect(parsePlan(plan)).toEqual({ kind: "plan", plan: full });
    expect(parsePlan({ ...plan, metadata: null, tools: [{ ...tool, retryPolicy: null }] })).toEqual({
      kind: "plan",
      plan: full,
    });
  });

  test("a whole plan stays as it is, unknown fields aside", () => {
    expect(parsePlan({ ...full, mood: "grim" })).toEqual({ kind: "plan", plan: full });
  });

  test("the least and the most that numbers may be", () => {
    const least = { retryPolicy: { maxRetries: 0, backoffMs: 0 }, timeoutMs: 1 };
    const most = { retryPolicy: { maxRetries: 10, backoffMs: 2 ** 31 - 1 }, timeoutMs: 2 ** 31 - 1 };
    const plan = { requestId: "p", tools: [tool("a", least), tool("b", most)], timeoutMs: 1 };
    expect(parsePlan(plan)).toMatchObject({ kind: "plan", plan });
  });

  test("a plan may be all narrative", () => {
    expect(parsePlan({ requestId: "p", tools: [] })).toMatchObject({
      kind: "plan",
      plan: { tools: [], narrative: "" },
    });
  });

  test("a dependency named twice counts once", () => {
    const plan = { requestId: "p", tools: [tool("a"), tool("b", { dependencies: ["a", "a"] })] };
    expect(parsePlan(plan)).toMatchObject({ kind: "plan", plan: { tools: [{}, { dependencies: ["a"] }] } });
  });

  test("[S1.2] the input is handed on as it came, __proto__ and all", () => {
    const input = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}');
    const reading = parsePlan({ requestId: "p", tools: [tool("a", { input })] });
    expect(reading.kind === "plan" && reading.plan.tools[0]?.input).toBe(input);
  });

  test("defaults are not shared between plans", () => {
    const [one, two] = [1, 2].map(() => parsePlan({ requestId: "p", tools: [tool("a")] }));
    if (one?.kind !== "plan" || two?.kind !== "plan") throw new Error("both are plans");
    expect(one.plan.metadata).not.toBe(two.plan.metadata);
    expect(one.plan.tools[0]?.input).not.toBe(two.plan.tools[0]?.input);
  });
});

describe("[P1.2] rejecting a plan", () => {
  test("everything that is wrong is listed at once, each in its place", () => {
    const plan = {
      tools: [
        tool("a", { dependencies: ["b"], retryPolicy: { maxRetries: 11, backoffMs: -1 } }),
        tool("b", { dependencies: ["a", 7, "ghost", "b"], required: "yes" }),
        tool("b", { toolPath: "tools/dice/roll.py", timeoutMs: 0, input: { v: { $from: "a" } } }),
        "not a tool",
      ],
      parallel: 1,
      disabledSkills: ["dice"],
      metadata: { generationAttempt: 0 },
    };
    expect(problemsOf(plan).toSorted()).toEqual([
      "BAD_REFERENCE /tools/2/input/v/$from",
      "BAD_VALUE /metadata/generationAttempt",
      "BAD_VALUE /parallel",
      "BAD_VALUE /requestId",
      "BAD_VALUE /tools/0/retryPolicy/backoffMs",
      "BAD_VALUE /tools/0/retryPolicy/maxRetries",
      "BAD_VALUE /tools/1/dependencies/1",
      "BAD_VALUE /tools/1/required",
      "BAD_VALUE /tools/2/timeoutMs",
      "BAD_VALUE /tools/3",
      "CYCLE /tools/0/dependencies/0",
      "DISABLED_SKILL /tools/2/toolPath",
      "DUPLICATE_TOOL_ID /tools/2/toolId",
      "SELF_DEPENDENCY /tools/1/dependencies/3",
      "UNKNOWN_DEPENDENCY /tools/1/dependencies/2",
    ]);
  });

  test.each([
    ["no object", [], ""],
    ["nothing", undefined, ""],
    ["no requestId", { tools: [] }, "/requestId"],
    ["an empty requestId", { requestId: "", tools: [] }, "/requestId"],
    ["no tools", { requestId: "p" }, "/tools"],
    ["null for tools", { requestId: "p", tools: null }, "/tools"],
    ["a tool without a path", { requestId: "p", tools: [{ toolId: "a" }] }, "/tools/0/toolPath"],
    ["a tool without an id", { requestId: "p", tools: [{ toolPath: "a" }] }, "/tools/0/toolId"],
    ["an input that is an array", { requestId: "p", tools: [tool("a", { input: [] })] }, "/tools/0/input"],
    ["half a millisecond", { requestId: "p", tools: [], timeoutMs: 0.5 }, "/timeoutMs"],
    ["a time setTimeout cannot take", { requestId: "p", tools: [], timeoutMs: 2 ** 31 }, "/timeoutMs"],
    ["no time at all", { requestId: "p", tools: [], timeoutMs: 0 }, "/timeoutMs"],
    ["an empty toolId", { requestId: "p", tools: [tool("")] }, "/tools/0/toolId"],
    ["an empty path", { requestId: "p", tools: [tool("a", { toolPath: "" })] }, "/tools/0/toolPath"],
    ["an empty operation", { requestId: "p", tools: [tool("a", { operation: "" })] }, "/tools/0/operation"],
    [
      "a pause setTimeout cannot take",
      { requestId: "p", tools: [tool("a", { retryPolicy: { backoffMs: 2 ** 31 } })] },
      "/tools/0/retryPolicy/backoffMs",
    ],
    ["a number among the disabled", { requestId: "p", tools: [], disabledSkills: [1] }, "/disabledSkills/0"],
    ["text for a number", { requestId: "p", tools: [tool("a", { timeoutMs: "5" })] }, "/tools/0/timeoutMs"],
  ])("%s", (_, plan, pointer) => {
    expect(problemsOf(plan)).toEqual([`BAD_VALUE ${pointer}`]);
  });

  test("100,000 tools in a chain are fine, one more is not", { tags: "large" }, () => {
    const tools = Array.from({ length: 100_001 }, (_, i) =>
      tool(`t${i}`, { dependencies: i === 0 ? [] : [`t${i - 1}`] }),
    );
    expect(problemsOf({ requestId: "p", tools })).toEqual(["BAD_VALUE /tools"]);
    expect(parsePlan({ requestId: "p", tools: tools.slice(1, 100_001).with(0, tool("t1")) }).kind).toBe("plan");
  });

  test("[P1.3] the disabled skill is named; the others may run", () => {
    const reading = parsePlan({ requestId: "p", tools: [tool("dice"), tool("torch")], disabledSkills: ["torch", 7] });
    expect(reading.kind === "invalid" && reading.problems.at(-1)).toEqual({
      pointer: "/tools/1/toolPath",
      code: "DISABLED_SKILL",
      message: 'the skill "torch" is disabled',
    });
  });

  test("[P1.3] a tool without a path, and a disabled skill without a name, do not meet", () => {
    expect(problemsOf({ requestId: "p", tools: [{ toolId: "a" }], disabledSkills: [null] })).toEqual([
      "BAD_VALUE /tools/0/toolPath",
      "BAD_VALUE /disabledSkills/0",
    ]);
  });

  test("[P1.3] a disabled mount is known by its own name", () => {
    const plan = { requestId: "p", tools: [tool("a", { toolPath: "weather.com" })], disabledSkills: ["weather.com"] };
    expect(problemsOf(plan)).toEqual([]);
    expect(problemsOf(plan, new Set(["weather.com"]))).toEqual(["DISABLED_SKILL /tools/0/toolPath"]);
  });
});

function tool(toolId: string, more: object = {}): object {
  return { toolId, toolPath: `tools/${toolId}`, ...more };
}

function problemsOf(plan: unknown, mountNames?: ReadonlySet<string>): string[] {
  const reading = parsePlan(plan, mountNames);
  return reading.kind === "plan" ? [] : reading.problems.map(({ code, pointer }) => `${code} ${pointer}`);
}
