/** The fold from events to what a player sees, without a store or a host. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import {
  logged,
  numbered,
  patched,
  planEnd,
  planned,
  plannedSilently,
  planOfTools,
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
import { foldState } from "./fold-state.ts";
import { emptyView, foldView, leavesTheView } from "./fold-view.ts";
import type { Plan } from "./plan.ts";
import { emptyState } from "./session-state.ts";
import type { SessionView, ToolView } from "./session-view.ts";

const fold = (...drafts: EventDraft[]): SessionView => foldView(emptyView("s"), numbered(drafts));
const toolIn = (view: SessionView): ToolView => view.turns[0]?.tools[0] as ToolView;
const POINTER = { ...TURN, data: { turnId: "t0" } } as const;

function accepted(plan: Plan, skills?: Record<string, string>): EventDraft {
  const data = { plan, ...(skills && { skills }) };
  return { event: "plan:create", ...TURN, request_id: plan.requestId, status: "accepted", data };
}

function asked(askId: string): EventDraft {
  const data = { askId, turnId: "t0", toolId: "x", question: "?", reason: null, answers: [] };
  return { event: "ask:open", ...TURN, data };
}

describe("a turn", () => {
  test("[K1.1] begins with the story's state and ends with text and choices, in order", () => {
    const view = fold(start({ a: 1 }), turn(), planned("x"), turnEnd({ choices: [{ label: "On" }], ending: "Home" }));
    expect(view.state).toEqual({ a: 1 });
    expect(view.turns[0]?.passages).toEqual([
      { kind: "text", text: "You try." },
      { kind: "text", text: "So it went." },
    ]);
    expect([view.choices, view.turns[0]?.ending, view.turns[0]?.prompt, view.turnCount, view.seq]).toEqual([
      [{ id: expect.any(String), label: "On" }],
      "Home",
      null,
      1,
      4,
    ]);
  });

  test("[U1.4] begins running, with its number, its prompt and its takes, and offers nothing yet", () => {
    const first = [start(), turn(), turnEnd({ choices: [{ label: "On" }] })];
    const second = turn("t2", "t0", 1, "go");
    second.data.takes = ["t1", "t2"];
    const view = fold(...first, second);
    expect(view.turns[1]).toEqual({
      turnId: "t2",
      parentTurnId: "t0",
      number: 1,
      prompt: "go",
      status: "running",
      startedAt: 4,
      endedAt: null,
      passages: [],
      plans: [],
      tools: [],
      choices: [],
      ending: null,
      notice: null,
      takes: ["t1", "t2"],
    });
    expect([view.headTurnId, view.turnCount, view.choices]).toEqual(["t2", 2, []]);
  });

  test("of a log that says less is the first, and has no takes", () => {
    const view = fold(start(), { event: "turn:start", ...TURN, data: { turnId: "t0", prompt: "" } });
    expect(view.turns[0]).toMatchObject({ parentTurnId: null, number: 0, prompt: null, takes: [] });
    expect(view.turnCount).toBe(1);
  });

  test("ends with a notice when something went wrong; an end that says nothing adds nothing", () => {
    const failed = fold(start(), turn(), turnEnd({ notice: "It took too long." }, "failed"));
    expect(failed.turns[0]).toMatchObject({ status: "failed", endedAt: 3, notice: "It took too long.", ending: null });
    const silent = fold(start(), turn(), { event: "turn:end", ...TURN, status: "completed", data: { turnId: "t0" } });
    expect(silent.turns[0]).toMatchObject({ passages: [], choices: [], notice: null, ending: null });
    expect(silent.choices).toEqual([]);
  });

  test("what is blank is not shown", () => {
    const plan = { ...planOfTools("x"), narrative: "" };
    const view = fold(start(), turn(), accepted(plan), turnEnd({ narrative: " \n\t" }));
    expect(view.turns[0]?.passages).toEqual([]);
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

  test("what is told before a plan and after it are two texts, also when the plan has no words and shows nothing", () => {
    const view = fold(start(), turn(), tell("You wait."), plannedSilently("x"), tell("No"), tell("thing."));
    expect(view.turns[0]?.passages).toEqual([
      { kind: "text", text: "You wait.", isTold: true, isWhole: true },
      { kind: "text", text: "Nothing.", isTold: true },
    ]);
  });

  test("[N1.1] the page has the paragraphs that the narrator's history has, whatever is told and planned", () => {
    const plan = (narrative: string) => accepted({ ...planOfTools("x"), narrative });
    const piece = fc.constantFrom("The door ", "opens.", " ", "\n\n");
    const planning = fc.constantFrom("", " ", "You try.").map(plan);
    const step = fc.oneof(
      piece.map((text) => [tell(text)]),
      planning.map((planned) => [planned]),
      planning.map((planned) => [planned, patched({ n: 1 })]),
    );
    fc.assert(
      fc.property(fc.array(step), fc.constantFrom("", "So it went."), (steps, narrative) => {
        const begun = [start(), turn(), ...steps.flat(), turnEnd({ narrative })];
        const passages = fold(...begun).turns[0]?.passages ?? [];
        const paragraphs = passages.flatMap((passage) => (passage.kind === "text" ? [passage.text] : []));
        const state = foldState(emptyState("s"), numbered(begun));
        expect(paragraphs).toEqual(state.head?.texts);
      }),
    );
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
    const interrupted = fold(start(), turn(), planned("x", "y"), toolStart(), asked("q"), {
      event: "turn:interrupt",
      ...POINTER,
    });
    expect(interrupted.asks).toEqual([]);
    expect(interrupted.turns[0]?.status).toBe("interrupted");
    expect(interrupted.turns[0]?.tools.map(({ status, error }) => `${status} ${error?.code}`)).toEqual([
      "failed INTERRUPTED",
      "pending undefined",
    ]);
    const resumed = foldView(interrupted, numbered([{ event: "turn:resume", ...POINTER }], 9));
    expect(resumed.turns[0]?.status).toBe("running");
  });

  test("[Z1.4] an interruption fails what waits for its next attempt or for a slot; what has ended stays as it was", () => {
    const wait: EventDraft = { event: "tool:wait", ...TURN, request_id: "p", status: "waiting", data: { toolId: "y" } };
    const view = fold(
      start(),
      turn(),
      planned("x", "y", "z", "w"),
      toolStart(),
      toolEnd("failed", { willRetry: true }),
      toolStart(2),
      wait,
      toolStart(1, "z"),
      toolEnd("completed", { toolId: "z" }),
      { event: "turn:interrupt", ...POINTER },
    );
    const [x, y, z, w] = view.turns[0]?.tools ?? [];
    const error = { category: "process_error", code: "INTERRUPTED", message: "Narratoria stopped while it ran" };
    expect(x).toMatchObject({ status: "failed", error, attempts: [{ status: "failed" }, { status: "interrupted" }] });
    expect(y).toMatchObject({ status: "failed", error, attempts: [] });
    expect(z).toMatchObject({ status: "completed", error: null, attempts: [{ status: "completed" }] });
    expect(w).toMatchObject({ status: "pending", error: null });
  });

  test("[K1.9] each question waits until it is answered, and none beyond the end of the turn", () => {
    const answered: EventDraft = { event: "ask:answer", ...TURN, data: { askId: "q", value: "yes" } };
    const open = fold(start(), turn(), asked("q"), asked("r"));
    expect(open.asks).toEqual([asked("q").data, asked("r").data]);
    expect(foldView(open, numbered([answered], 9)).asks).toEqual([asked("r").data]);
    expect(foldView(open, numbered([turnEnd()], 9)).asks).toEqual([]);
  });

  test("[K1.1] [Z1.4] an interrupted and resumed turn folds to the same in one go as one by one", () => {
    const events = numbered([
      start(),
      turn(),
      planned("x", "y"),
      toolStart(1),
      logged("counting"),
      { event: "turn:interrupt", ...POINTER },
      { event: "turn:resume", ...POINTER },
      toolStart(2),
      toolEnd("completed", { attempt: 2 }),
      turnEnd(),
    ]);
    const oneByOne = events.reduce((view, event) => foldView(view, [event]), emptyView("s"));
    expect(foldView(emptyView("s"), events)).toEqual(oneByOne);
    expect(toolIn(oneByOne)).toMatchObject({ status: "completed", attempts: [{ status: "interrupted" }, {}] });
  });
});

describe("a plan", () => {
  test("[U1.5] shows what it is for, its tools with their skills, and what waits for what", () => {
    const plan = {
      ...planOfTools("x", { toolId: "y", toolPath: "tools/bell", dependencies: ["x"] }),
      disabledSkills: ["rope"],
      metadata: { generationAttempt: 2, parentPlanId: "q" },
    };
    const view = fold(start(), turn(), accepted(plan, { x: "lamp-lighter" }));
    expect(view.turns[0]?.plans).toEqual([
      {
        planId: "p",
        narrative: "You try.",
        generationAttempt: 2,
        parentPlanId: "q",
        disabledSkills: ["rope"],
        status: "running",
        toolIds: ["x", "y"],
        dependencies: { x: [], y: ["x"] },
        problems: [],
      },
    ]);
    expect(view.turns[0]?.tools.map(({ toolId, skill }) => [toolId, skill])).toEqual([
      ["x", "lamp-lighter"],
      ["y", "tools/bell"],
    ]);
    // Logs of before the skills were kept.
    expect(toolIn(fold(start(), turn(), accepted(plan))).skill).toBe("lamp");
  });

  test("[N1.2] ends by itself: those before and after it stay as they are", () => {
    const plans = ["p1", "p2", "p3"].map((requestId) => accepted({ ...planOfTools("x"), requestId }));
    const statuses = (...ends: [requestId: string, success: boolean][]) =>
      fold(
        start(),
        turn(),
        ...plans,
        ...ends.map(([request_id, success]): EventDraft => ({ ...planEnd({ success }), request_id })),
      ).turns[0]?.plans.map(({ planId, status }) => `${planId} ${status}`);
    expect(statuses(["p1", false])).toEqual(["p1 failed", "p2 running", "p3 running"]);
    expect(statuses(["p1", false], ["p2", true])).toEqual(["p1 failed", "p2 completed", "p3 running"]);
    expect(statuses(["p4", true])).toEqual(["p1 running", "p2 running", "p3 running"]);
  });

  test("[N1.2] that is none shows nothing it does not have", () => {
    const rejected: EventDraft = { event: "plan:create", ...TURN, status: "rejected", data: { plan: {} } };
    expect(fold(start(), turn(), rejected).turns[0]?.plans).toEqual([
      {
        planId: "",
        narrative: "",
        generationAttempt: 1,
        parentPlanId: null,
        disabledSkills: [],
        status: "rejected",
        toolIds: [],
        dependencies: {},
        problems: [],
      },
    ]);
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

describe("a session", () => {
  test("of which nothing is known has nothing to show", () => {
    expect(emptyView("s")).toEqual({
      sessionId: "s",
      title: "",
      story: { dir: "", title: "", version: null },
      headTurnId: null,
      turns: [],
      turnCount: 0,
      state: {},
      choices: [],
      asks: [],
      bookmarks: {},
      ended: false,
      seq: 0,
    });
  });

  test("begins with its title and its story; a log may lack both", () => {
    const { title, story } = fold(start());
    expect([title, story]).toEqual(["T", { dir: "/d", title: "S", version: "1" }]);
    const bare = start();
    bare.data = { plan: bare.data.plan };
    expect(fold(bare)).toMatchObject({ title: "", story: { dir: "", title: "", version: null } });
    bare.data.story = { dir: "/d", title: "S" };
    expect(fold(bare).story).toEqual({ dir: "/d", title: "S", version: null });
  });

  test("[U1.4] a fork has a title of its own, or keeps the one it began with", () => {
    const fork = (more: object): EventDraft => ({
      event: "session:fork",
      component: "kernel",
      data: { parent: "r", ...more },
    });
    expect(fold(start(), fork({ title: "Another way" })).title).toBe("Another way");
    expect(fold(start(), fork({})).title).toBe("T");
  });

  test.each([undefined, null])("an event without a number (%s) is folded, and the view keeps its own", (seq) => {
    const unnumbered = (draft: EventDraft) => numbered([draft]).map((event) => ({ ...event, seq }));
    expect(foldView(emptyView("s"), unnumbered(start()))).toMatchObject({ title: "T", seq: 0 });
    const after = foldView(fold(start(), turn()), unnumbered(tell("Wind.")));
    expect([after.turns[0]?.passages.length, after.seq]).toEqual([1, 2]);
  });

  const ofTools: EventDraft[] = [
    { event: "tool:wait", ...TURN, request_id: "p", status: "waiting", data: { toolId: "x" } },
    toolStart(),
    logged("counting"),
    printed({ type: "done", ok: true, summary: "Lit." }),
    toolEnd("completed"),
  ];
  const ofTurns: EventDraft[] = [
    ...ofTools,
    printed({ type: "ui_event", event: "narrative_choice", payload: { choices: ["Up"] } }),
    printed({ type: "error", errorCode: "E", errorMessage: "ouch" }),
    planned("y"),
    planEnd(),
    tell("Wind."),
    { event: "turn:interrupt", ...POINTER },
    { event: "turn:resume", ...POINTER },
    turnEnd(),
  ];
  test.each<{ of: string; draft: EventDraft }>([
    ...ofTurns.map((draft) => ({ of: "turn", draft: { ...draft, turn_id: "elsewhere" } })),
    ...ofTools.map((draft) => ({ of: "plan", draft: { ...draft, request_id: "elsewhere" } })),
  ])("what is not in view changes nothing: $draft.event of another $of", ({ draft }) => {
    const shown = fold(start(), turn(), planned("x"), turnEnd({ choices: [{ label: "On" }] }));
    for (const before of [emptyView("s"), shown]) {
      expect(foldView(before, numbered([draft], 50))).toEqual({ ...before, seq: 50 });
    }
  });

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
    const titled: EventDraft = { event: "session:title", component: "kernel", data: { title: "New" } };
    const ended: EventDraft = { event: "session:end", component: "kernel", data: { reason: "over" } };
    const shown = ({ title, bookmarks, ended: isOver }: SessionView) => [title, bookmarks, isOver];
    expect(shown(fold(start(), mark("here"), titled))).toEqual(["New", { t0: "here" }, false]);
    expect(shown(fold(start(), mark("here"), mark(null), ended))).toEqual(["T", {}, true]);
  });

  test("undo shows the turn before, and says that the state must be fetched", () => {
    const head: EventDraft = { event: "session:head", component: "kernel", data: { turnId: "t0", reason: "undo" } };
    const view = fold(start(), turn(), turnEnd({ choices: [{ label: "On" }] }), turn("t1", "t0", 1, "go"), head);
    expect([view.headTurnId, view.turns.length, view.turnCount, view.choices]).toEqual([
      "t0",
      1,
      1,
      [{ id: expect.any(String), label: "On" }],
    ]);
    expect(numbered([head, turn()]).map(leavesTheView)).toEqual([true, false]);
  });

  test("[U1.4] undo goes back to any turn in view, and to before the first", () => {
    const back = (turnId: string | null): SessionView => {
      const head: EventDraft = { event: "session:head", component: "kernel", data: { turnId, reason: "undo" } };
      const told = ["t0", "t1", "t2"].flatMap((id, at) => [
        turn(id, at === 0 ? null : `t${at - 1}`, at, "go"),
        turnEnd({ choices: [{ label: `after ${id}` }] }, "completed", id),
      ]);
      return fold(start(), ...told, head);
    };
    const shown = ({ headTurnId, turns, turnCount, choices }: SessionView) => [
      headTurnId,
      turns.map(({ turnId }) => turnId),
      turnCount,
      choices,
    ];
    expect(shown(back("t1"))).toEqual(["t1", ["t0", "t1"], 2, [{ id: expect.any(String), label: "after t1" }]]);
    expect(shown(back(null))).toEqual([null, [], 0, []]);
  });

  test("a turn beside another replaces it on the way to the head", () => {
    const view = fold(start(), turn(), turnEnd(), turn("t1", "t0", 1, "go"), turn("t2", "t0", 1, "stay"));
    expect(view.turns.map(({ turnId }) => turnId)).toEqual(["t0", "t2"]);
  });
});
