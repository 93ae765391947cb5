/** What a place in the tree of turns knows: its state, however far back it lies, and what a fork has of its parent. */
import { describe, expect, test } from "vitest";
import { atOnce } from "../src/runtime/execution/slices.ts";
import { createAncestry } from "../src/runtime/turns/ancestry.ts";
import { stateAfter } from "../src/runtime/turns/state-after.ts";
import { createScriptedHost, end, ok, patch, planOf, type ScriptedHost } from "./scripted-host.ts";

/** Each prompt is written into the state by a tool. */
function open(): ScriptedHost {
  return createScriptedHost({
    state: { said: "nothing", oil: 3 },
    narrate: ({ prompt, plans }) =>
      prompt === null || plans.length > 0 ? end("told") : planOf({ skill: "lamp", input: { prompt } }),
    tools: {
      lamp: ({ input }) => {
        const prompt = input["prompt"] as string;
        return { events: [patch({ said: prompt, [prompt]: 1 })] };
      },
    },
  });
}

describe("[K1.1] the state after a turn", () => {
  test("is what every patch on the way to it made, whichever turn it is", async () => {
    const { store, sessions, begin, play } = open();
    const session = await begin();
    const initial = () => createAncestry(store).initialState(session);
    const after = (turnId: string | null) => atOnce(stateAfter(store, turnId, initial));
    const turnIds: string[] = [];
    for (let number = 1; number <= 18; number++) turnIds.push(await play(session, `p${number}`));
    for (const [index, turnId] of turnIds.entries()) {
      const said = Object.fromEntries(Array.from({ length: index + 1 }, (_, n) => [`p${n + 1}`, 1]));
      expect(after(turnId)).toEqual({ oil: 3, said: `p${index + 1}`, ...said });
    }
    expect(after(null)).toEqual({ said: "nothing", oil: 3 });
    await sessions.close();
  });

  test("is found without going far back: a snapshot is kept every eight turns, and no other", async () => {
    const { store, sessions, begin, play } = open();
    const session = await begin();
    for (let number = 1; number <= 17; number++) await play(session, `p${number}`);
    const kept = store.turnsOf(session).filter(({ turnId }) => store.snapshot(turnId) !== null);
    expect(kept.map(({ number }) => number)).toEqual([0, 8, 16]);
    await sessions.close();
  });
});

describe("[K1.3] a fork", () => {
  test("has what belongs to its parent as a whole, in order and only from before it; titles and marks are its own", async () => {
    const { store, sessions, begin, play } = open();
    const parent = await begin();
    const turnId = await play(parent, "go");
    ok(await sessions.setContext(parent, "mood", "calm"));
    ok(await sessions.rename(parent, "Before"));
    const fork = ok(await sessions.fork(parent, turnId)).sessionId;
    ok(await sessions.setContext(parent, "mood", "late"));
    ok(await sessions.setContext(fork, "mood", "wild"));
    const grandchild = ok(await sessions.fork(fork, turnId)).sessionId;
    const { sessionEvents, initialState } = createAncestry(store);
    const moods = (of: string) => sessionEvents(of, "context:set").map(({ data }) => data.value);
    expect([moods(parent), moods(fork), moods(grandchild)]).toEqual([
      ["calm", "late"],
      ["calm", "wild"],
      ["calm", "wild"],
    ]);
    expect(sessionEvents(parent, "session:title")).toHaveLength(1);
    expect(sessionEvents(fork, "session:title")).toEqual([]);
    const mixed = sessionEvents(grandchild, "context:set", "session:start").map(({ event }) => event);
    expect(mixed).toEqual(["session:start", "context:set", "context:set"]);
    expect(initialState(grandchild)).toEqual({ said: "nothing", oil: 3 });
    await sessions.close();
  });
});
