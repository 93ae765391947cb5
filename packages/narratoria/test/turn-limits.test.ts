/** What the tools of a turn may say together, through the real turn loop, log and fold. */
import { expect, test } from "vitest";
import type { ToolEvent } from "@narratoria/tool/protocol";
import type { JsonObject } from "@narratoria/tool/json";
import { createScriptedHost, end, failure, ok, patch, planOf, type Doing, type ScriptedHost } from "./scripted-host.ts";

function offering(from: number, count: number): ToolEvent[] {
  return Array.from({ length: count }, (_, n): ToolEvent => {
    const payload = { choices: [`way ${from + n}`] };
    return { version: "0", type: "ui_event", event: "narrative_choice", payload };
  });
}

function shown(payload: JsonObject): ToolEvent {
  return { version: "0", type: "ui_event", event: "shimmer", payload };
}

function hostOf(tools: Record<string, (attempt: number) => Doing>, plan = planOf(...Object.keys(tools))): ScriptedHost {
  return createScriptedHost({
    narrate: ({ prompt, plans }) => (prompt === null || plans.length > 0 ? end("So be it.") : plan),
    tools: Object.fromEntries(Object.entries(tools).map(([skill, act]) => [skill, (_, attempt) => act(attempt)])),
  });
}

test("[Z1.7] over the limit the attempt ends as forbidden, and what came before stays in force", async () => {
  const host = hostOf({
    counter: () => ({ events: [patch({ lit: true }), ...offering(0, 1_001), patch({ lit: false })] }),
  });
  const session = await host.begin();
  await host.play(session, "go");
  const view = ok(await host.sessions.view(session));
  expect(view.turns.at(-1)?.tools[0]).toMatchObject({
    status: "failed",
    attempt: 1,
    error: { category: "forbidden", code: "TURN_LIMIT", message: "the tools of a turn may give 1000 choices in all" },
  });
  expect(view.state).toEqual({ lit: true });
  expect(view.turns.at(-1)?.choices).toHaveLength(1_000);
});

test("[Z1.7] all tools and attempts of a turn count together, and the next turn begins anew", async () => {
  const first = (attempt: number): Doing => ({
    events: offering(attempt * 1_000, 400),
    ...(attempt === 1 && { error: failure("tool_failure") }),
  });
  const plan = planOf(
    { skill: "counter", retryPolicy: { maxRetries: 1, backoffMs: 0 } },
    { skill: "lamp", dependencies: ["counter1"], required: false },
  );
  const host = hostOf({ counter: first, lamp: () => ({ events: offering(9_000, 300) }) }, plan);
  const session = await host.begin();
  const codes = async (): Promise<unknown[]> => {
    await host.play(session, "go");
    const [turn] = ok(await host.sessions.view(session)).turns.slice(-1);
    return turn?.tools.map(({ error }) => error?.code ?? null) ?? [];
  };
  // 400 and 400 of two attempts, then 200 of 300.
  expect(await codes()).toEqual([null, "TURN_LIMIT"]);
  // One attempt this time.
  expect(await codes()).toEqual([null, null]);
});

test("[Z1.7] thirty-two thousand small patches pass", { timeout: 120_000, tags: "large" }, async () => {
  const host = hostOf({ counter: () => ({ events: Array.from({ length: 32_000 }, (_, n) => patch({ n })) }) });
  const session = await host.begin();
  await host.play(session, "go");
  expect(ok(await host.sessions.view(session)).state).toEqual({ n: 31_999 });
});

test("[Z1.7] a page shows what fits and says that there was more, watched or read later", async () => {
  const large = shown({ text: "x".repeat(100_000) });
  const many = Array.from({ length: 3_000 }, (_, n) => shown({ n }));
  const host = hostOf({ counter: () => ({ events: [large, patch({ text: "y".repeat(10_000) }), ...many] }) });
  const session = await host.begin();
  await host.sessions.view(session);
  const turnId = await host.play(session, "go");
  const watched = ok(await host.sessions.view(session)).turns.at(-1)?.passages ?? [];
  expect(watched.slice(0, 2)).toMatchObject([
    { kind: "placeholder", payload: "(100012 bytes, too many to be shown here: the log has them)" },
    {
      kind: "changes",
      changes: [{ path: "/text", after: "(10002 bytes, too many to be shown here: the log has them)" }],
    },
  ]);
  // 2,000 of the tool's, the note, and what the narrator told.
  expect(watched).toHaveLength(2_002);
  expect(watched.at(-2)).toMatchObject({ kind: "problem", code: "TOO_MUCH_TO_SHOW" });
  expect(watched.at(-1)).toEqual({ kind: "text", text: "So be it." });
  await host.sessions.undo(session);
  const later = ok(await host.sessions.moveHead(session, turnId)).turns.at(-1)?.passages;
  expect(later).toEqual(watched);
});

test("[Z1.7] a page has a weight too", async () => {
  const host = hostOf({
    counter: () => ({ events: Array.from({ length: 40 }, () => shown({ text: "x".repeat(60_000) })) }),
  });
  const session = await host.begin();
  await host.play(session, "go");
  const turn = ok(await host.sessions.view(session)).turns.at(-1);
  expect(turn?.passages).toHaveLength(17 + 2);
  expect(JSON.stringify(turn).length).toBeLessThan(1_100_000);
});

test("a state that somebody was given stays as it was while patches go on", async () => {
  const host = hostOf(
    {
      counter: () => ({ events: [patch({ wide: { a: 1 } })] }),
      lamp: () => ({ events: [patch({ wide: { a: 2, b: 1 } }), patch({ wide: { a: 3 } })] }),
    },
    planOf("counter", { skill: "lamp", dependencies: ["counter1"] }),
  );
  const session = await host.begin();
  await host.play(session, "go");
  const given = host.calls.map(({ state }) => state);
  expect(given).toEqual([{}, { wide: { a: 1 } }]);
  expect(ok(await host.sessions.view(session)).state).toEqual({ wide: { a: 3, b: 1 } });
});
