/** The keeper of context as a function; `test/module-context.test.ts` has one that is a process. */
import { describe, expect, test } from "vitest";
import type { Json } from "@narratoria/tool/json";
import type { EventDraft } from "../../story/event.ts";
import type { Telling } from "../../story/session-state.ts";
import { mountManifest } from "../mounts/read-manifest.ts";
import { bareTool } from "../mounts/resolve-tool.ts";
import type { ModuleCaller } from "../policy/call-module.ts";
import type { ModuleCall, ModuleReply } from "../seams/modules.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import { openModuleContext } from "./module-context.ts";

const telling = (narrative: string, prompt: string | null = "go"): Telling => ({ prompt, narrative });
const LONG = telling("x".repeat(40 * 1024));

async function open(
  answer: (call: ModuleCall) => Json | ModuleReply,
  tool = keeperOf({}),
  refusal: string | null = null,
) {
  const calls: ModuleCall[] = [];
  const notes: EventDraft[] = [];
  const caller: ModuleCaller = {
    judge: async ({ tool: { skill } }) => ({
      decisions: [
        {
          event: "policy:decision",
          component: "policy",
          module: skill,
          status: "deny",
          data: { capability: "net.fetch" },
        },
      ],
      refusal: refusal === null ? null : { category: "forbidden", code: "DENIED", message: refusal },
    }),
    call: async (_, call) => {
      calls.push(call);
      const given = answer(call);
      const isReply = typeof given === "object" && given !== null && "kind" in given;
      return { reply: isReply ? (given as ModuleReply) : { kind: "ok", result: given }, durationMs: 2.6 };
    },
  };
  const mounts = new Map([bareTool("/s/lamp", "lamp"), tool].map((mounted) => [mounted.skill, mounted]));
  const story = { dir: "/s", mounts };
  const keeper = await openModuleContext(caller)(story, "s1", (draft) => notes.push(draft));
  return { keeper, calls, notes };
}

function keeperOf(more: { kind?: string; timeoutMs?: number }): ResolvedTool {
  const transport = { type: "http", url: "http://127.0.0.1:9/" };
  const manifest = {
    name: "chronicler",
    kind: "context",
    protocol: "amplifier/1",
    transport,
    capabilities: [],
    ...more,
  };
  const reading = mountManifest(manifest, "/s", "/s");
  if (reading.kind === "invalid") throw new Error(JSON.stringify(reading.problems));
  return reading.tool;
}

describe("[A1.9] a keeper of context", () => {
  test("is asked for the history, told what there is, and its answer is what the narrator is told", async () => {
    const mine = [telling("So far."), telling("It begins.", null)];
    const { keeper, calls, notes } = await open(() => mine.map(({ prompt, narrative }) => ({ prompt, narrative })));
    const { history, compaction } = await keeper.history([telling("It begins.", null)], 1);
    expect(history).toEqual(mine);
    expect(compaction).toEqual([{ event: "context:get", component: "narrator", data: { key: "history" } }]);
    const args = { key: "history", value: [{ prompt: null, narrative: "It begins." }] };
    expect(calls).toEqual([{ op: "get", args, sessionId: "s1", timeoutMs: 5_000 }]);
    expect(notes.slice(1)).toEqual([
      {
        event: "module:invoke",
        component: "narrator",
        module: "chronicler",
        status: "ok",
        duration_ms: 3,
        data: { op: "get" },
      },
    ]);
  });

  test("is told what was told, within the time its manifest gives it", async () => {
    const { keeper, calls } = await open(() => null, keeperOf({ timeoutMs: 70 }));
    await keeper.remember("t1", telling("It rains.", "wait"));
    const value = { prompt: "wait", narrative: "It rains." };
    const args = { key: "history", turn_id: "t1", value };
    expect(calls).toEqual([{ op: "set", args, sessionId: "s1", timeoutMs: 70 }]);
  });

  test("[K1.7] shortens what is too long before it is asked, and that is announced", async () => {
    const short = { prompt: null, narrative: "Much happened." };
    const { keeper, calls } = await open(({ op }) => (op === "compact" ? [short] : null));
    const { history, compaction } = await keeper.history([LONG, LONG], 2);
    expect(history).toEqual([short]);
    expect(calls.map(({ op }) => op)).toEqual(["compact", "get"]);
    expect(calls[0]?.args).toMatchObject({ key: "history", limit_bytes: 64 * 1024, value: [LONG, LONG] });
    expect(calls[1]?.args["value"]).toEqual([short]);
    expect(compaction.map(({ event }) => event)).toEqual([
      "context:pre_compact",
      "context:post_compact",
      "context:get",
    ]);
  });

  test("that cannot shorten it leaves that to us: the latest that fits", async () => {
    const { keeper } = await open(() => null);
    const { history, compaction } = await keeper.history([telling("Old."), LONG, LONG], 3);
    expect(history).toEqual([LONG]);
    expect(compaction.map(({ event }) => event)).toContain("context:pre_compact");
  });

  test.each([
    ["no list", { prompt: null, narrative: "x" }],
    ["a list with something else in it", [{ prompt: null, narrative: "x" }, "y"]],
    ["a prompt that is no text", [{ prompt: 7, narrative: "x" }]],
    ["a narrative that is no text", [{ prompt: null, narrative: null }]],
    ["more than a narrator is told", [{ prompt: null, narrative: "x".repeat(64 * 1024 + 1) }]],
    ["an error", { kind: "error", error: { code: "broken", message: "it broke" } }],
  ])("whose answer is %s changes nothing", async (_, answer) => {
    const { keeper } = await open(() => answer);
    expect((await keeper.history([telling("It begins.", null)], 1)).history).toEqual([telling("It begins.", null)]);
  });

  test("that failed is noted with what went wrong", async () => {
    const error = { code: "broken", message: "it broke" };
    const { keeper, notes } = await open(() => ({ kind: "error", error }));
    await keeper.remember("t1", telling("x"));
    expect(notes.at(-1)).toMatchObject({ event: "module:invoke", status: "error", error, data: { op: "set" } });
  });

  test("may answer with as much as a narrator is told", async () => {
    const full = { prompt: null, narrative: "x".repeat(64 * 1024) };
    const { keeper } = await open(() => [full]);
    expect((await keeper.history([], 0)).history).toEqual([full]);
  });

  test("[K1.5] is not asked when it may not run; what was decided is noted", async () => {
    const { keeper, calls, notes } = await open(() => [], keeperOf({}), "not granted");
    expect((await keeper.history([telling("It begins.")], 1)).history).toEqual([telling("It begins.")]);
    await keeper.remember("t1", telling("x"));
    expect(calls).toEqual([]);
    expect(notes).toMatchObject([{ event: "policy:decision", module: "chronicler", status: "deny" }]);
  });

  test("is a mount of that kind: a tool is not asked, and nothing is decided about it", async () => {
    const { keeper, calls, notes } = await open(() => [], keeperOf({ kind: "tool" }));
    expect(await keeper.history([telling("It begins.")], 1)).toEqual({
      history: [telling("It begins.")],
      compaction: [],
    });
    expect([calls, notes]).toEqual([[], []]);
  });
});
