/** What a session says of itself: in lists, one turn at a time, and to a host that has just opened it. */
import { describe, expect, test } from "vitest";
import type { ToolEvent } from "@narratoria/tool/protocol";
import { isRefusal } from "../src/runtime/seams/session-service.ts";
import { formatLogLine } from "../src/runtime/sessions/session-lists.ts";
import { recordOf, type Damage } from "../src/runtime/seams/store.ts";
import { logged, numbered } from "./told-events.ts";
import type { EventOf } from "../src/story/event.ts";
import { createScriptedHost, end, failure, ok, patch, planOf, type ScriptedHostOptions } from "./scripted-host.ts";

const ASSET: ToolEvent = {
  version: "0",
  type: "asset",
  assetId: "a",
  kind: "image",
  mediaType: "image/png",
  path: "a.png",
};
const messageOf = (answer: unknown): string => (isRefusal(answer) ? answer.message : "");

describe("[K1.7] a session that was opened anew", () => {
  /** Remembers every prompt but one; alpha always fails, and the player stops "wait". */
  const options = (file: Pick<ScriptedHostOptions, "store">): ScriptedHostOptions => ({
    ...file,
    narrate: async ({ prompt, plans }, signal) => {
      if (prompt === "wait") await new Promise((go) => signal.addEventListener("abort", go));
      if (prompt === "try" && plans.length === 0) return planOf({ skill: "alpha", required: false });
      return end(`${prompt}`, { memory: prompt, choices: [{ label: `after ${prompt}` }] });
    },
    tools: { alpha: () => ({ error: failure("tool_failure") }) },
  });

  test("has the memory, the health and the choices of before, also after turns that said nothing of them", async () => {
    const warm = createScriptedHost(options({}));
    const session = await warm.begin();
    for (const prompt of ["try", "try"]) await warm.play(session, prompt);
    const stopped = async (): Promise<void> => {
      ok(await warm.sessions.prompt(session, "wait"));
      ok(await warm.sessions.cancel(session));
    };
    for (let times = 0; times < 4; times++) await stopped();
    const cold = createScriptedHost(options({ store: warm.store }));
    await cold.play(session, "look");
    const asked = cold.questions.at(-1);
    expect(asked?.context.memory).toBe("try");
    expect(asked?.context.choices).toEqual([{ id: expect.any(String), label: "after try" }]);
    const turn = ok(await cold.sessions.view(session)).turns.at(-1);
    const health = cold.store.turnEvents(turn?.turnId ?? "", ["turn:end"]).map(({ data }) => data.health);
    expect(health).toMatchObject([{ alpha: { consecutiveFailures: 2 } }]);
    expect(asked?.context.history.map(({ prompt }) => prompt)).toEqual([null, "try", "try", ...Array(4).fill("wait")]);
    await cold.sessions.close();
  });
});

describe("what lists show", () => {
  test("[U1.3] a session with its turns so far, and how its last one begins, on one line", async () => {
    const host = createScriptedHost({
      narrate: async ({ prompt, plans }, _, stage) => {
        if (prompt === null || plans.length > 0) {
          if (plans.length > 0) await stage.tell("Nothing\n\nhappens.");
          return end(prompt === null ? "It begins." : "x".repeat(300));
        }
        await stage.tell("You wait.");
        return planOf("lamp");
      },
    });
    const session = await host.begin();
    const [fresh] = await host.sessions.list();
    expect(fresh).toMatchObject({ sessionId: session, turnCount: 1, excerpt: "It begins.", ended: false });
    await host.play(session, "go");
    const [played] = await host.sessions.list();
    expect(played?.turnCount).toBe(2);
    expect(played?.excerpt).toBe(`You wait. Nothing happens. ${"x".repeat(300)}`.slice(0, 160));
    await host.sessions.close();
  });

  test("[U1.4] the tree of turns: where the head is, what is marked, what was typed", async () => {
    const host = createScriptedHost({ narrate: ({ prompt }) => end(`${prompt}`) });
    const session = await host.begin();
    const first = await host.play(session, "left");
    ok(await host.sessions.undo(session));
    const second = await host.play(session, "right");
    ok(await host.sessions.bookmark(session, first, "the cave"));
    const [opening, ...others] = ok(await host.sessions.tree(session));
    expect(opening).toMatchObject({ number: 0, prompt: null, parentTurnId: null, isOnHeadPath: true });
    const parentTurnId = opening?.turnId;
    expect(others).toMatchObject([
      { turnId: first, number: 1, prompt: "left", bookmark: "the cave", isOnHeadPath: false, parentTurnId },
      { turnId: second, number: 1, prompt: "right", bookmark: null, isOnHeadPath: true, parentTurnId },
    ]);
    await host.sessions.close();
  });

  test("[U1.6] a log line is cut where that was asked, and then says how long it is", () => {
    const [line] = numbered([logged("a long line", { n: 1 })], 7) as EventOf<"tool:event">[];
    if (line === undefined) throw new Error("no line");
    const whole = { seq: 7, number: 3, ts: 7, level: "info", message: "a long line", fields: { n: 1 } };
    expect(formatLogLine(line, 3)).toEqual(whole);
    expect(formatLogLine(line, 3, 6)).toEqual({ ...whole, message: "a long", fields: null, length: 11 });
    expect(formatLogLine(line, 3, 11)).toEqual({ ...whole, fields: null });
  });
});

describe("one turn", () => {
  test("[U1.6] while its plan runs, the plan is there without a result; the state at any turn can be asked for", async () => {
    const host = createScriptedHost({
      state: { oil: 3 },
      narrate: ({ prompt, plans }) => (prompt === null || plans.length > 0 ? end("told") : planOf("lamp", "bell")),
      tools: { lamp: () => ({ events: [patch({ oil: 2 })] }), bell: () => ({ takesMs: 1e8 }) },
    });
    const session = await host.begin();
    const { turnId } = ok(await host.sessions.prompt(session, "go"));
    while (host.calls.length < 2) await new Promise((go) => setImmediate(go));
    const running = ok(await host.sessions.turn(session, turnId));
    expect(running.plans).toMatchObject([
      { plan: { tools: [{ toolId: "lamp1" }, { toolId: "bell2" }] }, result: null },
    ]);
    ok(await host.sessions.cancel(session));
    const ended = ok(await host.sessions.turn(session, turnId));
    expect(ended.plans).toMatchObject([{ result: { success: false, aggregatedState: { oil: 2 } } }]);
    expect(await host.sessions.stateAt(session, turnId)).toEqual({ turnId, state: { oil: 2 } });
    const opening = ended.turn.parentTurnId ?? "";
    expect(await host.sessions.stateAt(session, opening)).toEqual({ turnId: opening, state: { oil: 3 } });
    expect(messageOf(await host.sessions.stateAt(session, "nowhere"))).toContain("nowhere");
    await host.sessions.close();
  });
});

test("[N1.4] what cannot be done is refused in words, and changes nothing", async () => {
  const host = createScriptedHost({ narrate: ({ prompt }) => end(`${prompt}`) });
  const session = await host.begin();
  const { sessions } = host;
  const before = ok(await sessions.view(session));
  const opening = before.headTurnId ?? "";
  const refusals = [
    [await sessions.undo(session), "this is the beginning: there is nothing to undo"],
    [await sessions.prompt(session, " \n"), "say something first"],
    [await sessions.prompt(session, "ä".repeat(32 * 1024 + 1)), "a prompt may have 64 KiB at most"],
    [await sessions.resume(session, opening), "this turn was not interrupted"],
    [await sessions.discard(session, opening), "this turn was not interrupted"],
  ] as const;
  for (const [answer, message] of refusals) expect(messageOf(answer)).toBe(message);
  expect(messageOf(await sessions.why(session, "oil"))).toContain("no JSON pointer");
  expect(ok(await sessions.view(session))).toEqual(before);
  expect(isRefusal(await sessions.prompt(session, "ä".repeat(32 * 1024)))).toBe(false);
  await sessions.idle(session);
  await sessions.close();
});

describe("[K1.1] a session in which no turn has begun", () => {
  test("can be looked at; there is nothing to undo, to take again, or to say where it came from", async () => {
    const host = createScriptedHost({ narrate: () => end("told") });
    const story = { dir: "/story", title: "S", version: null };
    const data = { plan: { goal: "g", inputs: { state: { oil: 3 } } }, story };
    const start = {
      id: "e",
      ts: 1,
      seq: 1,
      session_id: "s",
      event: "session:start",
      component: "kernel",
      data,
    } as const;
    host.store.append([recordOf(start)]);
    const { sessions } = host;
    expect(ok(await sessions.view("s"))).toMatchObject({ turns: [], headTurnId: null, state: { oil: 3 } });
    expect(await sessions.tree("s")).toEqual([]);
    expect(await sessions.why("s", "/oil")).toEqual({ path: "/oil", value: 3, setBy: null, before: [] });
    expect(await sessions.list()).toMatchObject([{ sessionId: "s", turnCount: 0, excerpt: "" }]);
    expect(messageOf(await sessions.undo("s"))).toBe("this is the beginning: there is nothing to undo");
    expect(messageOf(await sessions.retry("s"))).toBe("there is no turn to take again");
    await host.play("s", "go");
    expect(ok(await sessions.view("s")).turns).toMatchObject([{ number: 0, prompt: "go", parentTurnId: null }]);
    await sessions.close();
  });
});

describe("[T4.3] an asset", () => {
  test("is asked for by the event that told of it; what told of none has none", async () => {
    const host = createScriptedHost({
      narrate: ({ prompt, plans }) => (prompt === null || plans.length > 0 ? end("told") : planOf("lamp")),
      tools: { lamp: () => ({ events: [patch({ oil: 2 }), ASSET] }) },
    });
    const session = await host.begin();
    const turnId = await host.play(session, "go");
    for (const { id } of host.store.turnEvents(turnId))
      expect(await host.sessions.asset(id)).toMatchObject({ code: "not_found", message: `there is no asset "${id}"` });
    await host.sessions.close();
  });
});

test("[K1.1] a session is not exported when it, or one it was forked from, is not what was written", async () => {
  const host = createScriptedHost({ narrate: () => end("told") });
  const parent = await host.begin();
  const turnId = ok(await host.sessions.view(parent)).headTurnId ?? "";
  const { sessionId: fork } = ok(await host.sessions.fork(parent, turnId));
  let damage: Damage = { kind: "altered", seq: 2 };
  let whose = "";
  host.store.searchDamage = function* searchDamage(sessionId) {
    yield;
    return sessionId === whose ? [damage] : [];
  };
  const exported = async (id: string): Promise<string> => messageOf(await host.sessions.export(id));
  expect([await exported(parent), await exported(fork)]).toEqual(["", ""]);
  whose = parent;
  for (const id of [parent, fork]) expect(await exported(id)).toMatch(/^Event 2 of this story is not what was written/);
  damage = { kind: "missing", after: 4, before: 7 };
  expect(await exported(fork)).toMatch(/^Event 5 of this story/);
  whose = fork;
  expect(await exported(parent)).toBe("");
  await host.sessions.close();
});
