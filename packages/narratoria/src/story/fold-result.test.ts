/** What became of a plan, from its events alone: the same while it runs and years later. */
import { describe, expect, test } from "vitest";
import {
  numbered,
  patched,
  planEnd,
  planOfTools,
  printed,
  logged,
  toolEnd,
  toolStart,
} from "../../test/told-events.ts";
import type { EventDraft } from "./event.ts";
import { executionResultSchema, type ErrorDetail, type ExecutionResult } from "./execution-result.ts";
import { createResultFold, type ResultFold } from "./fold-result.ts";
import type { Plan } from "./plan.ts";

const FAILED: ErrorDetail = { category: "tool_failure", code: "FAILED", message: "it failed" };
const STOPPED: ErrorDetail = { category: "process_error", code: "CANCELLED", message: "it was stopped" };

/** Two of them are more than a result keeps, one is not. */
const HALF = "x".repeat(600 * 1024);

function foldOf(plan: Plan, ...drafts: EventDraft[]): ResultFold {
  const fold = createResultFold(plan, { x: "lamp", y: "bell" });
  for (const event of numbered(drafts)) fold.take(event);
  return fold;
}

function resultOf(plan: Plan, ...drafts: EventDraft[]): ExecutionResult {
  const result = foldOf(plan, ...drafts).result({ after: true });
  expect(executionResultSchema.safeParse(result).error).toBeUndefined();
  return result;
}

describe("[R1.1] a tool", () => {
  test("that completed: its last attempt's patches as one, its time, its attempts, its events", () => {
    const { toolResults, success, executionTime, aggregatedState } = resultOf(
      planOfTools("x"),
      toolStart(),
      patched({ n: 1, old: true }),
      toolEnd("failed", { willRetry: true, stderrTail: "ouch", signal: "SIGKILL", warnings: ["odd"] }, FAILED),
      toolStart(2),
      patched({ n: 2 }, 2),
      patched({ m: { a: 1 } }, 2),
      toolEnd("completed", { attempt: 2, exitCode: 0, elapsed_ms: 616, eventsAfterDone: 3, trace: { t: 1 } }),
      planEnd(),
    );
    expect([success, executionTime, aggregatedState]).toEqual([true, 9, { after: true }]);
    expect(toolResults).toMatchObject([
      {
        toolId: "x",
        skill: "lamp",
        ok: true,
        state: "completed",
        output: { n: 2, m: { a: 1 } },
        executionTime: 616,
        retryCount: 1,
        eventCount: 3,
        eventsOmitted: 0,
        attempts: [
          {
            requestId: "a1",
            startedAt: "1970-01-01T00:00:01.000Z",
            endedAt: "1970-01-01T00:00:03.000Z",
            outcome: "failed",
            exitCode: 1,
            signal: "SIGKILL",
            stderrTail: "ouch",
            errorDetail: FAILED,
            warnings: ["odd"],
            eventsAfterDone: 0,
          },
          { requestId: "a2", outcome: "completed", exitCode: 0, signal: null, eventsAfterDone: 3, trace: { t: 1 } },
        ],
      },
    ]);
    expect(toolResults[0]?.error).toBeUndefined();
  });

  test("what it returned counts before its patches, null too", () => {
    const returned = (output: null | { n: number }) =>
      resultOf(planOfTools("x"), toolStart(), patched({ n: 1 }), toolEnd("completed", { output })).toolResults[0]
        ?.output;
    expect([returned({ n: 5 }), returned(null)]).toEqual([{ n: 5 }, null]);
    expect(resultOf(planOfTools("x"), toolStart(), toolEnd("completed")).toolResults[0]?.output).toBeNull();
  });

  test("without its elapsed time, as older logs have it, its attempts' times add up", () => {
    const events = [
      toolStart(),
      toolEnd("failed", { willRetry: true }, FAILED),
      toolStart(2),
      toolEnd("completed", { attempt: 2 }),
    ];
    expect(resultOf(planOfTools("x"), ...events).toolResults[0]?.executionTime).toBe(10);
  });

  test("that failed has its error; one that was never started is skipped, with the reason", () => {
    const { toolResults, failedTools } = resultOf(
      planOfTools("x", "y", "z"),
      toolStart(),
      toolEnd("failed", {}, FAILED),
      toolEnd("skipped", { toolId: "y", attempt: 0, reason: "x failed" }),
    );
    expect(
      toolResults.map(({ state, ok, error, skill, attempts }) => [state, ok, error, skill, attempts.length]),
    ).toEqual([
      ["failed", false, "it failed", "lamp", 1],
      ["skipped", false, "x failed", "bell", 0],
      ["skipped", false, "it had not run yet", "z", 0],
    ]);
    expect(toolResults[0]?.errorDetail).toEqual(FAILED);
    expect(failedTools).toEqual(["x"]);
  });

  test("that was skipped at first and ran later has only the attempts that were made", () => {
    const skipped = toolEnd("skipped", { attempt: 0, reason: "y failed" });
    const { toolResults } = resultOf(planOfTools("x"), skipped, toolStart(), toolEnd("completed"));
    expect(toolResults[0]?.attempts).toHaveLength(1);
  });

  test("whose attempt ended as skipped, as no runner writes it, has one that failed: an attempt was made", () => {
    const odd = toolEnd("skipped", { attempt: 1, reason: "y failed" });
    const { toolResults } = resultOf(planOfTools("x"), odd, toolStart(2), toolEnd("completed", { attempt: 2 }));
    expect(toolResults[0]?.attempts.map(({ outcome }) => outcome)).toEqual(["failed", "completed"]);
  });

  test("whose end says no more than that it completed, and whose beginning is lost, has an attempt all the same", () => {
    const { event, component, session_id, turn_id, request_id, module } = toolEnd("completed");
    const bare = { event, component, session_id, turn_id, request_id, module, span_id: "a1" } as const;
    const { toolResults } = resultOf(planOfTools("x"), {
      ...bare,
      status: "completed",
      data: { toolId: "x", attempt: 1 },
    });
    const { startedAt, endedAt, ...attempt } = toolResults[0]?.attempts[0] ?? {};
    expect(startedAt).toBe(endedAt);
    expect(attempt).toEqual({
      requestId: "a1",
      outcome: "completed",
      exitCode: null,
      signal: null,
      stderrTail: "",
      warnings: [],
      eventsAfterDone: 0,
      sandbox: "none",
      trace: {},
    });
  });

  test("log lines that are no events of their own are kept, or counted, all the same", () => {
    const fold = foldOf(planOfTools("x"), toolStart(), logged("one"));
    fold.takeLine("x", { version: "0", type: "log", level: "info", message: "two" });
    fold.skipLines("x", 40);
    for (const event of numbered([toolEnd("completed")], 9)) fold.take(event);
    expect(fold.tool("x")).toMatchObject({
      eventCount: 42,
      eventsOmitted: 40,
      events: [{ message: "one" }, { message: "two" }],
    });
  });

  test.each<Parameters<typeof printed>[0]>([
    { type: "log", level: "info", message: HALF, fields: { half: HALF } },
    { type: "state_patch", patch: { half: HALF, other: HALF } },
    { type: "ui_event", event: HALF, payload: { half: HALF } },
    { type: "asset", assetId: "i", kind: "image", mediaType: "image/png", path: HALF, metadata: { half: HALF } },
    { type: "error", errorCode: "E", errorMessage: HALF, details: { half: HALF } },
    { type: "done", ok: true, summary: HALF + HALF },
  ])("an event is weighed with all it holds: a $type of more than 1 MiB is left out", (heavy) => {
    const { toolResults } = resultOf(planOfTools("x"), toolStart(), printed(heavy), toolEnd("completed"));
    expect(toolResults).toMatchObject([{ events: [], eventCount: 1, eventsOmitted: 1 }]);
  });

  test.each<Parameters<typeof printed>[0]>([
    { type: "ui_event", event: "fireworks" },
    { type: "error", errorCode: "E", errorMessage: "broken" },
    { type: "done", ok: true },
  ])("a $type with nothing more is kept", (light) => {
    const { toolResults } = resultOf(planOfTools("x"), toolStart(), printed(light), toolEnd("completed"));
    expect(toolResults).toMatchObject([{ events: [light], eventsOmitted: 0 }]);
  });

  test("its assets are the plan's, in the plan's order", () => {
    const asset = (toolId: string) => ({
      toolId,
      assetId: "i",
      kind: "image",
      mediaType: "image/png",
      status: "refused" as const,
    });
    const made = (toolId: string): EventDraft =>
      printed(
        { type: "asset", assetId: "i", kind: "image", mediaType: "image/png", path: "i.png" },
        { toolId, asset: asset(toolId) },
      );
    const { aggregatedAssets } = resultOf(planOfTools("x", "y"), made("y"), made("x"));
    expect(aggregatedAssets.map(({ toolId }) => toolId)).toEqual(["x", "y"]);
  });
});

describe("[R1.2] the plan", () => {
  const optional = planOfTools({ toolId: "x", required: false });

  test("succeeds when every required tool has completed", () => {
    expect(resultOf(planOfTools("x"), toolStart(), toolEnd("completed")).success).toBe(true);
    expect(resultOf(planOfTools("x")).success).toBe(false);
    expect(resultOf(optional, toolStart(), toolEnd("failed", {}, FAILED))).toMatchObject({
      success: true,
      canReplan: false,
      disabledSkills: [],
      failedTools: ["x"],
    });
  });

  test("fails when one of several required tools has not completed", () => {
    const both = planOfTools("x", "y");
    const x = [toolStart(), toolEnd("completed")];
    expect(resultOf(both, ...x)).toMatchObject({ success: false, canReplan: true, disabledSkills: [] });
    const y = [toolStart(1, "y"), toolEnd("failed", { toolId: "y", skill: "bell" }, FAILED)];
    expect(resultOf(both, ...x, ...y)).toMatchObject({ success: false, disabledSkills: ["bell"] });
  });

  test("that failed can be replanned without the skills that failed, up to the last generation", () => {
    const events = [toolStart(), toolEnd("timeout", {}, { ...FAILED, category: "timeout" })] as const;
    const plan = { ...planOfTools("x"), disabledSkills: ["rope"] };
    expect(resultOf(plan, ...events)).toMatchObject({ canReplan: true, disabledSkills: ["rope", "lamp"] });
    const last = { ...plan, metadata: { generationAttempt: 5, parentPlanId: "q" } };
    expect(resultOf(last, ...events)).toMatchObject({ canReplan: false, generationAttempt: 5 });
  });

  test.each([
    ["says so", [toolStart(), toolEnd("failed", {}, FAILED), planEnd({ success: false, cancelled: true })]],
    ["is of an older log", [toolStart(), toolEnd("failed", {}, STOPPED), planEnd({ success: false })]],
    ["has not ended", [toolStart(), toolEnd("failed", {}, STOPPED)]],
  ])("that was stopped and %s is not planned again", (_, events) => {
    expect(resultOf(planOfTools("x"), ...events).canReplan).toBe(false);
  });

  test("whose end says that nobody stopped it may be planned again, whatever its tools say", () => {
    const events = [toolStart(), toolEnd("failed", {}, STOPPED), planEnd({ success: false, cancelled: false })];
    expect(resultOf(planOfTools("x"), ...events).canReplan).toBe(true);
  });
});

test.each<[what: string, finished: boolean, events: EventDraft[]]>([
  ["completed", true, [toolStart(), toolEnd("completed")]],
  ["failed for good", true, [toolStart(), toolEnd("failed", {}, FAILED)]],
  ["never began", false, []],
  ["runs", false, [toolStart()]],
  ["is about to be tried again", false, [toolStart(), toolEnd("failed", { willRetry: true }, FAILED)]],
  ["runs again", false, [toolStart(), toolEnd("failed", { willRetry: true }, FAILED), toolStart(2)]],
  ["is run again with its plan", false, [toolStart(), toolEnd("failed", {}, FAILED), toolStart(2)]],
  ["was stopped with its host", false, [toolStart(), toolEnd("failed", {}, STOPPED)]],
  ["was skipped", false, [toolEnd("skipped", { attempt: 0, reason: "y failed" })]],
])("[Z1.4] a tool that %s has finished: %s", (_, finished, events) => {
  expect(foldOf(planOfTools("x"), ...events).hasFinished("x")).toBe(finished);
});

test("a result that was read does not change when more happens", () => {
  const fold = foldOf(planOfTools("x"), toolStart(), toolEnd("failed", { willRetry: true }, FAILED));
  const before = fold.tool("x");
  const copy = structuredClone(before);
  for (const event of numbered([toolStart(2), toolEnd("completed", { attempt: 2 })], 9)) fold.take(event);
  expect(before).toEqual(copy);
});
