/** The turn loop with a narrator and tools that do as told: replans, their limits, and every way a turn can end. */
import { expect, test } from "vitest";
import type { SessionView, TurnView } from "../src/story/session-view.ts";
import type { SkillHealth } from "../src/story/skill-health.ts";
import { createFakeClock } from "./fake-clock.ts";
import {
  createScriptedHost,
  end,
  eventsNamed,
  failure,
  ok,
  patch,
  planOf,
  streamOf,
  type ScriptedHost,
} from "./scripted-host.ts";

const failing = (category: Parameters<typeof failure>[0], code?: string) => () => ({ error: failure(category, code) });

/** The plans of a turn as the log has them: attempt, parent (by place), disabled skills. */
function plansIn(host: ScriptedHost, turnId: string): [attempt: number, parent: number | null, disabled: string[]][] {
  const plans = eventsNamed(host.store.turnEvents(turnId), "plan:create").map(({ data }) => data.plan);
  const ids = plans.map(({ requestId }) => requestId);
  return plans.map(({ metadata, disabledSkills }) => {
    const { generationAttempt = 0, parentPlanId = null } = metadata ?? {};
    return [generationAttempt, parentPlanId === null ? null : ids.indexOf(parentPlanId), disabledSkills ?? []];
  });
}

async function turnOf(host: ScriptedHost, sessionId: string): Promise<TurnView> {
  return ok(await host.sessions.view(sessionId)).turns.at(-1) as TurnView;
}

/** How the skill "alpha" was doing at the end of a turn; undefined when it was well. */
function healthAtEnd(host: ScriptedHost, turnId: string): SkillHealth | undefined {
  return eventsNamed(host.store.turnEvents(turnId), "turn:end").at(-1)?.data.health?.["alpha"];
}

const textOf = (turn: TurnView): string =>
  turn.passages.flatMap((passage) => (passage.kind === "text" ? [passage.text] : [])).join("\n");

test("[N1.2] replans carry the next attempt, the failed plan's id and the grown disabled skills", async () => {
  const host = createScriptedHost({
    narrate: ({ prompt, plans }) =>
      prompt === null || plans.length === 3
        ? end("Done.")
        : planOf((["alpha", "beta", "lamp"] as const)[plans.length] ?? ""),
    tools: { alpha: failing("tool_failure"), beta: failing("protocol_violation", "BAD_VERSION") },
  });
  const session = await host.begin();
  const turnId = await host.play(session, "light it");
  expect(plansIn(host, turnId)).toEqual([
    [1, null, []],
    [2, 0, ["alpha"]],
    [3, 1, ["alpha", "beta"]],
  ]);
  expect(host.questions.at(-1)?.disabledSkills).toEqual(["alpha", "beta"]);
  expect(textOf(await turnOf(host, session))).toBe("Done.");
});

test("[N1.2] what the narrator writes into requestId, metadata and disabledSkills is replaced", async () => {
  const plan = {
    ...(planOf("lamp") as { plan: object }).plan,
    requestId: "mine",
    metadata: { generationAttempt: 4 },
    disabledSkills: ["lamp"],
  };
  const host = createScriptedHost({
    narrate: ({ prompt, plans }) => (prompt && plans.length === 0 ? { kind: "plan", plan } : end("x")),
  });
  const session = await host.begin();
  const turnId = await host.play(session, "go");
  expect(plansIn(host, turnId)).toEqual([[1, null, []]]);
  expect((await turnOf(host, session)).plans[0]?.planId).not.toBe("mine");
  expect(host.calls.map(({ tool }) => tool.tool)).toEqual(["lamp"]);
});

test("[N1.2] [N1.4] a chain holds five plans, then the fallback quotes the prompt and offers choices", async () => {
  const host = createScriptedHost({
    narrate: ({ prompt }) =>
      prompt === null ? end("A door.", { choices: [{ label: "Knock" }] }) : planOf({ skill: "alpha", required: true }),
    tools: { alpha: failing("tool_failure") },
  });
  const session = await host.begin();
  const turnId = await host.play(session, "open the door");
  expect(plansIn(host, turnId).map(([attempt]) => attempt)).toEqual([1, 2, 3, 4, 5]);
  const turn = await turnOf(host, session);
  // From the second on the plan uses a disabled skill: it is rejected, and counts.
  expect(turn.plans.map(({ status }) => status)).toEqual(["failed", "rejected", "rejected", "rejected", "rejected"]);
  expect(turn.plans.map(({ generationAttempt }) => generationAttempt)).toEqual([1, 2, 3, 4, 5]);
  expect(turn.status).toBe("completed");
  expect(textOf(turn)).toContain("open the door");
  expect(turn.choices).toEqual([{ id: expect.any(String), label: "Knock" }]);
});

test("[N1.2] invalid plans count, whatever they are", async () => {
  const nonsense: unknown[] = [null, "a plan", 7, { tools: [{ toolId: "a", toolPath: "/bin/rm" }] }, { tools: {} }];
  const host = createScriptedHost({
    narrate: ({ prompt, plans }) => (prompt === null ? end("x") : { kind: "plan", plan: nonsense[plans.length] }),
  });
  const session = await host.begin();
  await host.play(session, "break it");
  const { plans } = await turnOf(host, session);
  expect(plans.map(({ status }) => status)).toEqual(Array(5).fill("rejected"));
  expect(plans.every(({ problems }) => problems.length > 0)).toBe(true);
  expect(host.calls).toEqual([]);
});

test("[N1.2] after a success the next plan starts at 1 without a parent; a turn has twenty plans at most", async () => {
  const host = createScriptedHost({ narrate: ({ prompt }) => (prompt === null ? end("x") : planOf("lamp")) });
  const session = await host.begin();
  const turnId = await host.play(session, "again and again");
  expect(plansIn(host, turnId)).toEqual(Array.from({ length: 20 }, () => [1, null, []]));
  expect(host.calls).toHaveLength(20);
  expect(textOf(await turnOf(host, session))).toContain("again and again");
});

test("[N1.3] only a crash or a timeout runs the same plan again, and only what failed or was skipped", async () => {
  const host = createScriptedHost({
    narrate: ({ prompt, plans }) =>
      prompt === null || plans.length > 0
        ? end("x")
        : planOf("lamp", { skill: "alpha", toolId: "crash" }, { skill: "beta", dependencies: ["crash"] }),
    tools: { alpha: (_, attempt) => (attempt === 3 ? {} : { error: failure("process_error", "EXIT_NONZERO") }) },
  });
  const session = await host.begin();
  const turnId = await host.play(session, "go");
  expect(host.calls.map(({ tool }) => tool.tool)).toEqual(["lamp", "alpha", "alpha", "alpha", "beta"]);
  expect(plansIn(host, turnId)).toHaveLength(1);
  const [planned] = ok(await host.sessions.turn(session, turnId)).plans;
  expect(planned?.result?.success).toBe(true);
  expect(planned?.result?.toolResults.map(({ state }) => state)).toEqual(["completed", "completed", "completed"]);
});

test.each([
  ["process_error", "EXIT_NONZERO", 3],
  ["timeout", "TIMEOUT", 3],
  ["process_error", "SPAWN_FAILED", 1],
  ["timeout", "LINGERED", 1],
  ["tool_failure", "FAILED", 1],
  ["protocol_violation", "MISSING_DONE", 1],
  ["forbidden", "FORBIDDEN_WRITE", 1],
] as const)("[N1.3] %s %s is executed %i times", async (category, code, times) => {
  const host = createScriptedHost({
    narrate: ({ prompt, plans }) => (prompt === null || plans.length > 0 ? end("x") : planOf("alpha")),
    tools: { alpha: failing(category, code) },
  });
  await host.play(await host.begin(), "go");
  expect(host.calls).toHaveLength(times);
});

test("[N1.3] a plan over its own time limit is not executed again", async () => {
  const clock = createFakeClock();
  const host = createScriptedHost({
    clock,
    narrate: ({ prompt, plans }) =>
      prompt === null || plans.length > 0 ? end("x") : planOf({ skill: "alpha", timeoutMs: 1e9 }),
    tools: { alpha: () => ({ takesMs: 1e9 }) },
  });
  const session = await clock.runUntil(host.begin());
  await clock.runUntil(host.play(session, "wait"));
  expect(host.calls).toHaveLength(1);
  expect((await turnOf(host, session)).tools.map(({ status }) => status)).toEqual(["timeout"]);
});

test("[N1.4] a narrator that throws leads to the fallback, and no word of the error to the player", async () => {
  const host = createScriptedHost({
    narrate: ({ prompt }) => {
      if (prompt !== null) throw new Error("stack of secrets");
      return end("x");
    },
  });
  const session = await host.begin();
  await host.play(session, "speak");
  const turn = await turnOf(host, session);
  expect(turn.status).toBe("completed");
  expect(textOf(turn)).toContain("speak");
  expect(turn.choices.length).toBeGreaterThan(0);
  expect(JSON.stringify(turn)).not.toContain("secrets");
  const [noted] = eventsNamed(streamOf(host.store, session), "module:invoke");
  expect(noted?.error?.message).toBe("stack of secrets");
});

test("[X1.5] over the turn's limit tools are cancelled, and the turn ends with the fallback", async () => {
  const clock = createFakeClock();
  const host = createScriptedHost({
    clock,
    narrate: ({ prompt }) => (prompt === null ? end("x") : planOf("lamp", "alpha", "beta")),
    tools: { alpha: () => ({ events: [patch({ begun: true })], takesMs: 1e9 }) },
    limits: { toolMs: 1e9, planMs: 1e9 },
  });
  const session = await clock.runUntil(host.begin());
  await clock.runUntil(host.play(session, "dawdle"));
  const turn = await turnOf(host, session);
  expect(turn.tools.map(({ status, error }) => `${status} ${error?.code}`)).toEqual([
    "completed undefined",
    "failed CANCELLED",
    "skipped undefined",
  ]);
  expect(turn.status).toBe("completed");
  expect(textOf(turn)).toContain("dawdle");
  expect(turn.notice).toMatch(/longer than a turn/);
  expect(ok(await host.sessions.view(session)).state).toEqual({ begun: true });
  expect(clock.elapsed()).toBeGreaterThanOrEqual(120_000);
});

test("[X1.5] [N1.4] a narrator that never answers and never listens is left behind at the limit", async () => {
  const clock = createFakeClock();
  const host = createScriptedHost({
    clock,
    narrate: ({ prompt }) => (prompt === null ? end("x") : new Promise<never>(() => {})),
  });
  const session = await clock.runUntil(host.begin());
  await clock.runUntil(host.play(session, "hello?"));
  expect(textOf(await turnOf(host, session))).toContain("hello?");
});

test("[X1.6] a cancelled turn ends its tools, keeps what they did, and leaves a complete trace", async () => {
  const host = createScriptedHost({
    narrate: ({ prompt }) => (prompt === null ? end("x", { choices: [{ label: "Stay" }] }) : planOf("alpha", "beta")),
    tools: { alpha: () => ({ events: [patch({ begun: true })], takesMs: 1e6 }) },
  });
  const session = await host.begin();
  const { turnId } = ok(await host.sessions.prompt(session, "go"));
  while (host.calls.length === 0) await new Promise((next) => setImmediate(next));
  const view = ok(await host.sessions.cancel(session));
  expect(view.turns.at(-1)?.status).toBe("cancelled");
  expect(view.choices).toEqual([{ id: expect.any(String), label: "Stay" }]);
  expect(view.state).toEqual({ begun: true });
  const events = host.store.turnEvents(turnId);
  const names = events.filter(({ event }) => event !== "tool:event").map(({ event, status }) => `${event} ${status}`);
  expect(names).toEqual([
    "turn:start undefined",
    "plan:create accepted",
    "tool:start running",
    ...["tool:end skipped", "tool:end failed"],
    "plan:end error",
    "turn:end cancelled",
  ]);
  expect(ok(await host.sessions.cancel(session)).seq).toBe(view.seq);
});

test("[N1.5] three failures degrade a skill, six disable it, after five turns it is tried again, a success heals", async () => {
  let works = false;
  const host = createScriptedHost({
    narrate: ({ prompt, plans, disabledSkills }) =>
      prompt === null || plans.length > 0 || disabledSkills.includes("alpha") ? end("x") : planOf("alpha"),
    tools: { alpha: () => (works ? {} : { error: failure("tool_failure") }) },
  });
  const session = await host.begin();
  const healthAfter = async (text: string): Promise<string> => {
    const turnId = await host.play(session, text);
    return healthAtEnd(host, turnId)?.status ?? "healed";
  };
  const statuses: string[] = [];
  for (let turn = 1; turn <= 12; turn++) statuses.push(await healthAfter(`turn ${turn}`));
  expect(statuses).toEqual([
    ...["healthy", "healthy", "degraded", "degraded", "degraded", "disabled"],
    ...Array<string>(6).fill("disabled"),
  ]);
  // Turns 7 to 11 rest, turn 12 tries again.
  expect(host.calls).toHaveLength(7);
  works = true;
  for (let turn = 13; turn <= 18; turn++) statuses.push(await healthAfter(`turn ${turn}`));
  expect(statuses.slice(12)).toEqual(["disabled", "disabled", "disabled", "disabled", "disabled", "healed"]);
});

test("[N1.5] health is part of the turn: undo takes a failure back, and what a player stops is no failure", async () => {
  const host = createScriptedHost({
    narrate: ({ prompt, plans }) => (prompt === null || plans.length > 0 ? end("x") : planOf("alpha")),
    tools: { alpha: () => (isSlow ? { takesMs: 1e6 } : { error: failure("tool_failure") }) },
  });
  let isSlow = false;
  const session = await host.begin();
  const failuresAtEnd = (turnId: string): number => healthAtEnd(host, turnId)?.consecutiveFailures ?? 0;
  await host.play(session, "one");
  expect(failuresAtEnd(await host.play(session, "two"))).toBe(2);
  ok(await host.sessions.undo(session));
  ok(await host.sessions.undo(session));
  expect(failuresAtEnd(await host.play(session, "another one"))).toBe(1);
  isSlow = true;
  const { turnId } = ok(await host.sessions.prompt(session, "stopped"));
  while (host.calls.length < 4) await new Promise((next) => setImmediate(next));
  await host.sessions.cancel(session);
  expect(failuresAtEnd(turnId)).toBe(1);
});

test("[K1.9] while a person is asked, no clock of the turn runs; the answer lets the tool start", async () => {
  const clock = createFakeClock();
  const host = createScriptedHost({
    clock,
    narrate: ({ prompt, plans }) => (prompt === null || plans.length > 0 ? end("x") : planOf("alpha")),
    manifests: { alpha: { needs: ["net.fetch"] } },
  });
  const session = await clock.runUntil(host.begin());
  const turn = host.play(session, "fetch");
  for (let round = 0; round < 20; round++) await new Promise((next) => setImmediate(next));
  const { asks } = ok(await host.sessions.view(session));
  // Not "always": this story has no folder, so what the tool is made of cannot be remembered.
  expect(asks.map(({ answers }) => answers.map(({ value }) => value))).toEqual([["once", "no"]]);
  // Nothing is left for time to move on to: every limit stands still.
  await expect(clock.runUntil(turn)).rejects.toThrow(/nothing is left to wait for/);
  expect(await host.sessions.answer(session, asks[0]?.askId ?? "", "perhaps")).toMatchObject({ kind: "refused" });
  expect(await host.sessions.answer(session, asks[0]?.askId ?? "", "once")).toEqual({ answered: true });
  await clock.runUntil(turn);
  expect(host.calls).toHaveLength(1);
  expect(ok(await host.sessions.view(session)).asks).toEqual([]);
});

test("[K1.9] [K1.5] an answer of no, or none at all, denies: the tool is never started and the view says so", async () => {
  const host = createScriptedHost({
    narrate: ({ prompt, plans }) => (prompt === null || plans.length > 0 ? end("x") : planOf("alpha")),
    manifests: { alpha: { needs: ["net.fetch"] } },
  });
  const session = await host.begin();
  const turn = host.play(session, "fetch");
  const asked = async (): Promise<SessionView["asks"]> => ok(await host.sessions.view(session)).asks;
  while ((await asked()).length === 0) await new Promise((next) => setImmediate(next));
  ok(await host.sessions.answer(session, (await asked())[0]?.askId ?? "", "no"));
  await turn;
  expect(host.calls).toEqual([]);
  expect((await turnOf(host, session)).tools.map(({ status, error }) => `${status} ${error?.code}`)).toEqual([
    "failed FORBIDDEN",
  ]);

  ok(await host.sessions.prompt(session, "fetch again"));
  while ((await asked()).length === 0) await new Promise((next) => setImmediate(next));
  await host.sessions.cancel(session);
  expect(host.calls).toEqual([]);
  const answers = eventsNamed(streamOf(host.store, session), "ask:answer");
  expect(answers.map(({ data }) => data.value)).toEqual(["no", null]);
});

test("[N1.5] the player enables a disabled skill: it is tried in the next turn", async () => {
  const host = createScriptedHost({
    narrate: ({ prompt, disabledSkills, plans }) =>
      prompt === null || plans.length > 0 || disabledSkills.includes("alpha") ? end("x") : planOf("alpha"),
    tools: { alpha: () => ({ error: failure("tool_failure") }) },
  });
  const session = await host.begin();
  for (let turn = 1; turn <= 6; turn++) await host.play(session, `turn ${turn}`);
  const triedBefore = host.calls.length;
  await host.play(session, "resting");
  expect(host.calls.length).toBe(triedBefore);
  expect(await host.sessions.enableSkill(session, "beta")).toMatchObject({ kind: "refused", code: "not_found" });
  await host.sessions.enableSkill(session, "alpha");
  await host.play(session, "again");
  expect(host.calls.length).toBeGreaterThan(triedBefore);
});
