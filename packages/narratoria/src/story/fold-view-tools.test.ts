/** The part of the view's fold that follows one tool; `fold-view.test.ts` has turns, plans and the session. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { logged, numbered, planned, printed, start, toolEnd, toolStart, TURN, turn } from "../../test/told-events.ts";
import type { EventDraft } from "./event.ts";
import { emptyView, foldView } from "./fold-view.ts";
import { asRun, progressOf } from "./log-lines.ts";
import type { SessionView, ToolView } from "./session-view.ts";

const fold = (...drafts: EventDraft[]): SessionView => foldView(emptyView("s"), numbered(drafts));
const toolIn = (view: SessionView): ToolView => view.turns[0]?.tools[0] as ToolView;
/** Of one tool in one plan; the first of the events has the number and the time 4. */
const toolAfter = (...drafts: EventDraft[]): ToolView => toolIn(fold(start(), turn(), planned("x"), ...drafts));
const lineOf = (attempt: number): EventDraft => printed({ type: "log", level: "info", message: "m" }, { attempt });

describe("a tool", () => {
  test("[U1.5] is pending at first, and nothing is known of it but what the plan says", () => {
    expect(toolAfter()).toEqual({
      planId: "p",
      toolId: "x",
      skill: "lamp",
      status: "pending",
      attempt: 0,
      maxAttempts: 3,
      progress: null,
      message: null,
      summary: null,
      error: null,
      logCount: 0,
      startedAt: null,
      durationMs: null,
      sandbox: null,
      attempts: [],
    });
  });

  test("[U1.5] waits while every slot is taken, and runs when it has one", () => {
    const wait: EventDraft = { event: "tool:wait", ...TURN, request_id: "p", status: "waiting", data: { toolId: "x" } };
    expect([toolAfter(wait).status, toolAfter(wait, toolStart()).status]).toEqual(["waiting", "running"]);
  });

  test("[U1.5] has attempts, each with its own time, exit code and number of lines", () => {
    const error = { category: "tool_failure", code: "E", message: "it broke" } as const;
    const tool = toolAfter(
      toolStart(),
      lineOf(1),
      toolEnd("failed", { willRetry: true, exitCode: 3 }, error),
      toolStart(2),
      lineOf(2),
      lineOf(2),
    );
    const failed = { spanId: "a1", status: "failed", startedAt: 4, durationMs: 5, exitCode: 3, logCount: 1 };
    const running = { spanId: "a2", status: "running", startedAt: 7, durationMs: null, exitCode: null, logCount: 2 };
    expect(tool.attempts).toEqual([failed, running]);
    expect(tool).toMatchObject({ status: "retrying", startedAt: 4, logCount: 3, error });
  });

  test("[U1.5] what comes late of an attempt still belongs to that attempt", () => {
    const { attempts } = toolAfter(toolStart(), toolStart(2), lineOf(1), toolEnd("failed", { exitCode: 0 }));
    expect(attempts).toMatchObject([
      { spanId: "a1", status: "failed", exitCode: 0, logCount: 1 },
      { spanId: "a2", status: "running", exitCode: null, logCount: 0 },
    ]);
  });

  test("[U1.5] an attempt without a name is not taken for one that has a name", () => {
    const { span_id: _, ...nameless } = toolStart();
    const { attempts } = toolAfter(nameless, lineOf(1), toolEnd("completed", { attempt: 0 }));
    expect(attempts).toMatchObject([{ spanId: "", status: "running", logCount: 0 }]);
  });

  test("[U1.5] that never began has no attempts, and took as long as its end says", () => {
    const tool = toolAfter(lineOf(1), toolEnd("skipped", { attempt: 0 }));
    expect(tool).toMatchObject({ status: "skipped", startedAt: null, durationMs: 5, logCount: 1 });
    expect(Object.keys(tool.attempts)).toEqual([]);
    const { duration_ms: _, ...timeless } = toolEnd("skipped", { attempt: 0 });
    expect(toolAfter(timeless).durationMs).toBeNull();
  });

  test("[U1.5] takes the time that its end says, else that from its first attempt to its end, and never less than none", () => {
    const early = (ts: number) =>
      ({ ...numbered([toolEnd("completed")], 60)[0], ts }) as ReturnType<typeof numbered>[0];
    const running = fold(start(), turn(), planned("x"), toolStart());
    expect(toolAfter(toolStart(), toolEnd("completed", { elapsed_ms: 70 })).durationMs).toBe(70);
    expect(toolIn(foldView(running, [early(4.25)])).durationMs).toBe(250);
    expect(toolIn(foldView(running, [early(3)])).durationMs).toBe(0);
  });

  test("[U1.5] was confined as its latest end says that tells of it", () => {
    const again = [toolStart(2), toolEnd("completed", { attempt: 2, sandbox: null })];
    expect(toolAfter(toolStart(), toolEnd("failed", { sandbox: "partial" }), ...again).sandbox).toBe("partial");
  });

  test.each<[summary: string | undefined, shown: string | null]>([
    ["The lamp is lit.", "The lamp is lit."],
    ["", ""],
    [undefined, null],
    ["x".repeat(5_000), `${"x".repeat(4_096)}…`],
  ])("[U1.5] may sum up when it is done", (summary, shown) => {
    const done = printed({ type: "done", ok: true, ...(summary !== undefined && { summary }) });
    expect(toolAfter(toolStart(), done)).toMatchObject({ summary: shown, status: "running" });
  });

  test("[T4.3] an asset of which no record was kept is not shown", () => {
    const asset = { type: "asset", assetId: "i", kind: "image", mediaType: "image/png", path: "i.png" } as const;
    const view = fold(start(), turn(), planned("x"), printed(asset));
    expect(view.turns[0]?.passages).toEqual([{ kind: "text", text: "You try." }]);
  });

  test("[Z1.7] what a tool says is shown as far as it fits", () => {
    const long = "x".repeat(5_000);
    const cut = `${"x".repeat(4_096)}…`;
    const payload = { text: "x".repeat(70_000) };
    const view = fold(
      start(),
      turn(),
      planned("x"),
      printed({ type: "error", errorCode: long, errorMessage: long }),
      printed({ type: "ui_event", event: long, payload }),
    );
    expect(view.turns[0]?.passages.slice(1)).toEqual([
      { kind: "problem", toolId: "x", code: cut, message: cut },
      { kind: "placeholder", toolId: "x", event: cut, payload: expect.stringMatching(/^\(70\d+ bytes, too many/) },
    ]);
    const error = { category: "tool_failure", code: long, message: long, details: payload } as const;
    expect(toolAfter(toolStart(), toolEnd("failed", {}, error)).error).toEqual({
      category: "tool_failure",
      code: cut,
      message: cut,
    });
  });

  test("[X1.4] runs, is tried again, and ends; every attempt is kept", () => {
    const events = [
      start(),
      turn(),
      planned("x"),
      toolStart(),
      toolEnd("failed", { willRetry: true }),
      toolStart(2),
      toolEnd("completed", { attempt: 2 }),
    ] as const;
    const statuses = events.map((_, count) => fold(...events.slice(0, count + 1)).turns[0]?.tools[0]?.status);
    expect(statuses.slice(2)).toEqual(["pending", "running", "retrying", "retrying", "completed"]);
    expect(toolIn(fold(...events))).toMatchObject({
      attempt: 2,
      maxAttempts: 3,
      error: null,
      sandbox: "full",
      durationMs: 3000,
    });
    expect(toolIn(fold(...events)).attempts.map(({ spanId, status }) => `${spanId} ${status}`)).toEqual([
      "a1 failed",
      "a2 completed",
    ]);
  });

  test("[T4.1] progress is a fraction, or current of total, held between 0 and 1; a new attempt begins anew", () => {
    expect(
      [
        { progress: 0.5 },
        { current: 1, total: 4 },
        { progress: 7 },
        { progress: -1 },
        { current: 1, total: 0 },
        { progress: "half" },
        null,
      ].map((fields) => progressOf(fields)),
    ).toEqual([0.5, 0.25, 1, 0, null, null, null]);
    const view = fold(start(), turn(), planned("x"), toolStart(), logged("a", { progress: 0.4 }), logged("b"));
    expect(toolIn(view)).toMatchObject({ logCount: 2, message: "b", progress: 0.4 });
    expect(toolIn(foldView(view, numbered([toolStart(2)], 99))).progress).toBeNull();
  });

  test("[K1.1] a run of log lines folds to the same as line by line", () => {
    const fields = fc.option(fc.record({ progress: fc.double({ min: 0, max: 1, noNaN: true }) }), { nil: undefined });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fields), { minLength: 1 }), (lines) => {
        const before = fold(start(), turn(), planned("x"), toolStart());
        const events = numbered(
          lines.map(([message, given]) => logged(message, given)),
          5,
        );
        const last = events.at(-1);
        if (last?.event !== "tool:event") throw new Error("the last is a log line");
        const progress = lines.reduce<number | null>((latest, [, given]) => progressOf(given) ?? latest, null);
        expect(foldView(before, [asRun(last, { count: lines.length, progress })])).toEqual(foldView(before, events));
      }),
    );
  });
});
