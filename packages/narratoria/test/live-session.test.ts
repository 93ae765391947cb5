/** What an open session keeps at hand: its view for those who look, of a bounded length, folded only when they do. */
import { describe, expect, test } from "vitest";
import { createScriptedHost, end, logLine, ok, patch, planOf, type ScriptedHost } from "./scripted-host.ts";

function open(): ScriptedHost {
  return createScriptedHost({ narrate: ({ prompt }) => end(`Told ${prompt}.`) });
}

describe("a long session's view", () => {
  test("has its latest turns, however many there were, and says how many lie before them", async () => {
    const host = open();
    const session = await host.begin();
    for (let turn = 1; turn <= 130; turn++) {
      await host.play(session, `prompt ${turn}`);
      const view = ok(await host.sessions.view(session));
      expect(view.turns.length).toBeLessThanOrEqual(100);
      expect(view.turns.at(-1)?.prompt).toBe(`prompt ${turn}`);
      expect(view.turns.map(({ number }) => number)).toEqual(
        view.turns.map((_, n) => turn - view.turns.length + 1 + n),
      );
      expect(view.turnCount).toBe(turn + 1);
    }
    // Short again after it became too long, and growing since.
    expect(ok(await host.sessions.view(session)).turns.length).toBeGreaterThan(50);
  });

  test("is the same whether somebody looked all the time or only now", async () => {
    const [watched, alone] = [open(), open()];
    const views: unknown[] = [];
    for (const host of [watched, alone]) {
      const session = await host.begin();
      await host.sessions.view(session);
      for (let turn = 1; turn <= 30; turn++) {
        await host.play(session, `prompt ${turn}`);
        if (host === watched) await host.sessions.view(session);
      }
      const view = ok(await host.sessions.view(session));
      views.push(view.turns.map(({ prompt, passages, number }) => ({ prompt, passages, number })));
    }
    expect(views[0]).toEqual(views[1]);
  });
});

test("a view that somebody holds does not change under them", async () => {
  const host = createScriptedHost({
    narrate: ({ prompt, plans }) => (prompt === null || plans.length > 0 ? end("x") : planOf("counter")),
    tools: {
      counter: () => ({
        events: Array.from({ length: 2_500 }, (_, n) => (n % 2 === 0 ? patch({ n }) : logLine(`line ${n}`))),
      }),
    },
  });
  const session = await host.begin();
  const held = ok(await host.sessions.view(session));
  const copy = structuredClone(held);
  await host.play(session, "go");
  const after = ok(await host.sessions.view(session));
  expect(held).toEqual(copy);
  expect(after.state).toEqual({ n: 2_498 });
  const [tool] = after.turns.at(-1)?.tools ?? [];
  expect(tool?.logCount).toBe(1_250);
});
