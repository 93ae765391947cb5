/** What a narrator is told does not depend on whether its session was open already, or on what a page shows of it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { StoryContext } from "../src/runtime/seams/narrator.ts";
import { createScriptedHost, end, eventsNamed, ok, streamOf, type ScriptedHost } from "./scripted-host.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "narratoria-warm-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const TURNS = 45;

function open(words = 3): ScriptedHost {
  return createScriptedHost({
    file: join(folder, "narratoria.db"),
    narrate: ({ prompt, plans }) =>
      prompt !== null && plans.length === 0
        ? { kind: "plan", plan: { narrative: `Before ${prompt}.`, tools: [{ toolId: "l", toolPath: "lamp" }] } }
        : end(`${prompt ?? "It begins"}. ${"word ".repeat(words)}`, { choices: [{ label: `after ${prompt}` }] }),
  });
}

async function playOn(host: ScriptedHost, session: string, turns: number): Promise<void> {
  for (let turn = 1; turn <= turns; turn++) await host.play(session, `prompt ${turn}`);
}

/** What the narrator is told when something is typed now; the turn is taken back again. */
async function toldNow(host: ScriptedHost, session: string): Promise<Pick<StoryContext, "history" | "choices">> {
  const questions = host.questions.length;
  await host.play(session, "and now?");
  ok(await host.sessions.undo(session));
  const { history, choices } = host.questions[questions]?.context ?? { history: [], choices: [] };
  return { history, choices };
}

describe("[N1.1] [K1.7] [G1.7] the same moment is told alike", () => {
  test("in a session that was open all the time, after a reload, after an undo, and in a fork", async () => {
    const host = open();
    const session = await host.begin();
    await playOn(host, session, TURNS - 1);
    const warm = await toldNow(host, session);
    expect(warm.history).toHaveLength(TURNS);
    expect(warm.history[0]).toEqual({ prompt: null, narrative: "It begins. word word word " });
    expect(warm.history.at(-1)).toEqual({
      prompt: `prompt ${TURNS - 1}`,
      narrative: `Before prompt ${TURNS - 1}.\n\nprompt ${TURNS - 1}. word word word `,
    });
    expect(warm.choices).toMatchObject([{ label: `after prompt ${TURNS - 1}` }]);
    expect(await toldNow(host, session)).toEqual(warm);
    const head = ok(await host.sessions.view(session)).headTurnId ?? "";
    const { sessionId: fork } = ok(await host.sessions.fork(session, head));
    expect(await toldNow(host, fork)).toEqual(warm);
    await host.sessions.close();

    const again = open();
    expect(await toldNow(again, session)).toEqual(warm);
    expect(await toldNow(again, fork)).toEqual(warm);
    expect(await toldNow(again, session)).toEqual(warm);
    await again.sessions.close();
  });

  test("when more was told than a narrator can be told, and it is announced each time", async () => {
    const host = open(1_000);
    const session = await host.begin();
    await playOn(host, session, 60);
    const warm = await toldNow(host, session);
    expect(warm.history.length).toBeGreaterThan(5);
    expect(warm.history.length).toBeLessThan(20);
    const kept = host.turnSessions.get(session)?.state().tellings ?? [];
    expect(kept.length).toBeGreaterThan(warm.history.length);
    expect(kept.length).toBeLessThan(60);
    await host.sessions.close();
    const again = open(1_000);
    expect(await toldNow(again, session)).toEqual(warm);
    expect(again.turnSessions.get(session)?.state().tellings).toEqual(kept);
    expect(await toldNow(again, session)).toEqual(warm);
    const compactions = again.store
      .eventsAfter(session, 0, 10_000)
      .filter(({ name }) => name === "context:pre_compact");
    const sizes = compactions.map((stored) => JSON.stringify(stored.event().data));
    // The last three turns began at the same moment.
    expect(new Set(sizes.slice(-3)).size).toBe(1);
    await again.sessions.close();
  });
});

test("[K1.7] [G1.7] a turn too long to be kept at hand is missed, warm and cold, and it is announced", async () => {
  const host = open(60_000);
  const session = await host.begin();
  const compacted = (of: ScriptedHost): unknown[] => {
    const events = streamOf(of.store, session);
    return eventsNamed(events, "context:post_compact").map(({ data }) => data);
  };
  expect(await toldNow(host, session)).toMatchObject({ history: [] });
  expect(compacted(host)).toEqual([{ delta_bytes: 0, turns: 1 }]);
  await host.sessions.close();
  const again = open(60_000);
  expect(await toldNow(again, session)).toMatchObject({ history: [] });
  expect(compacted(again)).toEqual([
    { delta_bytes: 0, turns: 1 },
    { delta_bytes: 0, turns: 1 },
  ]);
  await again.sessions.close();
});

test("[N1.1] a host that looked at a session before it plays on tells the same", async () => {
  const host = open();
  const session = await host.begin();
  await playOn(host, session, TURNS - 1);
  await host.sessions.close();
  const looked = open();
  await looked.sessions.view(session);
  await looked.sessions.tree(session);
  const told = await toldNow(looked, session);
  expect(told.history).toHaveLength(TURNS);
  await looked.sessions.close();
});
