import type { ToolEvent } from "@narratoria/tool/protocol";
import { describe, expect, test } from "vitest";
import { createFakeExecution, patchEvent, planTool, type Attempt } from "../../../test/fake-execution.ts";
import type { ErrorDetail } from "../../story/execution-result.ts";
import { createSlots } from "./slots.ts";

const failure: ErrorDetail = { category: "tool_failure", code: "NO_OIL", message: "The lamp is empty." };

describe("[X1.4] retries", () => {
  test("three by default, after 100, 200 and 400 ms", async () => {
    const { execution, result } = await runOne([{ error: failure }]);
    expect(execution.clock.sleeps).toEqual([100, 200, 400]);
    expect(result).toMatchObject({ state: "failed", retryCount: 3, executionTime: 700, error: failure.message });
    expect(result.attempts.length).toBe(4);
    expect(new Set(execution.calls.map(({ requestId }) => requestId)).size).toBe(4);
  });

  test("the wait doubles up to 60 s", async () => {
    const retryPolicy = { maxRetries: 10, backoffMs: 4_000 };
    const { execution } = await runOne([{ error: failure }], { retryPolicy }, { timeoutMs: 1_000_000 });
    expect(execution.clock.sleeps.map((ms) => ms / 1000)).toEqual([4, 8, 16, 32, 60, 60, 60, 60, 60, 60]);
  });

  test("end with the first success", async () => {
    const { execution, result } = await runOne([{ error: failure }, { error: failure }, {}]);
    expect(execution.clock.sleeps).toEqual([100, 200]);
    expect(result).toMatchObject({ ok: true, state: "completed", retryCount: 2 });
    expect(result.error).toBeUndefined();
    expect(result.attempts.map(({ outcome }) => outcome)).toEqual(["failed", "failed", "completed"]);
  });

  test("none with maxRetries 0", async () => {
    const { execution, result } = await runOne([{ error: failure }], { retryPolicy: { maxRetries: 0 } });
    expect([execution.calls.length, execution.clock.sleeps.length, result.retryCount]).toEqual([1, 0, 0]);
  });

  test.each<[ErrorDetail["category"], string]>([
    ["tool_failure", "TOOL_FAILED"],
    ["tool_failure", "internal"],
    ["process_error", "EXIT_NONZERO"],
    ["process_error", "SIGNALLED"],
    ["process_error", "OOM"],
    ["process_error", "unreachable"],
    ["timeout", "TIMEOUT"],
    ["timeout", "timeout"],
    ["protocol_violation", "MISSING_DONE"],
  ])("%s %s is tried again", async (category, code) => {
    const { execution } = await runOne([{ error: { category, code, message: "" } }]);
    expect(execution.calls.length).toBe(4);
  });

  test.each<[ErrorDetail["category"], string]>([
    ["tool_failure", "bad_request"],
    ["tool_failure", "unsupported_op"],
    ["process_error", "SPAWN_FAILED"],
    ["timeout", "LINGERED"],
    ["protocol_violation", "INVALID_JSON"],
    ["protocol_violation", "INVALID_EVENT"],
    ["forbidden", "FORBIDDEN_WRITE"],
    ["forbidden", "forbidden"],
  ])("%s %s is final", async (category, code) => {
    const { execution, result } = await runOne([{ error: { category, code, message: "" } }]);
    expect([execution.calls.length, result.retryCount]).toEqual([1, 0]);
    expect(result.errorDetail).toMatchObject({ category, code });
  });

  test("a slot is free for other plans during the wait", async () => {
    const script = { a: [{ error: failure }, { takes: 1_000 }], b: [{ takes: 50 }] };
    const execution = createFakeExecution({ script, slots: createSlots(1) });
    const plans = ["a", "b"].map((id) => execution.execute({ tools: [planTool(id)] }));
    const [first, second] = await Promise.all(plans);
    expect([first?.executionTime, second?.executionTime]).toEqual([1_100, 50]);
  });
});

describe("[R1.3] output", () => {
  test("the patches of the last attempt as one; a removal stays null", async () => {
    const { result } = await runOne([
      { events: [patchEvent({ wrong: true })], error: failure },
      { events: [patchEvent({ lamp: { lit: true, oil: 3 } }), patchEvent({ lamp: { oil: null }, torch: null })] },
    ]);
    expect(result.output).toEqual({ lamp: { lit: true, oil: null }, torch: null });
  });

  test("null when nothing was patched", async () => {
    expect((await runOne([{}])).result.output).toBeNull();
  });
});

describe("[T4.2] patches", () => {
  test("are in force also when the tool fails later, from every attempt", async () => {
    const attempt = { events: [patchEvent({ tries: { last: 1 } })], error: failure };
    const { plan } = await runOne([{ events: [patchEvent({ tries: { first: 1 } })], error: failure }, attempt]);
    expect([plan.success, plan.aggregatedState]).toEqual([false, { tries: { first: 1, last: 1 } }]);
  });

  test("[S1.5] one that reaches outside the scope is refused whole; those before it stay", async () => {
    const events = [
      patchEvent({ lamp: { lit: true } }),
      patchEvent({ lamp: { oil: 1 }, gold: 100 }),
      patchEvent({ lamp: 0 }),
    ];
    const execution = createFakeExecution({ script: { a: [{ events }] }, manifests: { a: { writes: ["/lamp"] } } });
    const plan = await execution.execute({ tools: [planTool("a")] });
    expect(plan.aggregatedState).toEqual({ lamp: { lit: true } });
    expect(execution.calls.length).toBe(1);
    const [result] = plan.toolResults;
    expect(result).toMatchObject({ state: "failed", eventCount: 1, output: { lamp: { lit: true } } });
    expect(result?.errorDetail).toMatchObject({ category: "forbidden", code: "FORBIDDEN_WRITE" });
    expect(result?.error).toContain("/gold");
    expect(execution.events.filter(({ event }) => event === "tool:event").length).toBe(1);
  });

  test("[S1.5] one that passes through a list of the state is refused, as it would wipe the list out", async () => {
    const execution = createFakeExecution({
      script: { a: [{ events: [patchEvent({ bag: { lamp: 1 } })] }] },
      manifests: { a: { writes: ["/bag/lamp"] } },
      state: { bag: ["sword"] },
    });
    const plan = await execution.execute({ tools: [planTool("a")] });
    expect(plan.toolResults[0]?.errorDetail?.code).toBe("FORBIDDEN_WRITE");
    expect(plan.aggregatedState).toEqual({ bag: ["sword"] });
  });
});

describe("what a tool is told", () => {
  const state = { lamp: { lit: false }, gold: 7 };

  test("[T1.3] all of the state without a manifest, else what it reads", async () => {
    const manifests = { b: { reads: ["/gold"] }, c: {} };
    const execution = createFakeExecution({ state, manifests });
    await execution.execute({ tools: [planTool("a"), planTool("b"), planTool("c")] });
    expect(execution.calls.map((call) => call.state)).toEqual([state, { gold: 7 }, {}]);
  });

  test("[T5.11] its time limit: the plan's, else the manifest's, else 30 s", async () => {
    const manifests = { a: { timeoutMs: 2_000 }, b: { timeoutMs: 2_000 } };
    const execution = createFakeExecution({ manifests });
    await execution.execute({ tools: [planTool("a", { timeoutMs: 1_000 }), planTool("b"), planTool("c")] });
    expect(execution.calls.map(({ timeoutMs }) => timeoutMs)).toEqual([1_000, 2_000, 30_000]);
  });
});

describe("[R1.1] [K1.1] what is recorded", () => {
  test("the events of all attempts in the result, and in the log with their plan and attempt", async () => {
    const log = (message: string): ToolEvent => ({ version: "0", type: "log", level: "info", message });
    const { execution, plan, result } = await runOne([
      { events: [log("one")], error: failure },
      { events: [log("two")] },
    ]);
    expect(result.events).toEqual([log("one"), log("two")]);
    expect([result.eventCount, result.eventsOmitted]).toEqual([2, 0]);
    const [first, second] = execution.calls.map(({ requestId }) => requestId);
    expect(
      execution.events.map(({ event, status, span_id, data }) => [
        event,
        status,
        span_id,
        "attempt" in data ? data.attempt : undefined,
      ]),
    ).toEqual([
      ["tool:start", "running", first, 1],
      ["tool:event", undefined, first, undefined],
      ["tool:end", "failed", first, 1],
      ["tool:start", "running", second, 2],
      ["tool:event", undefined, second, undefined],
      ["tool:end", "completed", second, 2],
      ["plan:end", "ok", undefined, undefined],
    ]);
    expect(execution.events.every(({ request_id }) => request_id === plan.planId)).toBe(true);
    expect(execution.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(execution.events[2]?.error).toMatchObject({ code: "NO_OIL", message: failure.message });
  });

  test("each attempt with its times, outcome and error", async () => {
    const { execution, result } = await runOne([{ takes: 250, error: failure }, { takes: 50 }]);
    expect(result.executionTime).toBe(400);
    expect(result.attempts).toMatchObject([
      {
        outcome: "failed",
        errorDetail: failure,
        exitCode: 1,
        startedAt: "2026-01-01T00:00:00.000Z",
        endedAt: "2026-01-01T00:00:00.250Z",
      },
      { outcome: "completed", exitCode: 0, startedAt: "2026-01-01T00:00:00.350Z", endedAt: "2026-01-01T00:00:00.400Z" },
    ]);
    const ends = execution.events.filter(({ event }) => event === "tool:end");
    expect(ends.map(({ duration_ms }) => duration_ms)).toEqual([250, 50]);
  });

  test.each<[Attempt, object]>([
    [{}, { status: "ok" }],
    [{ error: failure }, { status: "error", error: failure }],
  ])("[A1.8] that a module was called is told, before what became of it: %j", async (attempt, said) => {
    const report = { invocation: { op: "run", durationMs: 12.6 } };
    const { execution } = await runOne([{ ...attempt, report }], { retryPolicy: { maxRetries: 0 } });
    const [invoked, ...others] = execution.events.filter(({ event }) => event === "module:invoke");
    expect(others).toEqual([]);
    const [call] = execution.calls;
    const about = { component: "runner", module: "a", duration_ms: 13, data: { op: "run" }, span_id: call?.requestId };
    expect(invoked).toMatchObject({ ...about, ...said });
    expect(invoked?.error === undefined).toBe(attempt.error === undefined);
    const names = execution.events.map(({ event }) => event);
    expect(names.indexOf("module:invoke")).toBe(names.indexOf("tool:end") - 1);
    const without = await runOne([attempt], { retryPolicy: { maxRetries: 0 } });
    expect(without.execution.events.map(({ event }) => event)).not.toContain("module:invoke");
  });

  test("what its runner tells of an attempt is what its end tells", async () => {
    const report = {
      exitCode: 7,
      signal: "SIGTERM",
      stderrTail: "oh",
      warnings: ["w"],
      eventsAfterDone: 2,
      sandbox: "full",
      trace: { pid: 1 },
      output: "returned",
    } as const;
    const { result } = await runOne([{ report: { ...report, warnings: ["w"] } }]);
    const { output, ...told } = report;
    expect(result.attempts).toMatchObject([told]);
    expect(result.output).toBe(output);
    const failed = await runOne([{ error: failure, report: { output } }], { retryPolicy: { maxRetries: 0 } });
    expect(failed.result.output).toBeNull();
  });

  test("[T4.3] an asset without a file: a warning and a placeholder, no failure", async () => {
    const asset: ToolEvent = {
      version: "0",
      type: "asset",
      assetId: "map",
      kind: "image",
      mediaType: "image/png",
      path: "x.png",
    };
    const { execution, plan, result } = await runOne([{ events: [asset] }]);
    expect(result.ok).toBe(true);
    const record = { toolId: "a", assetId: "map", kind: "image", mediaType: "image/png", status: "refused" };
    expect(plan.aggregatedAssets).toEqual([{ ...record, reason: "there is no such file" }]);
    expect(result.attempts[0]?.warnings).toEqual(["asset map was refused: there is no such file"]);
    expect(execution.events[1]?.data).toMatchObject({ event: asset, asset: record });
  });
});

async function runOne(attempts: Attempt[], tool: object = {}, plan: object = {}) {
  const execution = createFakeExecution({ script: { a: attempts } });
  const executed = await execution.execute({ tools: [planTool("a", tool)], ...plan });
  const [result] = executed.toolResults;
  if (result === undefined) throw new Error("the tool has no result");
  return { execution, plan: executed, result };
}
