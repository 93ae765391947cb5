import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan, PlanTool } from "./plan.ts";
import { complete, createSchedule, isFinished, ready, skipUnstarted, start, type Schedule } from "./schedule.ts";

type Outcome = "completed" | "failed" | "timeout";

describe("[X1.1] which tool is next", () => {
  test("a plan that is not parallel runs one tool at a time, in plan order, async or not", () => {
    const schedule = createSchedule(
      plan([tool("a", { async: true }), tool("b"), tool("c", { async: true })], false),
      8,
    );
    expect(startAll(schedule)).toEqual(["a"]);
    complete(schedule, "a", "completed");
    expect(startAll(schedule)).toEqual(["b"]);
    complete(schedule, "b", "completed");
    expect(startAll(schedule)).toEqual(["c"]);
  });

  test("async tools of a parallel plan run side by side up to the limit", () => {
    const schedule = createSchedule(plan(["a", "b", "c", "d"].map((id) => tool(id, { async: true }))), 2);
    expect(startAll(schedule)).toEqual(["a", "b"]);
    complete(schedule, "b", "completed");
    expect(startAll(schedule)).toEqual(["c"]);
    complete(schedule, "a", "completed");
    complete(schedule, "c", "completed");
    expect(startAll(schedule)).toEqual(["d"]);
  });

  test("a tool that is not async is a barrier: those before it end, it runs alone, then the rest", () => {
    const async = { async: true };
    const tools = [tool("a", async), tool("b", async), tool("alone"), tool("c", async), tool("d", async)];
    const schedule = createSchedule(plan(tools), 8);
    expect(startAll(schedule)).toEqual(["a", "b"]);
    complete(schedule, "a", "completed");
    expect(startAll(schedule)).toEqual([]);
    complete(schedule, "b", "failed");
    expect(startAll(schedule)).toEqual(["alone"]);
    complete(schedule, "alone", "completed");
    expect(startAll(schedule)).toEqual(["c", "d"]);
  });

  test("a barrier that is not ready yet does not hold back what is", () => {
    const tools = [tool("a", { async: true }), tool("alone", { dependencies: ["a"] }), tool("b", { async: true })];
    expect(startAll(createSchedule(plan(tools), 8))).toEqual(["a", "b"]);
  });

  test("a limit of one still runs everything", () => {
    const schedule = createSchedule(plan([tool("a", { async: true }), tool("b", { async: true })]), 1);
    expect(startAll(schedule)).toEqual(["a"]);
  });

  test("an empty plan is finished", () => {
    const schedule = createSchedule(plan([]), 4);
    expect([isFinished(schedule), ready(schedule)]).toEqual([true, null]);
  });
});

describe("[X1.2] [X1.3] dependencies", () => {
  test("a tool waits for all of them; naming one twice changes nothing", () => {
    const async = { async: true };
    const last = tool("c", { ...async, dependencies: ["a", "b", "a"] });
    const schedule = createSchedule(plan([last, tool("a", async), tool("b", async)]), 8);
    expect(startAll(schedule)).toEqual(["a", "b"]);
    complete(schedule, "a", "completed");
    expect(startAll(schedule)).toEqual([]);
    complete(schedule, "b", "completed");
    expect(startAll(schedule)).toEqual(["c"]);
  });

  test.each<Outcome>(["failed", "timeout"])(
    "a required tool that %s skips everything behind it, in plan order",
    (how) => {
      const schedule = createSchedule(
        plan([
          tool("last", { dependencies: ["middle", "other"] }),
          tool("first"),
          tool("middle", { dependencies: ["first"], required: false }),
          tool("other"),
        ]),
        1,
      );
      expect(startAll(schedule)).toEqual(["first"]);
      expect(complete(schedule, "first", how)).toEqual(["last", "middle"]);
      expect(schedule.fates).toEqual(["skipped", how, "skipped", null]);
      expect(startAll(schedule)).toEqual(["other"]);
      expect(complete(schedule, "other", "completed")).toEqual([]);
      expect(isFinished(schedule)).toBe(true);
    },
  );

  test.each<Outcome>(["failed", "timeout"])("an optional tool that %s blocks nobody", (how) => {
    const schedule = createSchedule(plan([tool("a", { required: false }), tool("b", { dependencies: ["a"] })]), 1);
    startAll(schedule);
    expect(complete(schedule, "a", how)).toEqual([]);
    expect(startAll(schedule)).toEqual(["b"]);
  });

  test("[N1.3] what an earlier execution settled does not run again", () => {
    const tools = [tool("a"), tool("b", { dependencies: ["a"] }), tool("c", { dependencies: ["b"] })];
    const schedule = createSchedule(plan(tools), 1, new Set(["a"]));
    expect(schedule.fates).toEqual(["completed", null, null]);
    expect(startAll(schedule)).toEqual(["b"]);
    complete(schedule, "b", "completed");
    expect(startAll(schedule)).toEqual(["c"]);
    complete(schedule, "c", "completed");
    expect(isFinished(schedule)).toBe(true);
  });

  test("[X1.5] skipping what has not started leaves the running ones to end", () => {
    const tools = [tool("a", { async: true }), tool("b", { async: true, dependencies: ["a"] }), tool("c")];
    const schedule = createSchedule(plan(tools), 8);
    expect(startAll(schedule)).toEqual(["a"]);
    expect(skipUnstarted(schedule)).toEqual(["b", "c"]);
    expect(schedule.fates).toEqual(["running", "skipped", "skipped"]);
    expect([isFinished(schedule), ready(schedule)]).toEqual([false, null]);
    expect(complete(schedule, "a", "failed")).toEqual([]);
    expect(isFinished(schedule)).toBe(true);
    expect(skipUnstarted(schedule)).toEqual([]);
  });

  test("[X1.5] what was skipped does not become ready when the tool it waited for completes", () => {
    const schedule = createSchedule(plan([tool("a"), tool("b", { dependencies: ["a"] })]), 1);
    startAll(schedule);
    skipUnstarted(schedule);
    complete(schedule, "a", "completed");
    expect([ready(schedule), isFinished(schedule)]).toEqual([null, true]);
  });

  test("an engine that starts or ends the wrong tool is told so", () => {
    const schedule = createSchedule(plan([tool("a"), tool("b")]), 1);
    expect(() => start(schedule, "b")).toThrow("not the next");
    expect(() => complete(schedule, "a", "completed")).toThrow("not running");
  });
});

describe("[X1.1] [X1.2] [X1.3] any plan, any outcomes, any order of completion", () => {
  const cases = fc.record({
    tools: fc.array(
      fc.record({
        async: fc.boolean(),
        required: fc.boolean(),
        /** Each picks one of the tools made before it, so there is no cycle. */
        picks: fc.array(fc.nat(), { maxLength: 3 }),
        outcome: fc.constantFrom<Outcome>("completed", "completed", "failed", "timeout"),
        position: fc.nat(),
      }),
      { maxLength: 14 },
    ),
    parallel: fc.boolean(),
    limit: fc.integer({ min: 1, max: 4 }),
    completions: fc.array(fc.nat(), { minLength: 14, maxLength: 14 }),
  });

  test("every rule holds at every step, and every tool settles exactly once", () => {
    fc.assert(
      fc.property(cases, ({ tools, parallel, limit, completions }) => {
        const { plan, outcomes } = shuffledPlan(tools, parallel);
        const settled = checkRun(plan, limit, outcomes, completions).filter((step) => !step.endsWith("starts"));
        expect(settled.length).toBe(tools.length);
      }),
      { numRuns: 1_000 },
    );
  });

  test("the same completions give the same order", () => {
    fc.assert(
      fc.property(cases, ({ tools, parallel, limit, completions }) => {
        const { plan, outcomes } = shuffledPlan(tools, parallel);
        expect(checkRun(plan, limit, outcomes, completions)).toEqual(checkRun(plan, limit, outcomes, completions));
      }),
    );
  });

  interface Drawn {
    async: boolean;
    required: boolean;
    picks: number[];
    outcome: Outcome;
    position: number;
  }

  /** Dependencies may stand before or behind in the plan. */
  function shuffledPlan(drawn: readonly Drawn[], parallel: boolean): { plan: Plan; outcomes: Map<string, Outcome> } {
    const tools = drawn.map(({ async, required, picks, position }, index) => {
      const dependencies = index === 0 ? [] : [...new Set(picks.map((pick) => `t${pick % index}`))];
      return { position, tool: tool(`t${index}`, { async, required, dependencies }) };
    });
    const shuffled = tools.toSorted((a, b) => a.position - b.position).map((one) => one.tool);
    return {
      plan: plan(shuffled, parallel),
      outcomes: new Map(drawn.map(({ outcome }, index) => [`t${index}`, outcome])),
    };
  }

  /** Drives a schedule and checks each step against the rules as they are written, by searching the whole plan. */
  function checkRun(
    plan: Plan,
    limit: number,
    outcomes: ReadonlyMap<string, Outcome>,
    completions: readonly number[],
  ): string[] {
    const schedule = createSchedule(plan, limit);
    const fates = new Map<string, Outcome | "skipped">();
    const running: PlanTool[] = [];
    const steps: string[] = [];
    const settle = (id: string, fate: Outcome | "skipped"): void => {
      expect(fates.has(id)).toBe(false);
      fates.set(id, fate);
      steps.push(`${id} ${fate}`);
    };
    const isWaiting = ({ toolId }: PlanTool): boolean =>
      !fates.has(toolId) && !running.some((one) => one.toolId === toolId);
    const isReady = ({ dependencies }: PlanTool): boolean => dependencies.every((id) => fates.has(id));

    for (const pick of completions) {
      for (let next = ready(schedule); next !== null; next = ready(schedule)) {
        expect(next).toBe(plan.tools.filter(isWaiting).find(isReady));
        start(schedule, next.toolId);
        running.push(next);
        steps.push(`${next.toolId} starts`);
        for (const id of next.dependencies) {
          const blocks = plan.tools.find(({ toolId }) => toolId === id)?.required === true;
          expect(fates.get(id)).toSatisfy((fate) => fate === "completed" || (!blocks && fate !== "skipped"));
        }
        expect(running.length).toBeLessThanOrEqual(limit);
        const isAlone = running.some((one) => !plan.parallel || !one.async);
        expect(isAlone && running.length > 1).toBe(false);
      }
      const ended = running.splice(pick % Math.max(1, running.length), 1)[0];
      if (ended === undefined) break;
      const outcome = outcomes.get(ended.toolId) as Outcome;
      settle(ended.toolId, outcome);
      for (const id of complete(schedule, ended.toolId, outcome)) settle(id, "skipped");
    }
    expect([fates.size, isFinished(schedule), ready(schedule)]).toEqual([plan.tools.length, true, null]);
    return steps;
  }
});

describe("[X1.7] 100,000 tools", { tags: "large" }, () => {
  const count = 100_000;
  const ids = Array.from({ length: count }, (_, index) => `t${index}`);
  const width = 100;
  const shapes: Record<string, (index: number) => string[]> = {
    "a chain": (index) => (index === 0 ? [] : [`t${index - 1}`]),
    "a chain written backwards": (index) => (index === count - 1 ? [] : [`t${index + 1}`]),
    "a fan": (index) => (index === 0 ? [] : ["t0"]),
    "a fan turned round": (index) => (index === count - 1 ? ids.slice(0, -1) : []),
    "layers, each tool behind ten of the layer before": (index) => {
      const layer = Math.floor(index / width) - 1;
      return layer < 0 ? [] : Array.from({ length: 10 }, (_, k) => `t${layer * width + ((index + k) % width)}`);
    },
    "no dependencies": () => [],
  };

  test.each(Object.keys(shapes))("%s: all run", (shape) => {
    const schedule = createSchedule(plan(ids.map((id, index) => bigTool(id, shape, index))), 16);
    const running: string[] = [];
    let ran = 0;
    while (!isFinished(schedule)) {
      running.push(...startAll(schedule));
      complete(schedule, running.pop() as string, "completed");
      ran++;
    }
    expect(ran).toBe(count);
  });

  test("a failure at the head of a chain skips the rest in one go", () => {
    const schedule = createSchedule(plan(ids.map((id, index) => bigTool(id, "a chain", index))), 16);
    startAll(schedule);
    expect(complete(schedule, "t0", "failed").length).toBe(count - 1);
    expect(isFinished(schedule)).toBe(true);
  });

  function bigTool(id: string, shape: string, index: number): PlanTool {
    return tool(id, { async: true, dependencies: shapes[shape]?.(index) ?? [] });
  }
});

/** Starts whatever may start now. */
function startAll(schedule: Schedule): string[] {
  const started: string[] = [];
  for (let next = ready(schedule); next !== null; next = ready(schedule)) {
    start(schedule, next.toolId);
    started.push(next.toolId);
  }
  return started;
}

function plan(tools: PlanTool[], parallel = true): Plan {
  const metadata = { generationAttempt: 1, parentPlanId: null };
  return { requestId: "plan", narrative: "", tools, parallel, disabledSkills: [], metadata, timeoutMs: null };
}

function tool(toolId: string, more: Partial<PlanTool> = {}): PlanTool {
  return {
    toolId,
    toolPath: `tools/${toolId}`,
    operation: "run",
    input: {},
    dependencies: [],
    required: true,
    async: false,
    retryPolicy: { maxRetries: 3, backoffMs: 100 },
    timeoutMs: null,
    ...more,
  };
}
