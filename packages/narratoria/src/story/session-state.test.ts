import { expect, test } from "vitest";
import { emptyState } from "./session-state.ts";
import { sizeOf } from "./state-size.ts";

test("a session of which nothing is known has no story, no head, nothing to remember, and goes on", () => {
  const state = emptyState("s");
  expect(state).toEqual({
    sessionId: "s",
    story: { dir: "", title: "", version: null },
    head: null,
    state: {},
    stateSize: sizeOf({}),
    memory: null,
    health: {},
    context: new Map(),
    enabledSkills: new Map(),
    tellings: [],
    ended: false,
    seq: 0,
  });
});
