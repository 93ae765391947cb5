import { describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { mountManifest } from "../mounts/read-manifest.ts";
import { bareTool } from "../mounts/resolve-tool.ts";
import { createToolRegistry } from "../mounts/tool-registry.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import type { ToolOffer } from "../seams/tool-runner.ts";
import { describeTools } from "./narrator-tools.ts";

const SIGNAL = new AbortController().signal;

function mounted(name: string, more: JsonObject = {}): ResolvedTool {
  const transport = { type: "http", url: "http://127.0.0.1:9/" };
  const manifest = { name, kind: "tool", protocol: "amplifier/1", transport, capabilities: [], ...more };
  const reading = mountManifest(manifest, "/s", "/s");
  if (reading.kind === "invalid") throw new Error(JSON.stringify(reading.problems));
  return reading.tool;
}

const offer = (operation: string): ToolOffer => ({ operation, description: `does ${operation}`, inputs: null });

/** `offers` answers for a mount; the mounts in `refused` may not run. */
function open(tools: ResolvedTool[], offers: (name: string) => Promise<ToolOffer[]>, refused: string[] = []) {
  const asked: string[] = [];
  const runner = {
    offers: ({ tool }: { tool: string }) => {
      asked.push(tool);
      return offers(tool);
    },
  };
  const permissions = {
    judge: async ({ tool: { skill } }: { tool: ResolvedTool }) => ({
      decisions: [],
      refusal: refused.includes(skill) ? { category: "forbidden" as const, code: "DENIED", message: "no" } : null,
    }),
  };
  const describeThem = describeTools(createToolRegistry(), runner, permissions);
  const story = { dir: "/s", title: "S", version: null, mounts: new Map(tools.map((tool) => [tool.skill, tool])) };
  return { asked, tell: () => describeThem(story, SIGNAL) };
}

describe("[A1.7] the tools a narrator is told of", () => {
  test("are what each mount offers, with the parts of the state it reads and may change", async () => {
    const maps = mounted("maps", { reads: ["/place"], writes: ["/map"] });
    const { tell } = open([maps], async () => [offer("draw"), offer("fold")]);
    const scope = { name: "maps", reads: ["/place"], writes: ["/map"] };
    expect(await tell()).toEqual([
      { ...scope, ...offer("draw") },
      { ...scope, ...offer("fold") },
    ]);
  });

  test("a manifest that says nothing of the state is sent nothing of it; without a manifest it is sent all", async () => {
    const { tell } = open([mounted("maps"), bareTool("/s/tools/lamp", "lamp")], async () => [offer("run")]);
    expect((await tell()).map(({ name, reads, writes }) => ({ name, reads, writes }))).toEqual([
      { name: "maps", reads: [], writes: null },
      { name: "lamp", reads: null, writes: null },
    ]);
  });

  test("a mount that is no tool of plans is not told of", async () => {
    const { tell, asked } = open([mounted("hook", { kind: "hook" }), mounted("maps")], async () => [offer("run")]);
    expect((await tell()).map(({ name }) => name)).toEqual(["maps"]);
    expect(asked).toEqual(["maps"]);
  });

  test("[K1.5] one that may not run is not asked: its manifest speaks for it", async () => {
    const inputs = { type: "object" };
    const tools = [mounted("maps", { description: "draws", inputs }), mounted("mute"), bareTool("/s/lamp", "lamp")];
    const { tell, asked } = open(tools, async () => [offer("x")], ["maps", "mute", "lamp"]);
    expect(
      (await tell()).map(({ name, operation, description, inputs: takes }) => [name, operation, description, takes]),
    ).toEqual([
      ["maps", "run", "draws", inputs],
      ["mute", "run", null, null],
      ["lamp", "run", null, null],
    ]);
    expect(asked).toEqual([]);
  });

  test("a mount is asked once, however often narrators want to know", async () => {
    const { tell, asked } = open([mounted("maps")], async () => [offer("draw")]);
    await Promise.all([tell(), tell()]);
    expect(await tell()).toHaveLength(1);
    expect(asked).toEqual(["maps"]);
  });

  test.each([
    ["offers nothing", () => Promise.resolve([])],
    ["fails", () => Promise.reject(new Error("down"))],
  ])("one that %s is left out, and asked again next time", async (_, first) => {
    const answers = [first, async () => [offer("draw")]];
    const { tell, asked } = open([mounted("maps"), mounted("bell")], async (name) =>
      name === "bell" ? [offer("ring")] : ((await answers.shift()?.()) ?? []),
    );
    expect((await tell()).map(({ operation }) => operation)).toEqual(["ring"]);
    expect((await tell()).map(({ operation }) => operation)).toEqual(["draw", "ring"]);
    expect(asked).toEqual(["maps", "bell", "maps"]);
  });
});
