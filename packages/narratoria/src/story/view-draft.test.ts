import { expect, test } from "vitest";
import { numbered, planned, start, toolStart, turn, turnEnd } from "../../test/told-events.ts";
import type { EventOf, NarratoriaEvent } from "./event.ts";
import { emptyView, foldView } from "./fold-view.ts";
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
