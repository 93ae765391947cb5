/** The fold from events to what running a story needs, without a store or a host. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  numbered,
  patched,
  planned,
  planOfTools,
  printed,
  start,
  tell,
  toolStart,
  TURN,
  turn,
  turnEnd,
} from "../../test/told-events.ts";
import { arbitraryObject } from "../../test/arbitrary-json.ts";
import type { EventDraft } from "./event.ts";
import { foldState, leavesTheState, tellingOf } from "./fold-state.ts";
import { emptyState, type HeadTurn, type SessionState } from "./session-state.ts";
import { sizeOf } from "./state-size.ts";

const fold = (...drafts: EventDraft[]): SessionState => foldState(emptyState("s"), numbered(drafts));
const headOf = (state: SessionState): HeadTurn => state.head as HeadTurn;
const remember = (key: string, value: number | null, more: object = {}): EventDraft => ({
  event: "context:set",
  component: "kernel",
  session_id: "s",
  data: { key, value, ...more },
});
const fromTurn = (draft: EventDraft): EventDraft => ({ ...draft, turn_id: "t0" });

describe("the story's state", () => {
  test("[K1.1] is what the session began with, and every patch since; its size is kept exactly", () => {
    const state = fold(start({ a: { b: 1 } }), turn(), patched({ a: { c: "two" } }), patched({ a: { b: null } }));
    expect(state.state).toEqual({ a: { c: "two" } });
    expect(state.stateSize).toBe(sizeOf(state.state));
  });

  test.each([[[1]], [null], [7], ["full"], [true]])("an input that is no object is no state: %j", (state) => {
    const begun = start();
    begun.data.plan = { ...begun.data.plan, inputs: { state } };
    expect(fold(begun).state).toEqual({});
    begun.data.plan = { ...begun.data.plan, inputs: {} };
    expect(fold(begun).state).toEqual({});
  });

  test("its size is kept exactly, whatever is patched", () => {
    fc.assert(
      fc.property(fc.array(arbitraryObject), (patches) => {
        const state = fold(start(), turn(), ...patches.map((patch) => patched(patch)));
        expect(state.stateSize).toBe(sizeOf(state.state));
      }),
    );
  });

  test("patches of a turn that the session has left count no longer for its head, yet for the state", () => {
    const late = { ...patched({ n: 1 }), turn_id: "elsewhere" };
    expect(fold(start(), turn(), late).state).toEqual({ n: 1 });
  });
});

describe("the head", () => {
  test("begins with nothing told, and knows what could be chosen before it", () => {
    const first = turnEnd({ choices: [{ label: "On" }] });
    const state = fold(start(), turn(), first, turn("t1", "t0", 1, "go on"));
    expect(state.head).toEqual({
      turnId: "t1",
      number: 1,
      status: "running",
      prompt: "go on",
      texts: [],
      isTelling: false,
      choicesBefore: [{ id: expect.any(String), label: "On" }],
      choices: [],
    });
    expect(headOf(fold(start(), turn()))).toMatchObject({ prompt: null, choicesBefore: [] });
  });

  test("is told by plans, by the narrator piece by piece, and by its end; blank texts are none", () => {
    const state = fold(start(), turn(), planned("x"), tell("Wa"), tell("it."), turnEnd({ narrative: " \n" }));
    expect(headOf(state).texts).toEqual(["You try.", "Wait."]);
    expect(tellingOf(headOf(state))).toEqual({ prompt: null, narrative: "You try.\n\nWait." });
    expect(headOf(fold(start(), turn(), tell("A"), planned("x"), tell("B"), tell("C"))).texts).toEqual([
      "A",
      "You try.",
      "BC",
    ]);
  });

  test("an end that says nothing adds nothing", () => {
    const end: EventDraft = { event: "turn:end", ...TURN, status: "completed", data: { turnId: "t0" } };
    expect(headOf(fold(start(), turn(), end))).toMatchObject({ status: "completed", texts: [], choices: [] });
  });

  test("a plan ends what was being told, also one without words of its own", () => {
    const silent: EventDraft = {
      event: "plan:create",
      ...TURN,
      request_id: "p",
      status: "accepted",
      data: { plan: { ...planOfTools("x"), narrative: "" } },
    };
    expect(headOf(fold(start(), turn(), tell("A"), silent, tell("B"))).texts).toEqual(["A", "B"]);
  });

  test("a rejected plan tells nothing", () => {
    const rejected: EventDraft = { event: "plan:create", ...TURN, status: "rejected", data: { plan: {} } };
    expect(headOf(fold(start(), turn(), rejected)).texts).toEqual([]);
  });

  test("is interrupted, resumed, and ends as its end says", () => {
    const pointer = { ...TURN, data: { turnId: "t0" } } as const;
    const begun = [start(), turn()] as const;
    const statuses = [
      fold(...begun, { event: "turn:interrupt", ...pointer }),
      fold(...begun, { event: "turn:interrupt", ...pointer }, { event: "turn:resume", ...pointer }),
      fold(...begun, turnEnd({}, "cancelled")),
    ].map((state) => headOf(state).status);
    expect(statuses).toEqual(["interrupted", "running", "cancelled"]);
  });

  test("[T4.4] gathers choices of tools and of the narrator; what is no choice changes nothing", () => {
    const offer = (...choices: string[]): EventDraft =>
      printed({ type: "ui_event", event: "narrative_choice", payload: { choices } });
    const fireworks = printed({ type: "ui_event", event: "fireworks", payload: { choices: ["Up"] } });
    const state = fold(start(), turn(), offer("North"), fireworks, turnEnd({ choices: [{ label: "Wait" }] }));
    expect(headOf(state).choices.map(({ label }) => label)).toEqual(["North", "Wait"]);
  });

  test("[T4.4] a log line offers nothing, whatever fields it has besides its own", () => {
    const odd = { type: "log", level: "info", message: "m", event: "narrative_choice", payload: { choices: ["Up"] } };
    expect(headOf(fold(start(), turn(), printed(odd as Parameters<typeof printed>[0]))).choices).toEqual([]);
  });

  test("what still comes of another turn is not the head's", () => {
    const state = fold(start(), turn(), turnEnd(), turn("t1", "t0", 1, "go"), tell("late"), turnEnd({}, "failed"));
    expect([headOf(state).texts, headOf(state).status]).toEqual([[], "running"]);
    expect(fold(start(), tell("before any turn")).head).toBeNull();
  });

  test("moving it elsewhere needs another state", () => {
    const head: EventDraft = { event: "session:head", component: "kernel", data: { reason: "undo", turnId: "t0" } };
    expect(numbered([head, turn(), turnEnd()]).map(leavesTheState)).toEqual([true, false, false]);
  });
});

describe("what is remembered", () => {
  test("[K1.7] the narrator's memory belongs to turns, everything else to the session", () => {
    const state = fold(
      start(),
      turn(),
      fromTurn(remember("narrator", 7)),
      remember("narrator", 8),
      remember("mood", 1),
      fromTurn(remember("place", 2)),
    );
    expect(state.memory).toBe(7);
    expect([...state.context]).toEqual([
      ["narrator", 8],
      ["mood", 1],
      ["place", 2],
    ]);
  });

  test("the latest value of a key counts, null too", () => {
    expect([...fold(start(), remember("mood", 1), remember("mood", null)).context]).toEqual([["mood", null]]);
  });

  test("[N1.5] a skill that is to be tried again is known with its turn, and nothing else is", () => {
    const enabled = (value: number | null, more: object = {}): EventDraft => remember("enabled_skill", value, more);
    const state = fold(start(), enabled(4, { skill: "lamp" }), enabled(5), enabled(null, { skill: "bell" }));
    expect([...state.enabledSkills]).toEqual([["lamp", 4]]);
    expect([...state.context]).toEqual([]);
  });

  test("[N1.5] health is what the latest end of a turn says, and none when it says nothing", () => {
    const health = { lamp: { consecutiveFailures: 1, status: "healthy", disabledInTurn: null } } as const;
    expect(fold(start(), turn(), turnEnd({ health })).health).toEqual(health);
    expect(
      fold(start(), turn(), turnEnd({ health }), turn("t1", "t0", 1), turnEnd({}, "completed", "t1")).health,
    ).toEqual({});
  });

  test("[N1.1] what was told before the head is kept, oldest first", () => {
    const state = fold(
      start(),
      turn(),
      turnEnd(),
      turn("t1", "t0", 1, "go"),
      turnEnd({}, "completed", "t1"),
      turn("t2"),
    );
    expect(state.tellings).toEqual([
      { prompt: null, narrative: "So it went." },
      { prompt: "go", narrative: "So it went." },
    ]);
  });
});

test("the session knows its story, its last number, and that it is over", () => {
  const state = fold(start(), turn(), { event: "session:end", component: "kernel", data: { reason: "over" } });
  expect([state.story, state.seq, state.ended]).toEqual([{ dir: "/d", title: "S", version: "1" }, 3, true]);
});

test("a session whose beginning names no story has one without a name", () => {
  const begun = start();
  delete begun.data.story;
  expect(fold(begun).story).toEqual({ dir: "", title: "", version: null });
  begun.data.story = { dir: "/d", title: "S" };
  expect(fold(begun).story).toEqual({ dir: "/d", title: "S", version: null });
});

const EVENTS: readonly EventDraft[] = [
  start({ n: 0 }),
  turn(),
  planned("x"),
  toolStart(),
  patched({ n: 1, bag: { rope: true } }),
  patched({ bag: { rope: null } }),
  tell("It "),
  tell("works."),
  fromTurn(remember("narrator", 3)),
  turnEnd({ choices: [{ label: "On" }] }),
  remember("mood", 2),
  turn("t1", "t0", 1, "go"),
  turnEnd({}, "failed", "t1"),
];

test("folding one by one, or in any pieces, equals folding all at once; what the caller holds is not changed", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(EVENTS.length)), (cuts) => {
      const events = numbered(EVENTS);
      const places = [0, ...cuts.toSorted((a, b) => a - b), events.length];
      let state = emptyState("s");
      for (const [index, to] of places.entries()) {
        const before = structuredClone(state);
        const held = state;
        state = foldState(state, events.slice(places[index - 1] ?? 0, to));
        expect(held).toEqual(before);
      }
      expect(state).toEqual(foldState(emptyState("s"), events));
    }),
  );
});
