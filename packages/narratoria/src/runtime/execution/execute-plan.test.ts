import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../../test/fake-clock.ts";
import { createFakeExecution, patchEvent, planTool } from "../../../test/fake-execution.ts";
import type { ErrorDetail, ExecutionResult } from "../../story/execution-result.ts";
import { CancelReason } from "./cancel-reason.ts";
import { createSlots } from "./slots.ts";

const failure: ErrorDetail = { category: "tool_failure", code: "NO_OIL", message: "The lamp is empty." };
const once = { retryPolicy: { maxRetries: 0 } };
const beside = { async: true };

describe("[X1.1] order", () => {
  test("one at a time in plan order", async () => {
    const execution = createFakeExecution({ script: { a: [{ takes: 500 }], b: [{ takes: 10 }] } });
    const result = await execution.execute({ tools: [planTool("a"), planTool("b"), planTool("c")] });
    expect(execution.calls.map(({ tool }) => tool.tool)).toEqual(["a", "b", "c"]);
    expect(execution.mostAtOnce).toBe(1);
    expect(states(result)).toEqual({ a: "completed", b: "completed", c: "completed" });
    expect(result.executionTime).toBe(510);
  });

  test("async tools of a parallel plan at the same time, up to the limit", async () => {
    const ids = ["a", "b", "c", "d", "e"];
    const script = Object.fromEntries(ids.map((id) => [id, [{ takes: 1_000 }]]));
    const execution = createFakeExecution({ script, together: 2 });
    const tools = ids.map((id) => planTool(id, beside));
    const result = await execution.execute({ parallel: true, tools });
    expect([execution.mostAtOnce, result.executionTime]).toEqual([2, 3_000]);
  });

  test("two plans of one runtime share its slots", async () => {
    const ids = ["a", "b", "c"];
    const script = Object.fromEntries(ids.map((id) => [id, [{ takes: 1_000 }]]));
    const execution = createFakeExecution({ script, slots: createSlots(2) });
    const plan = { parallel: true, tools: ids.map((id) => planTool(id, beside)) };
    const results = await Promise.all([execution.execute(plan), execution.execute(plan)]);
    expect(results.map(({ success }) => success)).toEqual([true, true]);
    expect([execution.mostAtOnce, execution.clock.elapsed()]).toEqual([2, 3_000]);
  });

  test("a tool that is not async runs alone", async () => {
    const script = { a: [{ takes: 1_000 }], alone: [{ takes: 1_000 }], b: [{ takes: 1_000 }] };
    const execution = createFakeExecution({ script });
    const tools = [planTool("a", beside), planTool("alone"), planTool("b", beside)];
    await execution.execute({ parallel: true, tools });
    expect([execution.mostAtOnce, execution.clock.elapsed()]).toEqual([1, 3_000]);
  });

  test("[P1.1] a plan without tools succeeds at once", async () => {
    const result = await createFakeExecution().execute({ tools: [], narrative: "It is quiet." });
    expect(result).toMatchObject({ success: true, toolResults: [], narrative: "It is quiet.", canReplan: false });
  });

  test("[X1.7] ten thousand tools, each behind the one before", { tags: "large" }, async () => {
    const execution = createFakeExecution();
    const tools = Array.from({ length: 10_000 }, (_, index) =>
      planTool(`t${index}`, { dependencies: index === 0 ? [] : [`t${index - 1}`] }),
    );
    expect((await execution.execute({ tools })).success).toBe(true);
  });
});

describe("[X1.3] failures", () => {
  const chain = (required: boolean): object => ({
    tools: [
      planTool("a", { required, ...once }),
      planTool("b", { dependencies: ["a"] }),
      planTool("c", { dependencies: ["b"], required: false }),
      planTool("other"),
    ],
  });

  test("a required tool that fails skips what depends on it, transitively, and nothing else", async () => {
    const execution = createFakeExecution({ script: { a: [{ error: failure }] } });
    const result = await execution.execute(chain(true));
    expect(states(result)).toEqual({ a: "failed", b: "skipped", c: "skipped", other: "completed" });
    const skipped = result.toolResults[2];
    expect(skipped).toMatchObject({ ok: false, attempts: [], error: expect.stringContaining("a did not complete") });
    expect(execution.calls.map(({ tool }) => tool.tool)).toEqual(["a", "other"]);
  });

  test("[P1.4] an optional tool that fails: dependents run and see null", async () => {
    const execution = createFakeExecution({ script: { a: [{ events: [patchEvent({ x: 1 })], error: failure }] } });
    const input = { whole: { $from: "a" }, part: { $from: "a", path: "/x" } };
    const tools = [planTool("a", { required: false, ...once }), planTool("b", { dependencies: ["a"], input })];
    const result = await execution.execute({ tools });
    expect(states(result)).toEqual({ a: "failed", b: "completed" });
    expect(execution.calls[1]).toMatchObject({ input: { whole: null, part: null }, dependencies: { a: null } });
  });

  test("[R1.1] with a slow log too, nothing is missing when the result is there", async () => {
    const clock = createFakeClock();
    const execution = createFakeExecution({
      clock,
      script: { a: [{ takes: 100, error: failure }], b: [{ takes: 120 }] },
      beforeEmit: ({ status }) => (status === "skipped" ? clock.sleep(50, new AbortController().signal) : undefined),
    });
    const behind = ["c", "d", "e"].map((id) => planTool(id, { dependencies: ["a"] }));
    const tools = [planTool("a", { ...beside, ...once }), planTool("b", beside), ...behind];
    const result = await execution.execute({ parallel: true, tools });
    expect(states(result)).toEqual({ a: "failed", b: "completed", c: "skipped", d: "skipped", e: "skipped" });
    const skipped = execution.events.filter((event) => event.event === "tool:end" && event.status === "skipped");
    expect(skipped.map(({ data }) => "toolId" in data && data.toolId)).toEqual(["c", "d", "e"]);
  });

  test("[R1.2] success, failedTools, canReplan and disabledSkills", async () => {
    const script = { a: [{ error: failure }], b: [{ error: { ...failure, category: "timeout" as const } }] };
    const execute = (plan: object): Promise<ExecutionResult> => createFakeExecution({ script }).execute(plan);
    const tools = [
      planTool("b", { required: false, ...once }),
      planTool("a", once),
      planTool("c", { dependencies: ["a"] }),
    ];

    const failed = await execute({ tools, disabledSkills: ["old"], metadata: { generationAttempt: 4 } });
    expect(failed).toMatchObject({ success: false, failedTools: ["b", "a"], generationAttempt: 4, canReplan: true });
    expect(failed.disabledSkills).toEqual(["old", "a"]);
    expect((await execute({ tools, metadata: { generationAttempt: 5 } })).canReplan).toBe(false);

    const withoutRequired = await execute({ tools: [planTool("b", { required: false, ...once })] });
    expect(withoutRequired).toMatchObject({ success: true, failedTools: ["b"], canReplan: false, disabledSkills: [] });
  });
});

describe("[P1.4] data flow", () => {
  test("a dependency's output reaches the input and the context; the state has its patches already", async () => {
    const script = {
      scan: [{ events: [patchEvent({ door: { name: "oak" } }), patchEvent({ door: { open: false } })] }],
    };
    const execution = createFakeExecution({ script, state: { hour: 7 } });
    const input = { name: { $from: "scan", path: "/door/name" }, missing: { $from: "scan", path: "/window" } };
    const tools = [planTool("scan"), planTool("open", { dependencies: ["scan"], input, operation: "push" })];
    const result = await execution.execute({ tools });
    const door = { name: "oak", open: false };
    expect(execution.calls[1]).toMatchObject({
      operation: "push",
      input: { name: "oak", missing: null },
      dependencies: { scan: { door } },
      state: { hour: 7, door },
    });
    expect(result.aggregatedState).toEqual({ hour: 7, door });
  });
});

describe("[X1.5] the plan's time limit", () => {
  test("running tools time out, those not started are skipped", async () => {
    const script = { a: [{ takes: 90_000 }], b: [{ takes: 90_000 }] };
    const tools = [planTool("a", beside), planTool("b", beside), planTool("c", { dependencies: ["a"] }), planTool("d")];
    const result = await createFakeExecution({ script }).execute({ parallel: true, timeoutMs: 5_000, tools });
    expect(states(result)).toEqual({ a: "timeout", b: "timeout", c: "skipped", d: "skipped" });
    expect(result).toMatchObject({ success: false, executionTime: 5_000, failedTools: ["a", "b"], canReplan: true });
    expect(result.toolResults[0]?.errorDetail).toMatchObject({ category: "timeout", code: "TIMEOUT" });
    for (const { error } of result.toolResults) expect(error).toContain("5000 ms");
  });

  test("is 60 s unless the plan says otherwise", async () => {
    const result = await createFakeExecution({ script: { a: [{ takes: 90_000 }] } }).execute({
      tools: [planTool("a")],
    });
    expect([states(result), result.executionTime]).toEqual([{ a: "timeout" }, 60_000]);
  });

  test("also ends the wait before a retry", async () => {
    const execution = createFakeExecution({ script: { a: [{ error: failure }] } });
    const tools = [planTool("a", { retryPolicy: { backoffMs: 20_000 } })];
    const result = await execution.execute({ timeoutMs: 5_000, tools });
    expect(result.toolResults[0]).toMatchObject({ state: "timeout", retryCount: 0 });
    expect([execution.calls.length, result.executionTime]).toEqual([1, 5_000]);
  });

  test("[X1.1] stands still while a tool waits for a slot, and says that it waits", async () => {
    const script = { slow: [{ takes: 50_000 }], a: [{ takes: 4_000 }] };
    const execution = createFakeExecution({ script, slots: createSlots(1) });
    const slow = execution.execute({ tools: [planTool("slow")] });
    const waiting = await execution.execute({ timeoutMs: 5_000, tools: [planTool("a")] });
    expect(waiting).toMatchObject({ success: true, executionTime: 4_000 });
    expect(waiting.toolResults[0]).toMatchObject({ executionTime: 4_000 });
    expect((await slow).success).toBe(true);
    const ofA = execution.events.filter(({ event, module }) => module === "a" && event.startsWith("tool:"));
    expect(ofA.map(({ event }) => event)).toEqual(["tool:wait", "tool:start", "tool:end"]);
  });

  test("who waits for a slot too long has had no turn, and is told so", async () => {
    const script = { slow: [{ takes: 10 * 60_000 + 1 }] };
    const execution = createFakeExecution({ script, slots: createSlots(1) });
    const slow = execution.execute({ timeoutMs: 3_600_000, tools: [planTool("slow", { timeoutMs: 3_600_000 })] });
    const waiting = await execution.execute({ tools: [planTool("a")] });
    const errorDetail = { category: "timeout", code: "NO_SLOT", message: expect.stringContaining("10 minutes") };
    expect(waiting.toolResults[0]).toMatchObject({ state: "timeout", attempts: [], errorDetail });
    expect((await slow).success).toBe(true);
  });

  test("[X1.6] who is stopped while it waits for a slot is skipped", async () => {
    const execution = createFakeExecution({ script: { slow: [{ takes: 20_000 }] }, slots: createSlots(1) });
    const slow = execution.execute({ tools: [planTool("slow")] });
    const stop = new AbortController();
    execution.clock.after(1_000, () => stop.abort(new CancelReason("cancelled")));
    const waiting = await execution.execute({ tools: [planTool("a")] }, stop.signal);
    expect(states(waiting)).toEqual({ a: "skipped" });
    expect((await slow).success).toBe(true);
  });
});

describe("[X1.6] cancelling", () => {
  test("leaves a complete result: every tool is there, and nothing is to be replanned", async () => {
    const execution = createFakeExecution({ script: { b: [{ takes: 50_000 }] } });
    const stop = new AbortController();
    execution.clock.after(1_000, () => stop.abort(new CancelReason("cancelled")));
    const tools = [planTool("a"), planTool("b"), planTool("c", { dependencies: ["b"] }), planTool("d")];
    const result = await execution.execute({ tools }, stop.signal);
    expect(states(result)).toEqual({ a: "completed", b: "failed", c: "skipped", d: "skipped" });
    expect(result.toolResults[1]).toMatchObject({ retryCount: 0, errorDetail: { code: "CANCELLED" } });
    expect(result).toMatchObject({ success: false, canReplan: false, executionTime: 1_000 });
  });

  test("before the start: nothing runs", async () => {
    const execution = createFakeExecution();
    const result = await execution.execute({ tools: [planTool("a"), planTool("b")] }, AbortSignal.abort());
    expect([states(result), execution.calls]).toEqual([{ a: "skipped", b: "skipped" }, []]);
  });
});

describe("a log that cannot be written", () => {
  test.each([
    [
      "throws",
      () => {
        throw new Error("disk full");
      },
    ],
    ["rejects", () => Promise.reject(new Error("disk full"))],
  ])("(%s) ends the running tools, starts no more, and then the caller hears of it", async (_, breakDisk) => {
    let isFull = true;
    const execution = createFakeExecution({
      script: { a: [{ takes: 10, events: [patchEvent({ x: 1 })] }], b: [{ takes: 50_000 }] },
      beforeEmit: ({ event }) => {
        if (event !== "tool:event" || !isFull) return;
        isFull = false;
        return breakDisk();
      },
    });
    const tools = [planTool("a", beside), planTool("b", beside), planTool("c"), planTool("d", { dependencies: ["a"] })];
    await expect(execution.execute({ parallel: true, tools })).rejects.toThrow("disk full");
    expect(execution.calls.map(({ tool }) => tool.tool)).toEqual(["a", "b"]);
    const ended = execution.events.filter(({ event, status }) => event === "tool:end" && status !== "skipped");
    expect(ended.map(({ module }) => module)).toEqual(["b"]);
    expect(execution.clock.elapsed()).toBeLessThan(50_000);
  });

  test("also when it was about to say that a tool is skipped", async () => {
    const execution = createFakeExecution({
      script: { a: [{ error: failure }] },
      beforeEmit: ({ status }) => {
        if (status === "skipped") throw new Error("disk full");
      },
    });
    const tools = [planTool("a", once), planTool("b", { dependencies: ["a"] }), planTool("c")];
    await expect(execution.execute({ tools })).rejects.toThrow("disk full");
    expect(execution.calls.map(({ tool }) => tool.tool)).toEqual(["a"]);
  });
});

function states(result: ExecutionResult): Record<string, string> {
  return Object.fromEntries(result.toolResults.map(({ toolId, state }) => [toolId, state]));
}
