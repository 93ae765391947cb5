/** What is kept between calls: who shares a process with whom, and when a process ends. With modules and with Python. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Json, JsonObject } from "@narratoria/tool/json";
import { systemClock } from "../src/runtime/seams/clock.ts";
import { createModules, type ModulesOptions } from "../src/runners/modules.ts";
import type { ProcessPoolOptions } from "../src/runners/process-pool.ts";
import { createPythonRunner } from "../src/runners/python/runner.ts";
import { mountManifest } from "../src/runtime/mounts/read-manifest.ts";
import type { ResolvedTool } from "../src/runtime/seams/resolved-tool.ts";
import { DEFAULT_LIMITS, type Sandbox } from "../src/runtime/seams/sandbox.ts";
import { createUnconfined } from "../src/sandbox/unconfined.ts";
import { makeStoryFolder } from "./narrator-session.ts";
import { isAlive } from "./processes.ts";
import { callPython } from "./python-story.ts";
import { sandboxOfLevel } from "./sandbox-of-level.ts";

const ODD = fileURLToPath(new URL("./fixtures/modules/odd.mjs", import.meta.url));
const never = new AbortController().signal;

interface Call {
  manifest?: JsonObject;
  tool?: Partial<ResolvedTool>;
  secrets?: Record<string, string>;
  storyDir?: string;
  sessionId?: string | null;
  text?: string;
}

/** A tool that is kept running, in one protocol or the other; `call` gives the process that served the call. */
interface Kept {
  storyDir: string;
  call(call?: Call): Promise<{ pid: number; remembered: Json }>;
  endSession(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

const open: Kept[] = [];
afterEach(async () => {
  for (const kept of open.splice(0)) await kept.close();
});

describe.each([
  ["a module", keepModule],
  ["a Python function", keepPython],
])("%s", (_, keep) => {
  test("[A1.3] is started once for equal calls", async () => {
    const kept = await keep();
    const pids = [await kept.call(), await kept.call(), await kept.call()].map(({ pid }) => pid);
    expect(new Set(pids).size).toBe(1);
  });

  test.each<[string, Call]>([
    ["what it was granted", { tool: { needs: ["net.fetch"] } }],
    ["its secrets", { secrets: { KEY: "other" } }],
    ["its manifest", { manifest: { description: "The same, in other words." } }],
    ["its limits", { tool: { limits: { ...DEFAULT_LIMITS, memoryMb: 900 } } }],
    ["what it may read", { tool: { readFolders: ["/usr"] } }],
    ["the session", { sessionId: "other" }],
  ])("[K1.5] is another process for calls that differ in %s", async (_what, other) => {
    const kept = await keep();
    const first = await kept.call();
    expect((await kept.call(other)).pid).not.toBe(first.pid);
    expect((await kept.call()).pid).toBe(first.pid);
  });

  test("[K1.5] is another process for another story", async () => {
    const kept = await keep();
    const first = await kept.call();
    const storyDir = makeStoryFolder({});
    expect((await kept.call({ storyDir })).pid).not.toBe(first.pid);
  });

  test("what one session's call leaves in it no other session's call finds", async () => {
    const kept = await keep();
    await kept.call({ sessionId: "one", text: "the treasure lies under the oak" });
    const { remembered } = await kept.call({ sessionId: "two", text: "hello" });
    expect(remembered).toEqual(["hello"]);
  });

  test("that says it is shared serves all sessions", async () => {
    const kept = await keep();
    const manifest = { shared: true };
    const first = await kept.call({ sessionId: "one", manifest });
    expect((await kept.call({ sessionId: "two", manifest })).pid).toBe(first.pid);
  });

  test("ends with its session, and no other does", async () => {
    const kept = await keep();
    const one = await kept.call({ sessionId: "one" });
    const two = await kept.call({ sessionId: "two" });
    await kept.endSession("one");
    expect([isAlive(one.pid), isAlive(two.pid)]).toEqual([false, true]);
    expect((await kept.call({ sessionId: "two" })).pid).toBe(two.pid);
  });

  test("is the first to go when more are at rest than may be", async () => {
    const kept = await keep({ mostIdle: 2 });
    const one = await kept.call({ sessionId: "one" });
    const two = await kept.call({ sessionId: "two" });
    await kept.call({ sessionId: "one" });
    const three = await kept.call({ sessionId: "three" });
    await expect.poll(() => [one, two, three].map(({ pid }) => isAlive(pid))).toEqual([true, false, true]);
  });

  test("is replaced when it was killed at rest", async () => {
    const kept = await keep();
    const first = await kept.call();
    process.kill(first.pid, "SIGKILL");
    await expect.poll(() => isAlive(first.pid)).toBe(false);
    // The host hears of it a moment later; until then a call may still meet it, and fails like any that it dies in.
    const second = await vi.waitFor(() => kept.call(), { timeout: 20_000 });
    expect(isAlive(second.pid)).toBe(true);
  });

  test("is gone when all is closed", async () => {
    const kept = await keep();
    const { pid } = await kept.call();
    await kept.close();
    expect(isAlive(pid)).toBe(false);
  });
});

describe.each(["none", "full"])("at rest, with the sandbox at %s", (level) => {
  test("a module that works on when nobody has asked it for anything is ended", async () => {
    const kept = await keepModule({ idleCpuMs: 200 }, "burns-afterwards", await sandboxOfLevel(level));
    await kept.call();
    expect(kept.running()).toBe(1);
    await expect.poll(() => kept.running(), { timeout: 10_000 }).toBe(0);
  });

  test("one that rests is left in peace", async () => {
    // More than an interpreter spends on itself after its first answer, also on a busy machine.
    const kept = await keepModule({ idleCpuMs: 1_500 }, "remembers", await sandboxOfLevel(level));
    const { pid } = await kept.call();
    // Longer than it takes to look twice.
    await sleep(2_500);
    expect((await kept.call()).pid).toBe(pid);
  });
});

async function keepModule(
  options: Partial<ProcessPoolOptions> = {},
  behaviour = "remembers",
  sandbox: Sandbox = createUnconfined(),
): Promise<Kept & { running(): number }> {
  let running = 0;
  const counted: Sandbox = {
    ...sandbox,
    launch: async (program) => {
      const process = await sandbox.launch(program);
      running++;
      void process.exited.then(() => running--);
      return process;
    },
  };
  const all: ModulesOptions = { sandbox: counted, terminateGraceMs: 200, ...options };
  const modules = createModules(all);
  const home = makeStoryFolder({});
  copyFileSync(ODD, join(home, "odd.mjs"));
  const kept = {
    storyDir: home,
    running: () => running,
    call: async ({
      manifest = {},
      tool = {},
      secrets = {},
      storyDir = home,
      sessionId = "one",
      text = "",
    }: Call = {}) => {
      const transport = { type: "stdio", command: ["node", "odd.mjs", behaviour] };
      const mounted = mount({ name: "odd", kind: "tool", transport, capabilities: [], ...manifest }, home);
      const call = { op: "run", args: { text }, sessionId, timeoutMs: 10_000 };
      const { reply } = await modules.invoke(
        { tool: { ...mounted, ...tool }, storyDir, secrets },
        call,
        systemClock,
        never,
      );
      if (reply.kind === "error") throw new Error(reply.error.message);
      return reply.result as { pid: number; remembered: Json };
    },
    endSession: (sessionId: string) => modules.endSession(sessionId),
    close: async () => {
      await modules.close();
      await sandbox.close();
    },
  };
  open.push(kept);
  return kept;
}

async function keepPython(options: Partial<ProcessPoolOptions> = {}): Promise<Kept> {
  const runner = createPythonRunner({ sandbox: createUnconfined(), ...options });
  const home = makeStoryFolder({ "tool.py": EAVESDROPS });
  // Files written this very moment may be newer than the process that read them: such a process is not kept.
  await sleep(20);
  const kept: Kept = {
    storyDir: home,
    call: async ({ manifest = {}, tool = {}, text = "", ...call } = {}) => {
      const transport = { type: "stdio" };
      const what = { name: "tool", kind: "tool", protocol: "namel3ss/1", entry: "tool:run", capabilities: [] };
      const mounted = mount({ ...what, transport, ...manifest }, home);
      const { outcome, output } = await callPython(
        runner,
        { ...mounted, ...tool },
        { input: { text }, storyDir: home, sessionId: "one", ...call },
      );
      if (outcome !== "completed") throw new Error(outcome);
      return output as { pid: number; remembered: Json };
    },
    endSession: (sessionId) => runner.endSession(sessionId),
    close: () => runner.close(),
  };
  open.push(kept);
  return kept;
}

function mount(manifest: JsonObject, home: string): ResolvedTool {
  const reading = mountManifest(manifest, home, home);
  if (reading.kind === "invalid") throw new Error(JSON.stringify(reading.problems));
  return reading.tool;
}

/** Each call is a process of its own; but what it is sent passes through the process it comes from, which it listens in on. */
const EAVESDROPS = `import __main__, os
remembered = []
loads = __main__.loads
def overhear(line):
    message = loads(line)
    remembered.append(message["request"]["payload"]["text"])
    return message
__main__.loads = overhear
def run(payload):
    return {"pid": os.getppid(), "remembered": remembered}
`;
