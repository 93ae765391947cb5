import { describe, expect, test } from "vitest";
import { numbered, planned, start, toolStart, turn, turnEnd } from "../../test/told-events.ts";
import type { EventOf, NarratoriaEvent } from "./event.ts";
import { emptyView, foldView } from "./fold-view.ts";
import type { Passage } from "./session-view.ts";
import { leftOut, MOST_PAGE_BYTES, MOST_PASSAGES, weightOf } from "./shown-values.ts";
import { draftOf } from "./view-draft.ts";

const view = foldView(emptyView("s"), numbered([start(), turn(), planned("x", "y"), turn("t1", "t0", 1, "go")]));

function startOf(toolId: string, more: Partial<NarratoriaEvent> = {}): EventOf<"tool:start"> {
  const [event] = numbered([{ ...toolStart(1, toolId), ...more } as ReturnType<typeof toolStart>], 50);
  if (event?.event !== "tool:start") throw new Error("it is the start of a tool");
  return event;
}

test("a turn and a tool are copied when they are first touched, and then are the draft's own", () => {
  const original = structuredClone(view);
  const draft = draftOf(view);
  const [ofTurn] = numbered([turnEnd()], 50) as [NarratoriaEvent];
  const mine = draft.ownTurn(ofTurn);
  mine?.passages.push({ kind: "text", text: "mine" });
  const tool = draft.ownTool(startOf("x"));
  if (tool !== null) tool.status = "running";
  tool?.attempts.push({ spanId: "a", status: "running", startedAt: 1, durationMs: null, exitCode: null, logCount: 0 });

  expect(view).toEqual(original);
  expect(draft.ownTurn(ofTurn)).toBe(mine);
  expect(draft.ownTool(startOf("x"))).toBe(tool);
  expect(draft.view.turns[0]).toBe(mine);
  expect(draft.view.turns[0]?.tools[0]).toBe(tool);
  // What nobody touched is shared.
  expect(draft.view.turns[1]).toBe(view.turns[1]);
  expect(draft.view.turns[0]?.tools[1]).toBe(view.turns[0]?.tools[1]);
});

test("what is not in view cannot be owned", () => {
  const draft = draftOf(view);
  const ownTurnOf = (turn_id: string | null) => draft.ownTurn(startOf("x", { turn_id }));
  expect([ownTurnOf("elsewhere"), ownTurnOf(null)]).toEqual([null, null]);
  expect(draft.ownTool(startOf("z"))).toBeNull();
  expect(draft.ownTool(startOf("x", { request_id: "another" }))).toBeNull();
  expect(draft.ownTool(startOf("x", { turn_id: "elsewhere" }))).toBeNull();
});

test("a turn that was replaced on the way to the head is owned anew, and tools added later are found", () => {
  const draft = draftOf(view);
  const event = startOf("x");
  const first = draft.ownTurn(event);
  expect(draft.ownTool(event)?.toolId).toBe("x");
  first?.tools.push({ ...(first.tools[0] as (typeof first.tools)[number]), toolId: "z" });
  expect(draft.ownTool(startOf("z"))?.toolId).toBe("z");
  draft.view.turns.splice(0, 1, { ...(view.turns[0] as (typeof view.turns)[number]), prompt: "another" });
  const second = draft.ownTurn(event);
  expect([second === first, second?.prompt]).toEqual([false, "another"]);
});

test("plans with tools of one name are told apart", () => {
  const twice = numbered([start(), turn(), planned("x")]);
  const again = numbered([planned("x")], 4).map((event) =>
    event.event === "plan:create" && event.status === "accepted"
      ? { ...event, request_id: "q", data: { ...event.data, plan: { ...event.data.plan, requestId: "q" } } }
      : event,
  );
  const draft = draftOf(foldView(emptyView("s"), [...twice, ...again]));
  expect(draft.ownTool(startOf("x", { request_id: "q" }))).toBe(draft.view.turns[0]?.tools[1]);
  expect(draft.ownTool(startOf("x"))).toBe(draft.view.turns[0]?.tools[0]);
});

describe("[Z1.7] a turn's page", () => {
  const NOTE = leftOut("x");
  const small = ofWeight(100);
  const large = ofWeight(MOST_PAGE_BYTES - 100);
  const tooMuch = ofWeight(101);

  test.each([0, 1, 1_000, MOST_PASSAGES, MOST_PASSAGES + 1, MOST_PASSAGES + 2])(
    "holds two thousand passages, then says once that there were more, also when %d were there before",
    (before) => {
      const all = Array<Passage>(MOST_PASSAGES).fill(small);
      expect(pageOf(all, before)).toEqual(all);
      expect(pageOf([...all, small, small], before)).toEqual([...all, NOTE]);
    },
  );

  test.each<[what: string, given: Passage[], shown: Passage[]]>([
    ["what fills it to the last byte", [large, small], [large, small]],
    ["not one byte more", [large, tooMuch], [large, NOTE]],
    ["one note", [large, tooMuch, tooMuch], [large, NOTE]],
    ["what still fits after that", [large, tooMuch, small, small], [large, NOTE, small]],
    ["not what is too much by itself", [ofWeight(MOST_PAGE_BYTES + 1), small], [NOTE, small]],
  ])("holds a mebibyte: %s, in one go or in two", (_, given, shown) => {
    for (let before = 0; before <= given.length; before++) expect(pageOf(given, before)).toEqual(shown);
  });

  test("belongs to its turn: others have room, and what is of no turn in view has none", () => {
    const draft = draftOf(view);
    draft.addShown(startOf("x"), large);
    draft.addShown(startOf("x", { turn_id: "t1" }), large);
    draft.addShown(startOf("x", { turn_id: "elsewhere" }), large);
    expect(draft.view.turns.map(({ passages }) => passages.filter(({ kind }) => kind !== "text"))).toEqual([
      [large],
      [large],
    ]);
  });

  /** What is on it besides the plan's text; of the passages so many come in an earlier fold. */
  function pageOf(passages: readonly Passage[], before: number): Passage[] {
    const event = startOf("x");
    const first = draftOf(view);
    for (const passage of passages.slice(0, before)) first.addShown(event, passage);
    const second = draftOf(first.view);
    for (const passage of passages.slice(before)) second.addShown(event, passage);
    const [text, ...shown] = second.view.turns[0]?.passages ?? [];
    expect(text).toEqual({ kind: "text", text: "You try." });
    return shown;
  }

  function ofWeight(bytes: number): Passage {
    const empty = { kind: "problem", toolId: "x", code: "E", message: "" } as const;
    return { ...empty, message: "m".repeat(bytes - weightOf(empty)) };
  }
});
