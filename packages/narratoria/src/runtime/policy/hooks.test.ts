import { describe, expect, test } from "vitest";
import type { DraftOf } from "../../story/event.ts";
import { createFakeClock } from "../../../test/fake-clock.ts";
import { systemClock } from "../seams/clock.ts";
import { createHooks, type Gate, type GateEvent, type GateKeeper } from "./hooks.ts";

const MODIFIED = { action: "modify", data: { prompt: "stop" } };

function asked(sessionId: string): GateEvent {
  return { event: "turn:start", component: "kernel", session_id: sessionId, turn_id: "t1", data: { prompt: "go" } };
}

describe("[K1.4] one hook among others", () => {
  const gate = (name: string, priority: number, answer: unknown, more: Partial<Gate> = {}): Gate => ({
    name,
    priority,
    events: ["turn:start"],
    gate: () => answer,
    ...more,
  });
  const notes = (): GateKeeper & { noted: DraftOf<"module:invoke">[] } => {
    const noted: DraftOf<"module:invoke">[] = [];
    return { noted, askUser: () => Promise.resolve(true), note: (draft) => void noted.push(draft) };
  };

  test("is taken out once, and takes nobody else with it", async () => {
    const hooks = createHooks(systemClock);
    const [first] = ["one", "two", "three"].map((name) => hooks.register(gate(name, 1, {})));
    first?.remove();
    first?.remove();
    expect(hooks.announce("s").map(({ module: name }) => name)).toEqual(["two", "three"]);
  });

  test("is asked about what it wants to hear of, in sessions that concern it", () => {
    const hooks = createHooks(systemClock);
    hooks.register(gate("mine", 1, {}, { concerns: (id: string) => id === "s1" }));
    hooks.register({ name: "observer", priority: 1, events: ["*"], observe: () => {} });
    expect([hooks.isGated("turn:start", "s1"), hooks.isGated("turn:start", "s2")]).toEqual([true, false]);
    expect([hooks.isGated("tool:start", "s1"), hooks.isGated("plan:create", "s1")]).toEqual([false, false]);
  });

  test.each<[pattern: string, event: "turn:start" | "tool:start" | "plan:create", isHeard: boolean]>([
    ["*", "turn:start", true],
    ["turn:*", "turn:start", true],
    ["turn:start", "turn:start", true],
    ["turn:sta", "turn:start", false],
    ["turn", "turn:start", false],
    ["t*", "turn:start", false],
    ["tu:*", "turn:start", false],
    ["tool:*", "turn:start", false],
    ["start:*", "tool:start", false],
    ["", "plan:create", false],
  ])("the pattern %s hears %s: %s", (pattern, event, isHeard) => {
    const hooks = createHooks(systemClock);
    hooks.register({ ...gate("it", 1, {}), events: [pattern] });
    expect(hooks.isGated(event, "s")).toBe(isHeard);
  });

  test.each<[what: string, answer: unknown, allowed: boolean, logged: object, status: string]>([
    ["continue", { action: "continue" }, true, { action: "continue" }, "ok"],
    ["a reason", { action: "continue", reason: "why not" }, true, { action: "continue", reason: "why not" }, "ok"],
    ["deny", { action: "deny" }, false, { action: "deny" }, "ok"],
    ["modify", { action: "modify", event: { data: { prompt: "stop" } } }, true, MODIFIED, "ok"],
    ["modify without data", { action: "modify" }, false, { action: "deny" }, "error"],
    ["modify with a list", { action: "modify", event: { data: [] } }, false, { action: "deny" }, "error"],
    ["modify with no event", { action: "modify", event: "it" }, false, { action: "deny" }, "error"],
    ["data without modify", { action: "continue", event: { data: {} } }, true, { action: "continue" }, "ok"],
    ["a word", "continue", false, { action: "deny" }, "error"],
    ["nothing", undefined, false, { action: "deny" }, "error"],
    ["another word", { action: "allow" }, false, { action: "deny" }, "error"],
    ["its own failure", { action: "continue", failed: true }, true, { action: "continue" }, "error"],
    ["no failure", { action: "continue", failed: "yes" }, true, { action: "continue" }, "ok"],
  ])("the answer is %s", async (_, answer, allowed, logged, status) => {
    const hooks = createHooks(systemClock);
    hooks.register(gate("it", 1, answer));
    const keeper = notes();
    const verdict = await hooks.pass(asked("s"), keeper);
    expect(verdict.kind).toBe(allowed ? "pass" : "deny");
    expect(keeper.noted).toEqual([
      {
        event: "module:invoke",
        component: "kernel",
        module: "it",
        status,
        duration_ms: expect.any(Number) as number,
        data: { op: "on_event", event: "turn:start", ...logged, allowed },
      },
    ]);
  });

  test("what was changed is what the next is asked about; without a change there is none", async () => {
    const hooks = createHooks(systemClock);
    const heard: unknown[] = [];
    hooks.register(gate("first", 1, { action: "modify", event: { data: { louder: true } } }));
    hooks.register({ ...gate("second", 2, {}), gate: ({ data }) => (heard.push(data), { action: "continue" }) });
    expect(await hooks.pass(asked("s"), notes())).toEqual({ kind: "pass", changed: { prompt: "go", louder: true } });
    expect(heard).toEqual([{ prompt: "go", louder: true }]);
    const others = createHooks(systemClock);
    others.register(gate("only", 1, { action: "continue" }));
    expect(await others.pass(asked("s"), notes())).toEqual({ kind: "pass", changed: null });
  });

  test("what a gate changes without saying so changes nothing", async () => {
    const hooks = createHooks(systemClock);
    const event = asked("s");
    const gateThatWrites = ({ data }: GateEvent): object => {
      Object.assign(data, { prompt: "other" });
      return { action: "continue" };
    };
    hooks.register({ ...gate("it", 1, {}), gate: gateThatWrites });
    expect(await hooks.pass(event, notes())).toEqual({ kind: "pass", changed: null });
    expect(event.data).toEqual({ prompt: "go" });
  });

  test("without a reason the player reads who said no; a question is told as the hook's own", async () => {
    const hooks = createHooks(systemClock);
    hooks.register(gate("the judge", 1, { action: "deny" }));
    expect(await hooks.pass(asked("s"), notes())).toEqual({ kind: "deny", reason: "the judge did not allow it" });
    const asking = createHooks(systemClock);
    asking.register(gate("judge", 1, { action: "ask_user", reason: "Really?" }));
    const questions: string[] = [];
    const askUser = (question: string): Promise<boolean> => (questions.push(question), Promise.resolve(false));
    const verdict = await asking.pass(asked("s"), { ...notes(), askUser });
    expect(verdict).toEqual({ kind: "deny", reason: "Really?" });
    expect(questions.map((text) => text.replaceAll(/[\u2068\u2069]/g, ""))).toEqual([
      "The hook “judge” asks: “Really?”",
    ]);
    expect(await asking.pass(asked("s"), notes())).toEqual({ kind: "pass", changed: null });
  });

  test("who does not answer within two seconds has denied, and how long it took is noted", async () => {
    const clock = createFakeClock();
    const hooks = createHooks(clock);
    hooks.register({ ...gate("slow", 1, {}), gate: () => new Promise(() => {}) });
    const keeper = notes();
    const verdict = await clock.runUntil(hooks.pass(asked("s"), keeper));
    expect(verdict).toEqual({ kind: "deny", reason: "slow did not answer within 2000 ms" });
    expect(keeper.noted).toMatchObject([{ status: "error", duration_ms: 2_000, data: { action: "deny" } }]);
  });

  test("who answered is waited for no longer", async () => {
    const waiting = new Set<object>();
    const after = (): { cancel(): void } => {
      const timer = { cancel: (): void => void waiting.delete(timer) };
      waiting.add(timer);
      return timer;
    };
    const hooks = createHooks({ ...systemClock, after });
    hooks.register(gate("it", 1, { action: "continue" }));
    await hooks.pass(asked("s"), notes());
    expect(waiting.size).toBe(0);
  });
});
