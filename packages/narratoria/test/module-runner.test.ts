/** Modules as tools of plans: permission, introduction, input, output, errors and what the log says of it all. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { createModuleRunner } from "../src/runners/module.ts";
import { createModules } from "../src/runners/modules.ts";
import { createLocalEngine } from "../src/engines/local.ts";
import type { MountRunner } from "../src/runners/mount-runner.ts";
import { createEventLog, keepRecord, writeEach } from "../src/runtime/execution/event-log.ts";
import { createTurnLimits } from "../src/runtime/execution/turn-limits.ts";
import { executeOnce } from "../src/runtime/execution/execute-once.ts";
import { createToolRegistry } from "../src/runtime/mounts/tool-registry.ts";
import { consentOf } from "../src/runtime/policy/consent.ts";
import { createDeadlines, createTurnClocks } from "../src/runtime/seams/deadlines.ts";
import type { PlanScene } from "../src/runtime/seams/engine.ts";
import { NOBODY } from "../src/runtime/seams/player.ts";
import { createResultFold } from "../src/story/fold-result.ts";
import { runnerOf } from "./scripted-host.ts";
import { systemClock } from "../src/runtime/seams/clock.ts";
import { findMounts } from "../src/runtime/mounts/mounts.ts";
import { createSlots } from "../src/runtime/execution/slots.ts";
import { randomUUID } from "node:crypto";
import { validatePlan } from "../src/runtime/execution/validate-plan.ts";
import { createUnconfined } from "../src/sandbox/unconfined.ts";
import { eventSchema, type NarratoriaEvent } from "../src/story/event.ts";
import { executionResultSchema, type ExecutionResult } from "../src/story/execution-result.ts";
import { makeStoryFolder } from "./narrator-session.ts";
import { portTo } from "./attempt-port.ts";
import { isAlive } from "./processes.ts";

const FIXTURES = fileURLToPath(new URL("./fixtures/modules/", import.meta.url));

interface Run {
  result: ExecutionResult;
  events: NarratoriaEvent[];
}

const runners: MountRunner[] = [];
afterEach(async () => {
  delete process.env["MIRROR_KEY"];
  for (const runner of runners.splice(0)) await runner.close();
});

describe("a module in a plan", () => {
  test("[A1.9] [R1.3] gets the plan's operation and input; what it returns is the output", async () => {
    const { result, events } = await run(mount("mirror"), [
      call("mirror", { operation: "echo", input: { text: "hello" } }),
    ]);
    const [tool] = result.toolResults;
    expect(tool?.output).toMatchObject({ args: { text: "hello" }, session_id: "session-1" });
    expect(tool?.attempts).toMatchObject([
      { outcome: "completed", sandbox: "none", trace: { runner: "module", transport: "stdio", op: "echo" } },
    ]);
    const invocation = events.find(({ event }) => event === "module:invoke");
    expect(invocation).toMatchObject({ module: "mirror", status: "ok", data: { op: "echo" }, component: "runner" });
  });

  test('[P1.1] without an operation it is asked to "run"; its result can be the next tool\'s input', async () => {
    const tools = [
      call("mirror", { toolId: "first" }),
      call("mirror", {
        toolId: "second",
        operation: "echo",
        dependencies: ["first"],
        input: { text: { $from: "first" } },
      }),
    ];
    const { result } = await run(mount("mirror"), tools);
    expect(result.toolResults.map(({ output }) => output)).toMatchObject(["ran", { args: { text: "ran" } }]);
  });

  test("[A1.3] one process serves the whole plan", async () => {
    const tools = ["a", "b", "c"].map((toolId) => call("mirror", { toolId, operation: "echo" }));
    const { result } = await run(mount("mirror"), tools);
    expect(new Set(result.toolResults.map(({ output }) => (output as JsonObject)["pid"])).size).toBe(1);
  });

  test("[T5.10] its errors keep their code; an unknown operation is not tried again", async () => {
    const { result, events } = await run(mount("mirror"), [call("mirror", { operation: "fly", retries: 3 })]);
    const [tool] = result.toolResults;
    expect(tool?.errorDetail).toMatchObject({ category: "tool_failure", code: "unsupported_op" });
    expect(tool?.retryCount).toBe(0);
    const invocation = events.find(({ event }) => event === "module:invoke");
    expect(invocation).toMatchObject({ status: "error", error: { code: "unsupported_op" } });
  });

  test("[T5.10] [X1.4] one that died is a process_error, and is tried again in a new process", async () => {
    const { result } = await run(mount("odd", "dies-when-called"), [call("odd", { retries: 1 })]);
    const [tool] = result.toolResults;
    expect(tool?.errorDetail).toMatchObject({ category: "process_error", code: "unreachable" });
    expect(tool?.attempts).toMatchObject([{ exitCode: 7 }, { exitCode: 7, stderrTail: "out of ideas\n" }]);
  });

  test("[T5.11] over its limit it has timed out", async () => {
    const { result } = await run(mount("mirror"), [
      call("mirror", { operation: "after", input: { ms: 5000 }, timeoutMs: 300 }),
    ]);
    expect(result.toolResults).toMatchObject([
      { state: "timeout", errorDetail: { category: "timeout", code: "timeout" } },
    ]);
  });

  test("[A1.9] a hook is no tool", async () => {
    const { result } = await run({ ...mount("odd", "none"), kind: "hook" }, [call("odd")]);
    expect(result.toolResults).toMatchObject([{ ok: false, errorDetail: { code: "unsupported_op" } }]);
  });

  test("a change of its file is picked up by the next call", async () => {
    const { runner, storyDir } = open([mount("odd", "none")]);
    const before = await runIn(storyDir, runner, mount("odd", "none"), [call("odd")]);
    copyFileSync(join(FIXTURES, "odd.mjs"), join(storyDir, "odd.mjs"));
    const after = await runIn(storyDir, runner, mount("odd", "none"), [call("odd")]);
    expect(after.result.success).toBe(true);
    expect(after.result.toolResults[0]?.output).not.toEqual(before.result.toolResults[0]?.output);
  });
});

test("the default story's module says how many echoes come back, in the state too", async () => {
  const storyDir = fileURLToPath(new URL("../../../stories/the-lamp-under-the-hill", import.meta.url));
  const { mounts } = findMounts(storyDir, []);
  const pool = createModules({ sandbox: createUnconfined() });
  const call = { op: "run", args: { sound: "footstep" }, sessionId: null, timeoutMs: 10_000 };
  const tool = mounts.get("acoustics");
  if (tool === undefined) throw new Error("it is not mounted");
  const { reply } = await pool.invoke({ tool, storyDir, secrets: {} }, call, systemClock, new AbortController().signal);
  expect(reply).toMatchObject({ kind: "ok", result: { of: 5, returned: 4 } });
  expect(tool.manifest?.into).toBe("/echo");
  await pool.close();
});

test("[A1.3] a module that nobody needs is ended after a while, and started again when somebody does", async () => {
  const storyDir = storyFolder([mount("odd", "none")]);
  const tool = findMounts(storyDir, [mount("odd", "none")]).mounts.get("odd");
  if (tool === undefined) throw new Error("it is not mounted");
  const pool = createModules({ sandbox: createUnconfined(), idleMs: 20 });
  const ask = async (): Promise<number> => {
    const call = { op: "run", args: {}, sessionId: null, timeoutMs: 10_000 };
    const { reply } = await pool.invoke(
      { tool, storyDir, secrets: {} },
      call,
      systemClock,
      new AbortController().signal,
    );
    return reply.kind === "ok" ? ((reply.result as JsonObject)["pid"] as number) : 0;
  };
  const first = await ask();
  await expect.poll(() => isAlive(first)).toBe(false);
  const second = await ask();
  expect(isAlive(second)).toBe(true);
  await pool.close();
  expect(isAlive(second)).toBe(false);
});

test("[K1.9] its limit stands still while the player is asked, and its duration leaves that out", async () => {
  const { storyDir, runner } = open([mount("mirror")]);
  const tool = findMounts(storyDir, [mount("mirror")]).mounts.get("mirror");
  if (tool === undefined) throw new Error("it is not mounted");
  const deadlines = createDeadlines(systemClock);
  const slow = { operation: "after", input: { ms: 200 }, timeoutMs: 20 };
  const about = { requestId: "r", dependencies: {}, state: null, storyTitle: "", sessionId: null };
  const mounted = { ...about, ...slow, mount: { tool, storyDir, secrets: {} } };
  const port = { ...portTo(() => undefined), clock: deadlines };
  const ask = (): ReturnType<MountRunner["run"]> => runner.run(mounted, port, new AbortController().signal);
  const asked = await deadlines.standStill(ask);
  expect(asked).toMatchObject({ outcome: { kind: "completed" }, output: 200, invocation: { durationMs: 0 } });
  expect(await ask()).toMatchObject({ outcome: { kind: "timeout", error: { code: "timeout" } } });
});

describe("a module's introduction", () => {
  test.each([
    ["[A1.7] claims a capability its mount does not have", "claims-the-network", "the module claims net.fetch"],
    ["[A1.7] gives another name than its mount", "another-name", 'its name is "even"'],
  ])("one that %s is forbidden, and never invoked", async (_, behaviour, message) => {
    const { result, events } = await run(mount("odd", behaviour), [call("odd", { retries: 2 })]);
    const [tool] = result.toolResults;
    expect(tool?.errorDetail).toMatchObject({
      category: "forbidden",
      code: "forbidden",
      message: expect.stringContaining(message),
    });
    expect(tool?.attempts).toHaveLength(1);
    expect(events.map(({ event }) => event)).not.toContain("module:invoke");
  });

  test("[A1.7] a version its mount names must be its own", async () => {
    const { result } = await run({ ...mount("mirror"), version: "2.0.0" }, [call("mirror")]);
    expect(result.toolResults).toMatchObject([{ errorDetail: { code: "forbidden" } }]);
  });

  test("[A1.7] the input is held against its inputs before the call", async () => {
    const { result, events } = await run(mount("odd", "wants-a-number"), [
      call("odd", { toolId: "wrong", input: { n: "one" }, retries: 2 }),
      call("odd", { toolId: "right", input: { n: 1 } }),
    ]);
    expect(result.toolResults).toMatchObject([
      { errorDetail: { code: "bad_request", details: { problems: [{ pointer: "/n", message: "must be integer" }] } } },
      { ok: true },
    ]);
    expect(events.filter(({ event }) => event === "module:invoke")).toHaveLength(1);
  });

  test("[A1.7] the mount's own inputs count too", async () => {
    const inputs = { type: "object", additionalProperties: false };
    const { result } = await run({ ...mount("mirror"), inputs }, [call("mirror", { input: { extra: 1 } })]);
    expect(result.toolResults).toMatchObject([{ errorDetail: { code: "bad_request" } }]);
  });

  test("a schema that would take for ever is stopped, left out and told of", async () => {
    const input = { text: `${"a".repeat(40)}!` };
    const { result } = await run(mount("odd", "costly-schema"), [call("odd", { input })]);
    expect(result.success).toBe(true);
    expect(result.toolResults[0]?.attempts[0]?.warnings).toEqual([expect.stringContaining("cannot be used")]);
  });
});

describe("permission", () => {
  const asking = { ...mount("odd", "tells-its-secret"), capabilities: ["secrets.read:MIRROR_KEY"] };

  test("[K1.5] [case 29] what was not granted is decided, denied, and the module is never called", async () => {
    const { result, events } = await run(asking, [call("odd")]);
    expect(result.toolResults).toMatchObject([{ errorDetail: { category: "forbidden" }, attempts: [] }]);
    const decision = { status: "deny", data: { capability: "secrets.read:MIRROR_KEY" } };
    expect(events.filter(({ event }) => event === "policy:decision")).toMatchObject([decision]);
    expect(events.map(({ event }) => event)).not.toContain("module:invoke");
  });

  test("[K1.5] [K1.6] [case 29] [case 33] granted: first the decision, and no secret in the log", async () => {
    process.env["MIRROR_KEY"] = "swordfish-7";
    const { result, events } = await run(asking, [call("odd")], { odd: ["secrets.read:MIRROR_KEY"] });
    expect(result.toolResults[0]?.output).toEqual({ told: "[secret]" });
    const names = events.map(({ event }) => event);
    expect(names.indexOf("policy:decision")).toBeLessThan(names.indexOf("module:invoke"));
    expect(JSON.stringify([result, events])).not.toContain("swordfish-7");
  });

  test("[case 29] a service needs net.fetch", async () => {
    const service = {
      name: "far",
      kind: "tool",
      transport: { type: "http", url: "http://127.0.0.1:9" },
      capabilities: [],
    };
    const { result } = await run(service, [call("far")]);
    expect(result.toolResults).toMatchObject([{ errorDetail: { category: "forbidden" } }]);
    const granted = await run(service, [call("far")], { far: ["net.fetch"] });
    expect(granted.result.toolResults).toMatchObject([
      { errorDetail: { category: "process_error", code: "unreachable" } },
    ]);
  });
});

test.each([
  ["[A1.1] [case 28] no capabilities", { capabilities: undefined }, "/mounts/0/capabilities"],
  ["[A1.1] [case 28] a kind that is none", { kind: "oracle" }, "/mounts/0/kind"],
  ["[A1.1] [case 28] stdio without a command", { transport: { type: "stdio" } }, "/mounts/0/transport/command"],
])("a descriptor with %s mounts nothing", (_, wrong, pointer) => {
  const manifest = JSON.parse(JSON.stringify({ ...mount("odd"), ...wrong })) as JsonObject;
  const { mounts, problems } = findMounts(makeStoryFolder({}), [manifest]);
  expect(mounts.size).toBe(0);
  expect(problems).toMatchObject([{ file: "story.json", pointer }]);
});

function mount(name: "mirror" | "odd", ...args: string[]): JsonObject {
  const file = name === "mirror" ? "mirror-stdio.mjs" : "odd.mjs";
  return { name, kind: "tool", transport: { type: "stdio", command: ["node", file, ...args] }, capabilities: [] };
}

function call(toolPath: string, options: JsonObject = {}): JsonObject {
  const { retries = 0, ...rest } = options;
  return { toolId: "t1", toolPath, retryPolicy: { maxRetries: retries, backoffMs: 1 }, ...rest };
}

function storyFolder(manifests: JsonObject[]): string {
  const storyDir = makeStoryFolder({ "story.json": JSON.stringify({ mounts: manifests }) });
  for (const file of ["mirror.mjs", "mirror-stdio.mjs", "odd.mjs"])
    copyFileSync(join(FIXTURES, file), join(storyDir, file));
  return storyDir;
}

function open(manifests: JsonObject[]): { storyDir: string; runner: MountRunner } {
  const storyDir = storyFolder(manifests);
  const runner = createModuleRunner(createModules({ sandbox: createUnconfined(), terminateGraceMs: 200 }), "none");
  runners.push(runner);
  return { storyDir, runner };
}

function run(manifest: JsonObject, tools: JsonObject[], grants: Record<string, string[]> = {}): Promise<Run> {
  const { storyDir, runner } = open([manifest]);
  return runIn(storyDir, runner, manifest, tools, grants);
}

async function runIn(
  storyDir: string,
  runner: MountRunner,
  manifest: JsonObject,
  tools: JsonObject[],
  grants: Record<string, string[]> = {},
): Promise<Run> {
  const { mounts, problems } = findMounts(storyDir, [manifest]);
  expect(problems).toEqual([]);
  const checked = validatePlan({ requestId: "plan-1", narrative: "", tools }, { storyDir, allowed: [], mounts });
  if (checked.kind === "invalid") throw new Error(JSON.stringify(checked.problems));
  const events: NarratoriaEvent[] = [];
  const log = createEventLog(systemClock, [(event) => events.push(event)]);
  const { plan, tools: mounted } = checked;
  const record = keepRecord(
    createResultFold(plan),
    writeEach((draft) => log.append(draft)),
  );
  const registry = createToolRegistry();
  const scene: PlanScene = {
    whose: { story: { dir: storyDir, title: "A story", version: null }, sessionId: "session-1" },
    consent: consentOf({ storyDir, policy: { sandbox: "any", grants }, level: "none", allowUnconfined: false }),
    player: NOBODY,
    clocks: createTurnClocks(systemClock),
    limits: createTurnLimits(),
    state: () => ({ value: {}, size: 2 }),
    glance: () => ({ value: {}, size: 2 }),
  };
  const engine = createLocalEngine({
    runner: runnerOf(registry, runner),
    registry,
    assets: { take: () => Promise.reject(new Error("no assets here")) },
    slots: createSlots(2),
    mostAtOnce: 2,
    clock: systemClock,
    limits: { toolMs: 10_000, planMs: 20_000 },
    newId: randomUUID,
  });
  const order = { plan, tools: mounted, settled: new Set<string>(), record };
  const result = await executeOnce(order, scene, engine, new AbortController().signal);
  for (const event of events) expect(eventSchema.safeParse(event).error?.issues ?? []).toEqual([]);
  expect(executionResultSchema.safeParse(result).error?.issues ?? []).toEqual([]);
  return { result, events };
}
