/** Recorded tools: a run is recorded, its tools are mounted from the recording, and everything comes out the same. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { createRecordedRunner } from "../src/runners/recorded.ts";
import { findMounts } from "../src/runtime/mounts/mounts.ts";
import { RECORDED } from "../src/runtime/mounts/read-manifest.ts";
import { recordingSchema, type Recording } from "../src/runtime/execution/recording.ts";
import { eventSchema } from "../src/story/event.ts";
import type { ExecutionResult } from "../src/story/execution-result.ts";
import { createFakeClock } from "./fake-clock.ts";
import { makeStoryFolder } from "./narrator-session.ts";
import { narratoria } from "./narratoria-command.ts";
import { createScriptedHost, eventsNamed, streamOf } from "./scripted-host.ts";

const MODULES = fileURLToPath(new URL("./fixtures/modules/", import.meta.url));

describe("a run that was recorded", () => {
  test("[R1.3] is the same with its tools mounted from the recording: patches, assets, results, failures", async () => {
    const mirror = { ...manifest("mirror", ["node", "mirror-stdio.mjs"]), protocol: "amplifier/1" };
    const real = storyWith([manifest("torch-lighter", ["builtin:torch-lighter"]), mirror]);
    const tools = [
      call("torch", "torch-lighter", { input: { action: "light_torch" } }),
      call("echo", "mirror", { operation: "after", input: { ms: 1 }, dependencies: ["torch"] }),
      call("twice", "mirror", { operation: "after", input: { ms: { $from: "echo" } }, dependencies: ["echo"] }),
      call("broken", "mirror", { operation: "break", required: false }),
    ];
    const plan = JSON.stringify({ requestId: "p", narrative: "", tools });
    writeFileSync(join(real, "plan.json"), plan);
    const recording = join(real, "recording.json");
    const first = await narratoria(["run", join(real, "plan.json"), "--record", recording]);

    const command = [RECORDED, "recording.json"];
    const played = storyWith([
      manifest("torch-lighter", command),
      { ...manifest("mirror", command), protocol: "amplifier/1" },
    ]);
    writeFileSync(join(played, "plan.json"), plan);
    copyFileSync(recording, join(played, "recording.json"));
    const second = await narratoria(["run", join(played, "plan.json")]);

    const [before, after] = [first, second].map(({ stdout }) => JSON.parse(stdout) as ExecutionResult);
    expect(before?.toolResults.map(({ ok }) => ok)).toEqual([true, true, true, false]);
    expect(before?.aggregatedAssets).toMatchObject([{ status: "stored" }]);
    expect(essence(after)).toEqual(essence(before));
    expect(after?.toolResults[1]?.attempts[0]?.trace).toMatchObject({ runner: "recorded" });
  });

  test("an input that was not recorded fails, and says so", async () => {
    const story = storyWith([manifest("lamp", [RECORDED, "recording.json"])]);
    writeRecording(story, [{ tool: "lamp", operation: "run", input: { oil: 1 }, events: [], output: "lit" }]);
    writeFileSync(
      join(story, "plan.json"),
      JSON.stringify({ requestId: "p", narrative: "", tools: [call("a", "lamp", { input: { oil: 2 } })] }),
    );
    const { stdout } = await narratoria(["run", join(story, "plan.json")]);
    const [tool] = (JSON.parse(stdout) as ExecutionResult).toolResults;
    expect(tool?.errorDetail).toMatchObject({ category: "tool_failure", code: "NOT_RECORDED" });
  });
});

test("a session's tools are recorded by narratoria record", async () => {
  const plan = {
    narrative: "You strike it.",
    tools: [call("torch", "torch-lighter", { input: { action: "light_torch" } })],
  };
  const story = storyWith([manifest("torch-lighter", ["builtin:torch-lighter"])]);
  writeFileSync(join(story, "plans.json"), JSON.stringify([{ match: "light", plan }]));
  writeFileSync(join(story, "prompts.txt"), "light\n");
  const data = makeStoryFolder({});
  const played = await narratoria([
    "play",
    "--story",
    story,
    "--data",
    data,
    "--script",
    join(story, "prompts.txt"),
    "--json",
  ]);
  const { session_id: sessionId } = JSON.parse(played.stdout.split("\n", 1)[0] ?? "") as { session_id: string };
  const { stdout, stderr } = await narratoria(["record", sessionId, "--data", data]);
  expect(stderr).toBe("");
  const recording = recordingSchema.parse(JSON.parse(stdout));
  expect(recording.calls).toMatchObject([
    { tool: "torch-lighter", input: { action: "light_torch" }, output: { inventory: { torch: { lit: true } } } },
  ]);
  expect(Object.keys(recording.calls[0]?.files ?? {})).toHaveLength(1);
  const opening = await narratoria(["record", sessionId, "--turn", "0", "--data", data]);
  expect([opening.exitCode, opening.stdout]).toEqual([1, ""]);
});

test("[case 34] with a fixed clock and fixed ids the log is the same, byte for byte", async () => {
  const story = makeStoryFolder({});
  const done = { version: "0" as const, type: "done" as const, ok: true };
  const patch = (n: number): JsonObject => ({ version: "0", type: "state_patch", patch: { count: n } });
  const answers = [1, 2].map((n) => ({ tool: "counter", operation: "run", input: {}, events: [patch(n), done] }));
  writeRecording(story, answers as never);
  const log = async (): Promise<string> => {
    let ids = 0;
    const host = createScriptedHost({
      narrate: ({ plans }) => {
        if (plans.length > 0) return { kind: "end", narrative: "It counts.", choices: [], memory: null };
        return { kind: "plan", plan: { narrative: "", tools: [{ toolId: "c", toolPath: "counter" }] } };
      },
      manifests: { counter: { command: [RECORDED, join(story, "recording.json")] } },
      clock: createFakeClock(),
      newId: () => `id-${++ids}`,
      mountRunner: createRecordedRunner(),
    });
    const sessionId = await host.begin();
    await host.play(sessionId, "again");
    await host.play(sessionId, "and again");
    const events = streamOf(host.store, sessionId);
    const printed = eventsNamed(events, "tool:event").map(({ data }) => data.event);
    const counts = printed.flatMap((event) => (event.type === "state_patch" ? [event.patch] : []));
    expect(counts).toEqual([{ count: 1 }, { count: 2 }, { count: 2 }]);
    await host.sessions.close();
    return events.map((event) => JSON.stringify(event)).join("\n");
  };
  expect(await log()).toBe(await log());
});

test.each([
  ["without a file", [RECORDED]],
  ["with a file that is not there", [RECORDED, "nothing.json"]],
  ["with a file outside the story", [RECORDED, "/etc/passwd"]],
])("a recorded tool %s is not mounted", (_, command) => {
  const { mounts, problems } = findMounts(makeStoryFolder({}), [manifest("lamp", command)]);
  expect(mounts.size).toBe(0);
  expect(problems).toMatchObject([{ file: "story.json", pointer: "/mounts/0/transport/command/1" }]);
});

test.each([
  ["narratoria/0", {}],
  ["amplifier/1", {}],
  ["namel3ss/1", { entry: "lamp:light" }],
])("[K1.2] an asset of a mount that speaks %s is written with its address and its size", async (protocol, more) => {
  const story = storyWith([{ ...manifest("lamp", [RECORDED, "recording.json"]), protocol, ...more }]);
  const asset = {
    version: "0",
    type: "asset",
    assetId: "glow",
    kind: "note",
    mediaType: "text/plain",
    path: "glow.txt",
  };
  const events = [asset, { version: "0", type: "done", ok: true }];
  const files = { glow: Buffer.from("a small light").toString("base64") };
  writeRecording(story, [{ tool: "lamp", operation: "run", input: {}, events, files }] as never);
  const tools = [call("a", "lamp", {})];
  writeFileSync(join(story, "plan.json"), JSON.stringify({ requestId: "p", narrative: "", tools }));
  const { stdout } = await narratoria(["run", join(story, "plan.json"), "--events"]);
  const printed = stdout.trim().split("\n").slice(0, -1);
  const told = printed.map((line) => eventSchema.parse(JSON.parse(line)));
  const [stored] = eventsNamed(told, "tool:event").filter(({ data }) => data.event.type === "asset");
  expect(eventsNamed(told, "artifact:write")).toMatchObject([
    { span_id: stored?.span_id, data: { uri: `asset:${stored?.id}`, bytes: 13, mediaType: "text/plain", toolId: "a" } },
  ]);
});

/** What must not differ: everything but times and ids. */
function essence(result: ExecutionResult | undefined): unknown {
  const { toolResults = [], aggregatedState, aggregatedAssets } = result ?? {};
  const tools = toolResults.map((tool) => [
    tool.toolId,
    tool.skill,
    tool.ok,
    tool.state,
    tool.output,
    tool.errorDetail,
  ]);
  return { tools, aggregatedState, aggregatedAssets };
}

function manifest(name: string, command: string[]): JsonObject {
  return { name, kind: "tool", protocol: "narratoria/0", transport: { type: "stdio", command }, capabilities: [] };
}

function call(toolId: string, toolPath: string, options: JsonObject): JsonObject {
  return { toolId, toolPath, retryPolicy: { maxRetries: 0 }, ...options };
}

function storyWith(mounts: JsonObject[]): string {
  const story = makeStoryFolder({ "story.json": JSON.stringify({ mounts }) });
  for (const file of ["mirror.mjs", "mirror-stdio.mjs"])
    writeFileSync(join(story, file), readFileSync(join(MODULES, file)));
  return story;
}

function writeRecording(story: string, calls: Recording["calls"]): void {
  writeFileSync(join(story, "recording.json"), JSON.stringify({ recording: 0, calls } satisfies Recording));
}
