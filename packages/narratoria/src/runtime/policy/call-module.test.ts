import { afterEach, describe, expect, test } from "vitest";
import type { ModuleDescriptor } from "../../story/module-descriptor.ts";
import type { ErrorDetail } from "../../story/execution-result.ts";
import { bareTool } from "../mounts/resolve-tool.ts";
import { systemClock, type CallClock } from "../seams/clock.ts";
import type { ModuleCall, ModuleReply, Modules } from "../seams/modules.ts";
import type { EquippedMount, Mounted, ResolvedTool } from "../seams/resolved-tool.ts";
import type { Player } from "../seams/player.ts";
import { createModuleCaller } from "./call-module.ts";
import { confirmModules } from "./confirm-modules.ts";

const CALL: ModuleCall = { op: "get", args: {}, sessionId: "s", timeoutMs: 5 };
const NEVER = new AbortController().signal;
const DENIED: ErrorDetail = { category: "forbidden", code: "FORBIDDEN", message: "no" };
const UNCONFINED: ErrorDetail = { category: "forbidden", code: "UNCONFINED", message: "no walls" };

function mount(more: Partial<ResolvedTool> = {}): Mounted {
  return { storyDir: "/story", tool: { ...bareTool("/story/keeper", "keeper"), ...more } };
}

function open(refusal: ErrorDetail | null, reply: ModuleReply = { kind: "ok", result: "done" }) {
  const called: { mount: EquippedMount; call: ModuleCall; clock: CallClock; signal: AbortSignal }[] = [];
  const modules: Pick<Modules, "invoke"> = {
    invoke: async (equipped, call, clock, signal) => {
      called.push({ mount: equipped, call, clock, signal });
      return { reply, wasCalled: true, durationMs: 7, stderr: "", warnings: [] };
    },
  };
  const decisions = [{ capability: "net.fetch", status: "allow" as const }];
  const judge = () => Promise.resolve({ decisions, refusal });
  return { called, caller: createModuleCaller(modules as Modules, { judge }, systemClock) };
}

describe("[A1.8] a module that is called", () => {
  test("is judged: what was decided is an event in its name", async () => {
    const decision = { event: "policy:decision", component: "policy", module: "keeper", status: "allow" };
    const decisions = [{ ...decision, data: { capability: "net.fetch" } }];
    expect(await open(null).caller.judge(mount())).toEqual({ decisions, refusal: null });
    expect(await open(DENIED).caller.judge(mount())).toEqual({ decisions, refusal: DENIED });
  });

  test("is asked what was asked, and its answer handed back", async () => {
    const { caller, called } = open(null);
    expect(await caller.call(mount(), CALL, NEVER)).toEqual({ reply: { kind: "ok", result: "done" }, durationMs: 7 });
    expect(called).toHaveLength(1);
    expect(called[0]).toMatchObject({ mount: { ...mount(), secrets: {} }, call: CALL, clock: systemClock });
    expect(called[0]?.signal).toBe(NEVER);
  });

  test("is not called when it may not be", async () => {
    const { caller, called } = open(DENIED);
    const error = { code: "forbidden", message: "no" };
    expect(await caller.call(mount(), CALL, NEVER)).toEqual({ reply: { kind: "error", error }, durationMs: 0 });
    expect(called).toEqual([]);
  });
});

describe("[Z1.6] its secrets", () => {
  afterEach(() => delete process.env["KEEPERS_KEY"]);

  test("are given to it, and do not come back in what it answers", async () => {
    process.env["KEEPERS_KEY"] = "correct horse battery";
    const { caller, called } = open(null, { kind: "ok", result: { said: "my key is correct horse battery!" } });
    const keeper = mount({ needs: ["secrets.read:KEEPERS_KEY"] });
    const { reply } = await caller.call(keeper, CALL, NEVER);
    expect(called[0]?.mount.secrets).toEqual({ KEEPERS_KEY: "correct horse battery" });
    expect(JSON.stringify(reply)).toContain("my key is ");
    expect(JSON.stringify(reply)).not.toContain("horse");
  });
});

describe("[Z1.5] modules that tell a story or keep its context", () => {
  const kinds = (kind: string): ResolvedTool => ({
    ...mount().tool,
    skill: kind,
    manifest: { kind } as ModuleDescriptor,
  });
  const all = ["tool", "agent", "provider", "context", "orchestrator", "hook"];
  const story = { dir: "/story", mounts: new Map([...all.map(kinds), mount().tool].map((tool) => [tool.skill, tool])) };

  test.each<[refusal: ErrorDetail | null, asked: string[]]>([
    [UNCONFINED, ["context", "orchestrator", "hook"]],
    [DENIED, []],
    [null, []],
  ])("are asked about where they would not be confined: %j", async (refusal, expected) => {
    const player: Player = { ask: () => Promise.resolve(null) };
    const asked: string[] = [];
    await confirmModules(
      {
        judge: () => Promise.resolve({ decisions: [], refusal }),
        decide: async ({ storyDir, tool, toolId }, of) => {
          expect([storyDir, tool.skill, of]).toEqual(["/story", toolId, player]);
          asked.push(toolId);
          return { decisions: [], refusal, isStillSo: () => Promise.resolve(true) };
        },
      },
      story,
      player,
    );
    expect(asked).toEqual(expected);
  });
});
