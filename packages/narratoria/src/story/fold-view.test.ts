/** The fold from events to what a player sees, without a store or a host. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import {
  logged,
  numbered,
  patched,
  planned,
  printed,
  start,
  tell,
  toolEnd,
  toolStart,
  TURN,
  turn,
  turnEnd,
} from "../../test/told-events.ts";
import type { EventDraft } from "./event.ts";
import { emptyView, foldView, leavesTheView } from "./fold-view.ts";
import { asRun, progressOf } from "./log-lines.ts";
import type { SessionView, ToolView } from "./session-view.ts";

const fold = (...drafts: EventDraft[]): SessionView => foldView(emptyView("s"), numbered(drafts));
const toolIn = (view: SessionView): ToolView => view.turns[0]?.tools[0] as ToolView;

describe("a turn", () => {
  test("[K1.1] begins with the story's state and ends with text and choices, in order", () => {
    const view = fold(start({ a: 1 }), turn(), planned("x"), turnEnd({ choices: [{ label: "On" }], ending: "Home" }));
    expect(view.state).toEqual({ a: 1 });
    expect(view.turns[0]?.passages).toEqual([
      { kind: "text", text: "You try." },
      { kind: "text", text: "So it went." },
    ]);
    expect([view.choices, view.turns[0]?.ending, view.turns[0]?.prompt, view.turnCount, view.seq]).toEqual([
      [{ label: "On" }],
      "Home",
      null,
      1,
      4,
    ]);
  });

  test("what is told piece by piece is one text, until something else comes between", () => {
    const view = fold(
      start(),
      turn(),
      tell("The door "),
      tell("opens."),
      patched({ open: true }),
      tell("Wind."),
      turnEnd(),
    );
    expect(view.turns[0]?.passages.filter(({ kind }) => kind === "text")).toEqual([
      { kind: "text", text: "The door opens.", isTold: true },
      { kind: "text", text: "Wind.", isTold: true },
      { kind: "text", text: "So it went." },
    ]);
  });

  test("[T4.4] choices of tools add up, the narrator's come last, and none is offered twice", () => {
    const choice = (...choices: (string | JsonObject)[]): EventDraft =>
      printed({ type: "ui_event", event: "narrative_choice", payload: { choices } });
    const view = fold(
      start(),
      turn(),
      planned("x"),
      choice("North", { id: "s", label: "South", hint: "cold" }),
      choice("East", "North"),
      turnEnd({ choices: [{ label: "Wait" }, { label: "East" }] }),
    );
    expect(view.choices.map(({ label }) => label)).toEqual(["North", "South", "East", "Wait"]);
    expect(view.choices[1]).toEqual({ id: "s", label: "South", hint: "cold" });
  });

  test.each<[{ event: string; payload?: JsonObject }]>([
    [{ event: "fireworks", payload: { red: true } }],
    [{ event: "narrative_choice", payload: { choices: "North" } }],
    [{ event: "narrative_choice", payload: { choices: [{ hint: "no label" }] } }],
    [{ event: "narrative_choice", payload: { choices: [" "] } }],
    [{ event: "narrative_choice" }],
  ])("[T4.4] %j becomes a placeholder that names the event and shows its payload", (event) => {
    const view = fold(start(), turn(), planned("x"), printed({ type: "ui_event", ...event }));
    expect(view.turns[0]?.passages.at(-1)).toEqual({
      kind: "placeholder",
      toolId: "x",
      event: event.event,
      payload: event.payload ?? null,
    });
    expect(view.turns[0]?.choices).toEqual([]);
  });

  test("[U1.2] a patch changes the state and shows what changed, under what caused it; no change shows nothing", () => {
    const set = patched({ torch: { lit: true } });
    const view = fold(start({ torch: { lit: false } }), turn(), planned("x"), set, set);
    expect(view.state).toEqual({ torch: { lit: true } });
    expect(view.turns[0]?.passages.slice(1)).toEqual([
      { kind: "changes", toolId: "x", eventId: "e4", changes: [{ path: "/torch/lit", before: false, after: true }] },
    ]);
  });

  test("[T4.5] an error event is shown, and ends nothing", () => {
    const view = fold(
      start(),
      turn(),
      planned("x"),
      toolStart(),
      printed({ type: "error", errorCode: "E", errorMessage: "ouch" }),
    );
    expect(view.turns[0]?.passages.at(-1)).toEqual({ kind: "problem", toolId: "x", code: "E", message: "ouch" });
    expect(toolIn(view).status).toBe("running");
  });

  test("[T4.3] an asset has an address only when it is stored", () => {
    const asset = { toolId: "x", assetId: "i", kind: "image", mediaType: "image/png" };
    const event = { type: "asset" as const, assetId: "i", kind: "image", mediaType: "image/png", path: "i.png" };
    const view = fold(
      start(),
      turn(),
      planned("x"),
      printed(event, { asset: { ...asset, status: "stored", sha256: "f", bytes: 1 } }),
      printed(event, { asset: { ...asset, status: "refused", reason: "gone" } }),
    );
    expect(
      view.turns[0]?.passages.slice(1).map((passage) => (passage.kind === "asset" ? passage.asset.id : passage)),
    ).toEqual(["e4", null]);
  });

  test("[Z1.4] [K1.9] an interruption ends what ran and what was asked; a resumption runs again", () => {
    const asked: EventDraft = {
      event: "ask:open",
      ...TURN,
      data: { askId: "q", turnId: "t0", toolId: "x", question: "?", reason: null, answers: [] },
    };
    const interrupted = fold(start(), turn(), planned("x", "y"), toolStart(), asked, {
      event: "turn:interrupt",
      ...TURN,
      data: { turnId: "t0" },
    });
    expect(interrupted.asks).toEqual([]);
    expect(interrupted.turns[0]?.status).toBe("interrupted");
    expect(interrupted.turns[0]?.tools.map(({ status, error }) => `${status} ${error?.code}`)).toEqual([
      "failed INTERRUPTED",
      "pending undefined",
    ]);
    const resumed = foldView(interrupted, numbered([{ event: "turn:resume", ...TURN, data: { turnId: "t0" } }], 9));
    expect(resumed.turns[0]?.status).toBe("running");
  });

  test("[K1.1] [Z1.4] an interrupted and resumed turn folds to the same in one go as one by one", () => {
    const pointer = { component: "kernel", turn_id: "t0", data: { turnId: "t0" } } as const;
    const events = numbered([
      start(),
      turn(),
      planned("x", "y"),
      toolStart(1),
      logged("counting"),
      { event: "turn:interrupt", ...pointer },
      { event: "turn:resume", ...pointer },
      toolStart(2),
      toolEnd("completed", { attempt: 2 }),
      turnEnd(),
    ]);
    const oneByOne = events.reduce((view, event) => foldView(view, [event]), emptyView("s"));
    expect(foldView(emptyView("s"), events)).toEqual(oneByOne);
    expect(toolIn(oneByOne)).toMatchObject({ status: "completed", attempts: [{ status: "interrupted" }, {}] });
  });

  test("[N1.2] a rejected plan shows its place in the chain and its problems", () => {
    const problems = [{ pointer: "/tools", code: "BAD_VALUE" as const, message: "no list" }];
    const stamped = { requestId: "r", disabledSkills: ["lamp"], metadata: { generationAttempt: 3, parentPlanId: "q" } };
    const view = fold(start(), turn(), {
      event: "plan:create",
      ...TURN,
      request_id: "r",
      status: "rejected",
      data: { plan: stamped, problems },
    });
    expect(view.turns[0]?.plans[0]).toMatchObject({
      planId: "r",
      status: "rejected",
      generationAttempt: 3,
      parentPlanId: "q",
      disabledSkills: ["lamp"],
      problems,
    });
  });
});

describe("a tool", () => {
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

describe("a session", () => {
  test("[U1.8] an event that was folded before changes nothing: a resumed stream may repeat itself", () => {
    const events = numbered([start(), turn(), planned("x"), patched({ n: 1 }), turnEnd()]);
    const whole = foldView(emptyView("s"), events);
    fc.assert(
      fc.property(fc.nat(4), fc.nat(4), (cut, back) => {
        const first = foldView(emptyView("s"), events.slice(0, cut + 1));
        expect(foldView(first, events.slice(Math.max(0, cut - back)))).toEqual(whole);
      }),
    );
  });

  test("[K1.1] nothing the caller holds is changed in place", () => {
    const before = fold(start(), turn(), planned("x"), toolStart());
    const copy = structuredClone(before);
    foldView(before, numbered([turnEnd()], 50));
    expect(before).toEqual(copy);
  });

  test("titles, bookmarks and the end", () => {
    const mark = (name: string | null): EventDraft => ({
      event: "session:bookmark",
      component: "kernel",
      data: { turnId: "t0", name },
    });
    expect(
      fold(start(), mark("here"), { event: "session:title", component: "kernel", data: { title: "New" } }),
    ).toMatchObject({
      title: "New",
      bookmarks: { t0: "here" },
    });
    expect(
      fold(start(), mark("here"), mark(null), { event: "session:end", component: "kernel", data: { reason: "over" } }),
    ).toMatchObject({
      bookmarks: {},
      ended: true,
    });
  });

  test("undo shows the turn before, and says that the state must be fetched", () => {
    const head: EventDraft = { event: "session:head", component: "kernel", data: { turnId: "t0", reason: "undo" } };
    const view = fold(start(), turn(), turnEnd({ choices: [{ label: "On" }] }), turn("t1", "t0", 1, "go"), head);
    expect([view.headTurnId, view.turns.length, view.turnCount, view.choices]).toEqual(["t0", 1, 1, [{ label: "On" }]]);
    expect(numbered([head, turn()]).map(leavesTheView)).toEqual([true, false]);
  });

  test("a turn beside another replaces it on the way to the head", () => {
    const view = fold(start(), turn(), turnEnd(), turn("t1", "t0", 1, "go"), turn("t2", "t0", 1, "stay"));
    expect(view.turns.map(({ turnId }) => turnId)).toEqual(["t0", "t2"]);
  });
});
