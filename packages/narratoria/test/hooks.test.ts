/** Hooks around real turns: observers that misbehave, and gates that say no, change things, ask, or say nothing. */
import { describe, expect, test, vi } from "vitest";
import type { GateEvent } from "../src/runtime/policy/hooks.ts";
import { HookFailed } from "../src/runtime/policy/observers.ts";
import type { NarratoriaEvent } from "../src/story/event.ts";
import type { SessionView, TurnView } from "../src/story/session-view.ts";
import { createFakeClock } from "./fake-clock.ts";
import {
  createScriptedHost,
  end,
  eventsNamed,
  ok,
  patch,
  planOf,
  streamOf,
  type ScriptedHost,
} from "./scripted-host.ts";

const open = (more: object = {}): ScriptedHost =>
  createScriptedHost({
    narrate: ({ prompt, plans }) =>
      prompt === null || plans.length > 0 ? end(`told ${prompt}`) : planOf({ skill: "lamp", input: { n: 1 } }),
    ...more,
  });
const breathe = async (): Promise<void> => {
  for (let round = 0; round < 10; round++) await new Promise((go) => setImmediate(go));
};
const lastTurn = async (host: ScriptedHost, session: string): Promise<TurnView | undefined> =>
  ok(await host.sessions.view(session)).turns.at(-1);

/** A gate is told more than the event will hold: a tool's input, say. */
const told = (event: GateEvent, field: string): unknown => Reflect.get(event.data, field);

describe("[K1.4] observers", () => {
  test("hear of what matches, in order, by priority, ties by registration; and are in the log", async () => {
    const host = open();
    const heard: string[] = [];
    const observer = (name: string, priority: number, event: string) =>
      host.hooks.register({
        name,
        priority,
        events: [event],
        observe: (happened) => void heard.push(`${name} ${happened.event}`),
      });
    observer("ten", 10, "turn:*");
    observer("five", 5, "turn:end");
    observer("five too", 5, "turn:end");
    const session = await host.begin();
    await breathe();
    expect(heard.filter((line) => line.endsWith("turn:end"))).toEqual([
      "five turn:end",
      "five too turn:end",
      "ten turn:end",
    ]);
    expect(heard).toContain("ten turn:start");
    const registered = eventsNamed(streamOf(host.store, session), "hook:register");
    expect(registered.map(({ module, data }) => `${module} ${data.event}`)).toEqual([
      "five turn:end",
      "five too turn:end",
      "ten turn:*",
    ]);
    const fork = ok(await host.sessions.fork(session, (await lastTurn(host, session))?.turnId ?? "")).sessionId;
    expect(eventsNamed(streamOf(host.store, fork), "hook:register")).toEqual(registered);
  });

  test("that throw, reject or never come back change nothing, and keep nobody from hearing", async () => {
    const host = open();
    const heard: NarratoriaEvent[] = [];
    host.hooks.register({
      name: "throws",
      priority: 1,
      events: ["*"],
      observe: () => {
        throw new Error("no");
      },
    });
    host.hooks.register({
      name: "rejects",
      priority: 1,
      events: ["*"],
      observe: () => Promise.reject(new Error("no")),
    });
    host.hooks.register({ name: "sleeps", priority: 1, events: ["*"], observe: () => new Promise(() => {}) });
    host.hooks.register({ name: "hears", priority: 2, events: ["*"], observe: (event) => void heard.push(event) });
    const session = await host.begin();
    await host.play(session, "go");
    await breathe();
    expect((await lastTurn(host, session))?.status).toBe("completed");
    const others = streamOf(host.store, session).filter(({ event }) => event !== "module:invoke");
    expect(heard.map(({ seq }) => seq)).toEqual(others.map(({ seq }) => seq));
  });

  test("that are slow hear everything all the same, each event once and in the log's order", async () => {
    const patches = Array.from({ length: 1_500 }, (_, n) => patch({ n }));
    const host = open({ tools: { lamp: () => ({ events: patches }) } });
    const slow = Promise.withResolvers<void>();
    const heard: unknown[] = [];
    const observe = ({ seq }: NarratoriaEvent): Promise<void> => (heard.push(seq), slow.promise);
    const { remove } = host.hooks.register({ name: "slow", priority: 1, events: ["*", "tool:*"], observe });
    const session = await host.begin();
    await host.play(session, "go");
    const told = (): unknown[] => streamOf(host.store, session).map(({ seq }) => seq);
    expect(heard).toEqual([1]);
    const all = told();
    slow.resolve();
    await vi.waitUntil(() => heard.length >= all.length, { timeout: 20_000 });
    expect(heard).toEqual(all);
    remove();
    await host.play(session, "go");
    await breathe();
    expect(heard).toEqual(all);
  });

  test("that do not answer three times running miss what waits for them by then, and hear what comes later", async () => {
    const patches = Array.from({ length: 10 }, (_, n) => patch({ n }));
    const host = open({ tools: { lamp: () => ({ events: patches }) } });
    const heard: string[] = [];
    const hold = Promise.withResolvers<void>();
    let isDeaf = true;
    const observe = async ({ event }: NarratoriaEvent): Promise<void> => {
      heard.push(event);
      await hold.promise;
      if (isDeaf) throw new HookFailed({ code: "timeout", message: "no answer" });
    };
    host.hooks.register({ name: "deaf", priority: 1, events: ["tool:*"], observe });
    const session = await host.begin();
    await host.play(session, "go");
    hold.resolve();
    const noted = (): NarratoriaEvent[] => eventsNamed(streamOf(host.store, session), "module:invoke");
    await vi.waitUntil(() => noted().length === 1, { timeout: 20_000 });
    expect(noted()).toMatchObject([
      { status: "error", error: { code: "timeout" }, data: { events: 3, failed: 3, missed: 9 } },
    ]);
    isDeaf = false;
    await host.play(session, "go");
    await vi.waitUntil(() => heard.length === 3 + 12, { timeout: 20_000 });
    expect(heard.slice(3)).toEqual(["tool:start", ...patches.map(() => "tool:event"), "tool:end"]);
  });

  test("[K1.2] what they were told is in the log, many times together, and told to nobody", async () => {
    const host = open();
    const heard: string[] = [];
    host.hooks.register({
      name: "scribe",
      priority: 1,
      events: ["turn:*", "turn:end", "module:invoke"],
      observe: async ({ event }) => void heard.push(event),
    });
    host.hooks.register({
      name: "moody",
      priority: 1,
      events: ["turn:end"],
      observe: () => Promise.reject(new HookFailed({ code: "forbidden", message: "not today" })),
    });
    const session = await host.begin();
    await host.play(session, "go");
    const noted = (): unknown[] =>
      eventsNamed(streamOf(host.store, session), "module:invoke").map(({ module, status, data, error }) => ({
        module,
        status,
        ...data,
        error: error?.code,
      }));
    await vi.waitUntil(() => noted().length === 2, { timeout: 20_000 });
    expect(noted()).toEqual([
      { module: "scribe", status: "ok", op: "on_event", events: 4, failed: 0, missed: 0, error: undefined },
      { module: "moody", status: "error", op: "on_event", events: 2, failed: 2, missed: 0, error: "forbidden" },
    ]);
    expect(heard).toEqual(["turn:start", "turn:end", "turn:start", "turn:end"]);
  });
});

describe("[K1.4] gates", () => {
  test("are asked before a prompt, a plan and each attempt; denying stops the rest", async () => {
    const host = open();
    const asked: string[] = [];
    const gate = (name: string, priority: number, answer: object) =>
      host.hooks.register({ name, priority, events: ["turn:start"], gate: () => (asked.push(name), answer) });
    gate("late", 10, { action: "continue" });
    gate("first", 5, { action: "continue" });
    gate("second", 5, { action: "deny", reason: "Not here." });
    const session = await host.begin();
    await host.play(session, "go");
    expect(asked).toEqual(["first", "second"]);
    expect(await lastTurn(host, session)).toMatchObject({ status: "cancelled", notice: "Not here." });
    expect(host.questions.map(({ prompt }) => prompt)).toEqual([null]);
  });

  test("may change what they are asked about, one after the other", async () => {
    const host = open();
    const modify = (event: string, name: string, change: (event: GateEvent) => object) =>
      host.hooks.register({
        name,
        priority: 1,
        events: [event],
        gate: (given) => ({ action: "modify", event: { data: change(given) } }),
      });
    modify("turn:start", "louder", (given) => ({ prompt: `${told(given, "prompt") as string}!` }));
    modify("turn:start", "louder still", (given) => ({ prompt: `${told(given, "prompt") as string}!` }));
    modify("tool:start", "more", (given) => ({ input: { n: (told(given, "input") as { n: number }).n + 1 } }));
    modify("plan:create", "slower", (given) => ({
      plan: { ...(told(given, "plan") as object), narrative: "Slowly." },
    }));
    const session = await host.begin();
    await host.play(session, "go");
    expect(host.questions.at(-1)?.prompt).toBe("go!!");
    expect(host.calls.map(({ input }) => input)).toEqual([{ n: 2 }]);
    expect((await lastTurn(host, session))?.passages[0]).toEqual({ kind: "text", text: "Slowly." });
  });

  test.each(["", " \n", 7, null])("that put %j in place of a prompt leave it as it was typed", async (prompt) => {
    const host = open();
    const gate = () => ({ action: "modify", event: { data: { prompt } } });
    host.hooks.register({ name: "mute", priority: 1, events: ["turn:start"], gate });
    await host.play(await host.begin(), "go");
    expect(host.questions.at(-1)?.prompt).toBe("go");
  });

  test("that deny a plan make the narrator plan again; a changed plan is checked like any other", async () => {
    const host = open();
    let plans = 0;
    host.hooks.register({
      name: "strict",
      priority: 1,
      events: ["plan:create"],
      gate: () =>
        plans++ === 0
          ? {
              action: "deny",
              reason: "Too bold.",
            }
          : {
              action: "modify",
              event: {
                data: {
                  plan: {
                    tools: [
                      {
                        toolId: "x",
                        toolPath: "/bin/rm",
                      },
                    ],
                  },
                },
              },
            },
    });
    const session = await host.begin();
    await host.play(session, "go");
    expect(
      (await lastTurn(host, session))?.plans.map(({ status, problems }) => `${status} ${problems[0]?.code}`),
    ).toEqual(["rejected DENIED"]);
    expect(host.calls).toEqual([]);
    const again = open({
      narrate: ({ prompt }: { prompt: string | null }) => (prompt === null ? end("x") : planOf("lamp")),
    });
    again.hooks.register({
      name: "rm",
      priority: 1,
      events: ["plan:create"],
      gate: () => ({ action: "modify", event: { data: { plan: { tools: [{ toolId: "x", toolPath: "/bin/rm" }] } } } }),
    });
    const other = await again.begin();
    await again.play(other, "go");
    expect(new Set((await lastTurn(again, other))?.plans.map(({ problems }) => problems[0]?.code))).toEqual(
      new Set(["PATH_FORBIDDEN"]),
    );
  });

  test.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no"))],
    ["never answers", () => new Promise(() => {})],
    ["answers nothing", () => undefined],
    ["answers nonsense", () => ({ action: "perhaps" })],
    ["answers in prose", () => "continue"],
    ["modifies into nothing", () => ({ action: "modify" })],
  ])("that %s have denied", async (_, gate) => {
    const clock = createFakeClock();
    const host = open({ clock });
    host.hooks.register({ name: "gate", priority: 1, events: ["tool:start"], gate });
    const session = await clock.runUntil(host.begin());
    const before = clock.elapsed();
    await clock.runUntil(host.play(session, "go"));
    expect(host.calls).toEqual([]);
    expect((await lastTurn(host, session))?.tools.map(({ status, error }) => `${status} ${error?.code}`)).toEqual([
      "failed DENIED",
    ]);
    expect(clock.elapsed() - before).toBeLessThanOrEqual(2_000);
  });

  test.each([
    ["yes", 1],
    ["no", 0],
  ] as const)("may leave it to the player: %s", async (answer, times) => {
    const host = open();
    host.hooks.register({
      name: "careful",
      priority: 1,
      events: ["tool:start"],
      gate: () => ({ action: "ask_user", reason: "Light it?" }),
    });
    const session = await host.begin();
    const turn = host.play(session, "go");
    const asked = async (): Promise<SessionView["asks"]> => ok(await host.sessions.view(session)).asks;
    while ((await asked()).length === 0) await new Promise((go) => setImmediate(go));
    const [ask] = await asked();
    expect(ask?.question).toMatch(/^The hook “.careful.” asks: “.Light it\?.”$/u);
    expect(ask?.answers.map(({ label }) => label)).toEqual(["Go on", "Don't"]);
    ok(await host.sessions.answer(session, ask?.askId ?? "", answer));
    await turn;
    expect(host.calls).toHaveLength(times);
    expect(eventsNamed(streamOf(host.store, session), "ask:answer")).toMatchObject([
      { status: "ok", data: { askId: ask?.askId, value: answer } },
    ]);
  });

  test("cannot change an event by reaching into it", async () => {
    const host = open();
    host.hooks.register({
      name: "sly",
      priority: 1,
      events: ["tool:start"],
      gate: (event) => (Object.assign(told(event, "input") as object, { n: 99 }), { action: "continue" }),
    });
    await host.play(await host.begin(), "go");
    expect(host.calls.map(({ input }) => input)).toEqual([{ n: 1 }]);
  });
});

test("[K1.4] that a hook was asked is logged, and told to no hook", async () => {
  const host = open();
  const heard: string[] = [];
  host.hooks.register({
    name: "all ears",
    priority: 1,
    events: ["module:invoke"],
    observe: ({ module }) => void heard.push(String(module)),
  });
  host.hooks.register({ name: "gate", priority: 1, events: ["tool:start"], gate: () => ({ action: "continue" }) });
  const session = await host.begin();
  await host.play(session, "go");
  await breathe();
  const asked = eventsNamed(streamOf(host.store, session), "module:invoke");
  expect(asked.map(({ module, data }) => [module, data])).toEqual([
    ["gate", { op: "on_event", event: "tool:start", action: "continue", allowed: true }],
  ]);
  expect(heard).toEqual([]);
});
