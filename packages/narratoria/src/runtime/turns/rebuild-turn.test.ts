/** A turn read back from made-up events: what each plan left, what was running, and which log lines a result keeps. */
import { describe, expect, test } from "vitest";
import {
  logged,
  numbered,
  patched,
  planEnd,
  planned,
  planOfTools,
  toolEnd,
  toolStart,
  turn,
} from "../../../test/told-events.ts";
import type { EventDraft, NarratoriaEvent } from "../../story/event.ts";
import { rebuildTurn, unendedAttempts, type LineReader } from "./rebuild-turn.ts";
import type { ResumedTurn } from "./turn-start.ts";

const NO_LINES: LineReader = { countLogLines: () => 0, logLines: () => [] };
const inPlan = (requestId: string, ...drafts: EventDraft[]): EventDraft[] =>
  drafts.map((draft) => ({ ...draft, request_id: requestId }));

function rebuild(events: readonly NarratoriaEvent[], lines = NO_LINES): ResumedTurn & { slices: number } {
  const work = rebuildTurn(events, { oil: 3 }, lines);
  for (let slices = 0; ; slices++) {
    const step = work.next();
    if (step.done) return { ...step.value, slices };
  }
}

function accepted(requestId: string): EventDraft {
  const plan = { ...planOfTools("x"), requestId };
  return { ...planned("x"), request_id: requestId, data: { plan, skills: { x: "lamp" } } } as EventDraft;
}

function statesOf({ plans }: ResumedTurn): unknown[] {
  return plans.map((planned_) => (planned_.kind === "executed" ? planned_.result.aggregatedState : planned_.kind));
}

describe("the plans of a turn", () => {
  test("each that ended has the state it left, whatever came after it", () => {
    const events = numbered([
      turn(),
      accepted("p1"),
      ...inPlan("p1", toolStart(), patched({ oil: 2 }), toolEnd("completed"), planEnd()),
      accepted("p2"),
      ...inPlan("p2", toolStart(), patched({ oil: 1, lit: true }), toolEnd("completed"), planEnd()),
    ]);
    const rebuilt = rebuild(events);
    expect(statesOf(rebuilt)).toEqual([{ oil: 2 }, { oil: 1, lit: true }]);
    expect(rebuilt.unfinished).toBeNull();
  });

  test("one that changed nothing has the state before it", () => {
    const events = numbered([turn(), accepted("p1"), ...inPlan("p1", toolStart(), toolEnd("completed"), planEnd())]);
    expect(statesOf(rebuild(events))).toEqual([{ oil: 3 }]);
  });

  test("a rejected one is there with its problems, in its place", () => {
    const plan = { requestId: "p0", narrative: "", tools: [] };
    const problems = [{ code: "DENIED", pointer: "", message: "no" }];
    const rejected = { ...planned(), request_id: "p0", status: "rejected", data: { plan, problems } } as EventDraft;
    const events = numbered([
      turn(),
      rejected,
      accepted("p1"),
      ...inPlan("p1", toolStart(), toolEnd("completed"), planEnd()),
    ]);
    expect(rebuild(events).plans).toMatchObject([{ kind: "rejected", plan, problems }, { kind: "executed" }]);
  });

  test("the one that did not end is unfinished, and knows which of its tools have", () => {
    const plan = { ...planOfTools("x", "y"), requestId: "p2" };
    const created = { ...planned(), request_id: "p2", data: { plan, skills: {} } } as EventDraft;
    const events = numbered([
      turn(),
      accepted("p1"),
      ...inPlan("p1", toolStart(), toolEnd("completed"), planEnd()),
      created,
      ...inPlan("p2", toolStart(), toolEnd("completed")),
    ]);
    const { plans, unfinished } = rebuild(events);
    expect(plans).toHaveLength(1);
    expect(unfinished?.plan.requestId).toBe("p2");
    expect([unfinished?.results.hasFinished("x"), unfinished?.results.hasFinished("y")]).toEqual([true, false]);
  });

  test("many events are folded in slices, so that others get their turn", () => {
    const many = Array.from({ length: 2_000 }, (_, n) => patched({ n }));
    const { slices, unfinished } = rebuild(numbered([turn(), accepted("p"), toolStart(), ...many]));
    expect(unfinished).not.toBeNull();
    expect(slices).toBeGreaterThan(4);
    expect(slices).toBeLessThan(20);
  });
});

describe("the log lines of an attempt", () => {
  const line = (n: number): EventDraft => logged(`line ${n}`);
  /** So many lines from the number after the start on, printed before the patch. */
  function linesAfter(start: number, count: number): LineReader & { read: number } {
    const reader = {
      read: 0,
      countLogLines: () => count,
      logLines: (_: string, from: number, many: number) => {
        reader.read += many;
        return Array.from({ length: many }, (__, n) => numbered([line(from + n)], start + from + n)).flat();
      },
    };
    return reader;
  }

  test("stand where they were printed, between its other events", () => {
    const before = numbered([turn(), accepted("p"), toolStart()]);
    const after = numbered([patched({ oil: 0 }), toolEnd("completed"), planEnd()], 10);
    const { plans } = rebuild([...before, ...after], linesAfter(4, 2));
    expect(printedBy(plans)).toEqual(["line 0", "line 1", "state_patch"]);
  });

  test("of very many only the first and the last are read, and all are counted", () => {
    const before = numbered([turn(), accepted("p"), toolStart()]);
    const after = numbered([patched({ oil: 0 }), toolEnd("completed"), planEnd()], 6_000);
    const lines = linesAfter(4, 5_000);
    const { plans } = rebuild([...before, ...after], lines);
    expect(lines.read).toBe(2_000);
    const [result] = plans.flatMap((planned_) => (planned_.kind === "executed" ? planned_.result.toolResults : []));
    expect(result).toMatchObject({ eventCount: 5_001, eventsOmitted: 4_001 });
    const printed = printedBy(plans);
    expect([printed[0], printed.at(-2), printed.at(-1)]).toEqual(["line 0", "line 4999", "state_patch"]);
  });

  function printedBy(plans: ResumedTurn["plans"]): string[] {
    return plans.flatMap((planned_) => {
      const [result] = planned_.kind === "executed" ? planned_.result.toolResults : [];
      return (result?.events ?? []).map((event) => (event.type === "log" ? event.message : event.type));
    });
  }
});

test("the attempts that were running when the events stop", () => {
  const ended = { ...toolStart(), span_id: "a" };
  const events = numbered([ended, { ...toolEnd("completed"), span_id: "a" }, { ...toolStart(), span_id: "b" }]);
  expect(unendedAttempts(events)).toEqual(["b"]);
  expect(unendedAttempts(events.slice(0, 1))).toEqual(["a"]);
});
