import { describe, expect, test } from "vitest";
import type { ModuleDescriptor } from "../../story/module-descriptor.ts";
import type { DraftOf, EventDraft, NarratoriaEvent } from "../../story/event.ts";
import { numbered } from "../../../test/told-events.ts";
import type { Story } from "../mounts/load-story.ts";
import { bareTool } from "../mounts/resolve-tool.ts";
import type { Ancestry } from "../turns/ancestry.ts";
import { createCatchUp } from "./catch-up.ts";

function added(path: string, protocol?: string): EventDraft {
  const module = path.slice("/tools/".length);
  return { event: "mount:add", component: "kernel", data: { path, module, ...(protocol && { protocol }) } };
}

function removed(path: string): EventDraft {
  return { event: "mount:remove", component: "kernel", data: { path } };
}

function registered(module: string, event: string): DraftOf<"hook:register"> {
  return { event: "hook:register", component: "kernel", module, data: { event, priority: 0, kind: "gate" } };
}

function decided(module: string, capability: string, status: "allow" | "deny"): DraftOf<"policy:decision"> {
  return { event: "policy:decision", component: "policy", module, status, data: { capability } };
}

function storyWith(mounts: Record<string, string | null>): Story {
  const tools = Object.entries(mounts).map(([skill, protocol]) => {
    const manifest = protocol === null ? null : ({ protocol } as ModuleDescriptor);
    return [skill, { ...bareTool(`/story/${skill}`, skill), manifest }] as const;
  });
  return { dir: "/story", mounts: new Map(tools) } as unknown as Story;
}

interface Now {
  mounts?: Record<string, string | null>;
  hooks?: DraftOf<"hook:register">[];
  decisions?: DraftOf<"policy:decision">[];
}

/** What is written of what is there now, when this was written before. */
async function caughtUp(before: EventDraft[], { mounts = {}, hooks = [], decisions = [] }: Now): Promise<EventDraft[]> {
  const told = numbered(before);
  const sessionEvents = (sessionId: string, ...names: string[]): NarratoriaEvent[] => {
    expect(sessionId).toBe("s");
    return told.filter(({ event }) => names.includes(event));
  };
  const ancestry = { sessionEvents } as unknown as Ancestry;
  const story = storyWith(mounts);
  const catchUp = createCatchUp(
    ancestry,
    { announce: (sessionId) => (expect(sessionId).toBe("s"), hooks) },
    { mount: async (sessionId, of) => (expect([sessionId, of]).toEqual(["s", story]), decisions) },
  );
  return catchUp("s", story);
}

describe("[K1.2] what has changed since it was last written", () => {
  test("in a new session: all that is mounted, what was decided, and every hook", async () => {
    const hooks = [registered("judge", "turn:start")];
    const decisions = [decided("judge", "net.fetch", "deny")];
    const mounts = { lamp: null, judge: "amplifier/1" };
    expect(await caughtUp([], { mounts, hooks, decisions })).toEqual([
      added("/tools/lamp", "narratoria/0"),
      added("/tools/judge", "amplifier/1"),
      ...decisions,
      ...hooks,
    ]);
  });

  test("nothing, where nothing has", async () => {
    const hooks = [registered("judge", "turn:start")];
    const decisions = [decided("judge", "net.fetch", "deny")];
    const before = [added("/tools/lamp", "narratoria/0"), ...hooks, ...decisions];
    expect(await caughtUp(before, { mounts: { lamp: null }, hooks, decisions })).toEqual([]);
  });

  test("mounts that went, came, or speak otherwise now", async () => {
    const before = ["lamp", "bell", "gong"].map((name) => added(`/tools/${name}`, "narratoria/0"));
    expect(await caughtUp(before, { mounts: { lamp: null, gong: "mcp", harp: null } })).toEqual([
      removed("/tools/bell"),
      removed("/tools/gong"),
      added("/tools/gong", "mcp"),
      added("/tools/harp", "narratoria/0"),
    ]);
  });

  test("what came and went and came again", async () => {
    const came = added("/tools/lamp", "narratoria/0");
    const went = removed("/tools/lamp");
    expect(await caughtUp([came, went], { mounts: { lamp: null } })).toEqual([came]);
    expect(await caughtUp([came, went, came], { mounts: { lamp: null } })).toEqual([]);
    expect(await caughtUp([came, went], {})).toEqual([]);
  });

  test("a hook's further patterns, and another hook with a known one", async () => {
    const before = [registered("judge", "turn:start")];
    const hooks = [...before, registered("judge", "tool:start"), registered("jury", "turn:start")];
    expect(await caughtUp(before, { hooks })).toEqual(hooks.slice(1));
  });

  test("decisions that are others than the latest of the same module and capability", async () => {
    const before = [
      decided("judge", "net.fetch", "deny"),
      decided("judge", "net.fetch", "allow"),
      decided("judge", "fs.temp", "deny"),
      decided("jury", "net.fetch", "deny"),
    ];
    const decisions = [
      decided("judge", "net.fetch", "allow"),
      decided("judge", "fs.temp", "allow"),
      decided("jury", "net.fetch", "deny"),
      decided("jury", "fs.temp", "deny"),
    ];
    expect(await caughtUp(before, { decisions })).toEqual([decisions[1], decisions[3]]);
  });
});
