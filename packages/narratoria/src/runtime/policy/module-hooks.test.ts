import { describe, expect, test } from "vitest";
import type { ModuleDescriptor } from "../../story/module-descriptor.ts";
import type { DraftOf, NarratoriaEvent } from "../../story/event.ts";
import { bareTool } from "../mounts/resolve-tool.ts";
import { systemClock } from "../seams/clock.ts";
import type { ModuleCall, ModuleReply } from "../seams/modules.ts";
import type { MountedStory, ResolvedTool } from "../seams/resolved-tool.ts";
import type { ModuleCaller } from "./call-module.ts";
import { createHooks, type GateEvent, type Observer } from "./hooks.ts";
import { createModuleHooks } from "./module-hooks.ts";
import { HookFailed } from "./observers.ts";

const EVENT: NarratoriaEvent = {
  id: "e1",
  ts: 0,
  seq: 1,
  event: "session:title",
  component: "kernel",
  session_id: "s1",
  data: { title: "t" },
};

function module(skill: string, manifest: Partial<ModuleDescriptor> = {}): ResolvedTool {
  const transport = { type: "stdio", command: ["it"] } as const;
  const about = { name: skill, kind: "hook", protocol: "amplifier/1", transport, capabilities: [] } as const;
  return { ...bareTool(`/story/${skill}`, skill), manifest: { ...about, ...manifest } as ModuleDescriptor };
}

function storyOf(dir: string, ...tools: ResolvedTool[]): MountedStory {
  return { dir, mounts: new Map(tools.map((tool) => [tool.skill, tool])) };
}

function decision(tool: string): DraftOf<"policy:decision"> {
  const data = { capability: `net.fetch:${tool}` };
  return { event: "policy:decision", component: "policy", module: tool, status: "allow", data };
}

function open(reply: ModuleReply = { kind: "ok", result: { action: "continue" } }) {
  const hooks = createHooks(systemClock);
  const called: { storyDir: string; skill: string; call: ModuleCall; isStopped: boolean }[] = [];
  const caller: ModuleCaller = {
    judge: async ({ tool }) => ({ decisions: [decision(tool.skill)], refusal: null }),
    call: async ({ tool, storyDir }, call, signal) => {
      called.push({ storyDir, skill: tool.skill, call, isStopped: signal.aborted });
      return { reply, durationMs: 1 };
    },
  };
  const moduleHooks = createModuleHooks(hooks, caller);
  const names = (sessionId: string): string[] => hooks.announce(sessionId).map(({ module: name }) => name ?? "");
  return { hooks, called, moduleHooks, names };
}

describe("[A1.8] [K1.4] the hooks of a story", () => {
  test("are its modules of that kind and protocol; what was decided about each is told", async () => {
    const { moduleHooks, names } = open();
    const story = storyOf(
      "/story",
      module("scribe"),
      module("judge", { gate: true }),
      module("hammer", { kind: "tool" }),
      module("old", { protocol: "narratoria/0" }),
      bareTool("/story/bare", "bare"),
    );
    expect(await moduleHooks.mount("s1", story)).toEqual([decision("scribe"), decision("judge")]);
    expect(names("s1")).toEqual(["scribe", "judge"]);
  });

  test("hear everything, first of all, and have no say, unless their manifest says otherwise", async () => {
    const { moduleHooks, hooks } = open();
    const say = { events: ["turn:*", "tool:end"], priority: 7, gate: true };
    await moduleHooks.mount("s1", storyOf("/story", module("says", say), module("plain")));
    const announced = hooks.announce("s1").map(({ module: name, data }) => ({ name, ...data }));
    expect(announced).toEqual([
      { name: "plain", event: "*", priority: 0, kind: "observer" },
      { name: "says", event: "turn:*", priority: 7, kind: "gate" },
      { name: "says", event: "tool:end", priority: 7, kind: "gate" },
    ]);
  });

  test("hear of the sessions that tell their story, until these are forgotten", async () => {
    const { moduleHooks, names } = open();
    expect(moduleHooks.knows("s1")).toBe(false);
    await moduleHooks.mount("s1", storyOf("/one", module("scribe")));
    await moduleHooks.mount("s2", storyOf("/two", module("other")));
    expect(["s1", "s2", "s3"].map(names)).toEqual([["scribe"], ["other"], []]);
    expect(moduleHooks.knows("s1")).toBe(true);
    moduleHooks.forget("s1");
    expect([names("s1"), moduleHooks.knows("s1"), moduleHooks.knows("s2")]).toEqual([[], false, true]);
  });

  test("are registered once, however many sessions tell it, and anew when their manifests change", async () => {
    const { moduleHooks, hooks, names } = open();
    for (const session of ["s1", "s2", "s1"]) await moduleHooks.mount(session, storyOf("/story", module("scribe")));
    expect(names("s1")).toEqual(["scribe"]);
    await moduleHooks.mount("s1", storyOf("/story", module("scribe", { priority: 3 }), module("judge")));
    expect(hooks.announce("s2").map(({ module: name, data }) => [name, data.priority])).toEqual([
      ["judge", 0],
      ["scribe", 3],
    ]);
    await moduleHooks.mount("s1", storyOf("/story"));
    expect(names("s2")).toEqual([]);
  });
});

describe("[A1.8] a call to a hook", () => {
  test("tells an observer the event, and its session", async () => {
    const { moduleHooks, hooks, called } = open();
    await moduleHooks.mount("s1", storyOf("/story", module("scribe")));
    const [observer] = hooks.observersOf("s1");
    expect(await observer?.observe(EVENT)).toBeUndefined();
    const call = { op: "on_event", args: { event: EVENT }, sessionId: "s1", timeoutMs: 2_000 };
    expect(called).toEqual([{ storyDir: "/story", skill: "scribe", call, isStopped: false }]);
    await observer?.observe({ ...EVENT, session_id: null });
    expect(called[1]?.call.sessionId).toBeNull();
    const { session_id: _, ...homeless } = EVENT;
    await observer?.observe(homeless);
    expect(called[2]?.call.sessionId).toBeNull();
  });

  test("asks a gate, whose answer counts", async () => {
    const { moduleHooks, hooks } = open({ kind: "ok", result: { action: "deny", reason: "no" } });
    await moduleHooks.mount("s1", storyOf("/story", module("judge", { gate: true })));
    expect(hooks.observersOf("s1")).toEqual([]);
    expect(await hooks.pass(asked("s1"), KEEPER)).toEqual({ kind: "deny", reason: "no" });
  });

  test("that has no answer throws what the module said", async () => {
    const { moduleHooks, hooks } = open({ kind: "error", error: { code: "unreachable", message: "gone" } });
    await moduleHooks.mount("s1", storyOf("/story", module("scribe"), module("judge", { gate: true })));
    const [observer] = hooks.observersOf("s1") as [Observer];
    const failed = await Promise.resolve(observer.observe(EVENT)).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(HookFailed);
    expect(failed).toMatchObject({ code: "unreachable", message: "gone" });
    expect(await hooks.pass(asked("s1"), KEEPER)).toEqual({ kind: "deny", reason: "judge failed: Error: gone" });
  });
});

const KEEPER = { askUser: () => Promise.resolve(false), note: () => {} };

function asked(sessionId: string): GateEvent {
  return { event: "turn:start", component: "kernel", session_id: sessionId, turn_id: "t1", data: { prompt: "go" } };
}
