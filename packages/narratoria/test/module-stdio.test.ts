/** Modules as programs: what every module must do, and what only a process can do wrong. */
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { systemClock } from "../src/runtime/seams/clock.ts";
import { createStdioConnection } from "../src/runners/module-stdio.ts";
import { createModules } from "../src/runners/modules.ts";
import { mountManifest } from "../src/runtime/mounts/read-manifest.ts";
import type { ModuleReply, Modules } from "../src/runtime/seams/modules.ts";
import { DEFAULT_LIMITS, type Sandbox } from "../src/runtime/seams/sandbox.ts";
import { createUnconfined } from "../src/sandbox/unconfined.ts";
import { describeModules } from "./module-behaviour.ts";
import { isAlive } from "./processes.ts";
import { sandboxOfLevel } from "./sandbox-of-level.ts";

const MODULES = fileURLToPath(new URL("./fixtures/modules/", import.meta.url));
const LEVELS = ["none", "partial", "full"];
const never = new AbortController().signal;

for (const level of ["none", "full"]) {
  describeModules(`stdio, sandbox ${level}`, async () => {
    const sandbox = await sandboxOfLevel(level);
    const process = await sandbox.launch(programOf("mirror-stdio.mjs"));
    const connection = createStdioConnection(process, { terminateGraceMs: 200 });
    return { connection, stop: async () => sandbox.close() };
  });
}

describe("a module's process", () => {
  const opened: Modules[] = [];
  afterEach(async () => {
    for (const modules of opened.splice(0)) await modules.close();
  });
  type Invoke = (op?: string, args?: JsonObject, timeoutMs?: number) => Promise<ModuleReply>;

  function start(file: string, args: string[] = [], sandbox: Sandbox = createUnconfined()): Invoke {
    const modules = createModules({ sandbox, terminateGraceMs: 200 });
    opened.push(modules);
    const module = { tool: mount(file, args), storyDir: MODULES, secrets: {} };
    return async (op = "run", input = {}, timeoutMs = 10_000) =>
      (await modules.invoke(module, { op, args: input, sessionId: null, timeoutMs }, systemClock, never)).reply;
  }

  test("[A1.3] is started on first use and used again", async () => {
    const invoke = start("odd.mjs", ["none"]);
    const first = await invoke();
    expect(first).toMatchObject({ kind: "ok" });
    expect(await invoke()).toEqual(first);
  });

  test("[A1.3] [case 25] lines that are no response are skipped and told of", async () => {
    const connection = createStdioConnection(await createUnconfined().launch(programOf("mirror-stdio.mjs")));
    await connection.send("invoke", { op: "nothing", args: {} }, never);
    const { warnings, stderr: first } = connection.takeOutput();
    expect(warnings).toEqual([
      "skipped what is no response: mirror 1.0.0, ready",
      "skipped what is no response: {half a line of JSON",
    ]);
    // Another pipe, which may be behind; and nothing is told twice.
    let stderr = first;
    await expect.poll(() => (stderr += connection.takeOutput().stderr)).toBe("the mirror is up\n");
    expect(connection.takeOutput()).toEqual({ warnings: [], stderr: "" });
    await connection.close();
  });

  test("[A1.2] an answer without an id is the oldest call's; a line of a log is nobody's", async () => {
    const invoke = start("odd.mjs", ["no-id"]);
    const replies = await Promise.all([invoke("run", { n: 1 }), invoke("run", { n: 2 })]);
    expect(replies).toEqual([
      { kind: "ok", result: { n: 1 } },
      { kind: "ok", result: { n: 2 } },
    ]);
  });

  test("[A1.4] a late answer without an id is never the next call's", async () => {
    const invoke = start("odd.mjs", ["late-without-id"]);
    expect(await invoke("run", { n: 0 })).toMatchObject({ kind: "ok" });
    const first = await Promise.all([invoke("run", { n: 1, ms: 200 }, 100), invoke("run", { n: 2, ms: 400 })]);
    expect(first).toMatchObject([{ error: { code: "timeout" } }, { kind: "ok", result: { n: 2 } }]);
    expect(await invoke("run", { n: 3, ms: 300 }, 50)).toMatchObject({ error: { code: "timeout" } });
    // The answer to the third would arrive while the fourth is open.
    expect(await invoke("run", { n: 4, ms: 500 })).toMatchObject({ kind: "ok", result: { n: 4 } });
  });

  test("[A1.4] nor when it shows only now that it answers without one, in whatever order", async () => {
    const invoke = start("odd.mjs", ["late-without-id"]);
    await invoke("named");
    expect(await invoke("run", { n: 1, ms: 1_500 }, 50)).toMatchObject({ error: { code: "timeout" } });
    const second = await invoke("run", { n: 2, ms: 200 });
    expect(second).toMatchObject({ error: { code: "unreachable", message: expect.stringContaining("without an id") } });
    expect(await invoke("run", { n: 3, ms: 2_000 })).toEqual({ kind: "ok", result: { n: 3, ms: 2_000 } });
  });

  test.each(LEVELS)("[A1.4] one that leaves after each answer is started again: %s", async (level) => {
    const invoke = start("odd.mjs", ["exits-after-each-answer"], await sandboxOfLevel(level));
    const replies = [];
    for (let n = 0; n < 5; n++) replies.push(await invoke("run", { n }));
    expect(replies).toEqual([0, 1, 2, 3, 4].map((n) => ({ kind: "ok", result: { n } })));
    const atOnce = [5, 6, 7, 8, 9, 10];
    expect(await Promise.all(atOnce.map((n) => invoke("run", { n })))).toEqual(
      atOnce.map((n) => ({ kind: "ok", result: { n } })),
    );
  });

  test.each(LEVELS)("[A1.4] a call beside one that was too slow is not lost with it: %s", async (level) => {
    const invoke = start("odd.mjs", ["blocks"], await sandboxOfLevel(level));
    await invoke();
    const replies = await Promise.all([invoke("block", { ms: 2_500 }, 50), invoke("run", {}, 20_000)]);
    expect(replies).toMatchObject([
      { error: { code: "timeout", message: "the module did not answer within 50 ms" } },
      { kind: "ok" },
    ]);
  });

  test("[A1.4] a timeout names the limit that was set, not what was left of it", async () => {
    const invoke = start("odd.mjs", ["late-without-id"]);
    const message = "the module did not answer within 700 ms";
    await invoke("named");
    const slow = invoke("run", { ms: 30_000 }, 100);
    expect(await invoke("run", { ms: 30_000 }, 700)).toMatchObject({ error: { code: "timeout", message } });
    await slow;
    // It waits until it is known whether the module is stuck, which takes of its time.
    expect(await invoke("run", { ms: 30_000 }, 700)).toMatchObject({ error: { code: "timeout", message } });
  });

  test.each([
    ["too deep", "nested too deep"],
    ["infinite", "not valid JSON"],
    ["invalid utf-8", "not valid UTF-8"],
    ["nul", "not valid JSON"],
    ["cut", "not valid JSON"],
    ["too long", "longer than"],
    ["too long, id last", "longer than"],
    ["number as id", "nested too deep"],
    ["wrong shape", "neither a success nor a failure"],
  ])("[A1.6] an answer that cannot be read fails its call at once, and no other: %s", async (how, why) => {
    const invoke = start("odd.mjs", ["unreadable"]);
    const other = invoke("run", { after: true });
    const reply = await invoke("run", { how });
    expect(reply).toMatchObject({ error: { code: "internal", message: expect.stringContaining(why) } });
    await invoke("run", { release: true });
    expect(await other).toEqual({ kind: "ok", result: "waited" });
  });

  test("[A1.4] one that leaves instead of answering is unreachable", async () => {
    const error = { code: "unreachable", message: "the module ended with exit code 0" };
    expect(await start("odd.mjs", ["exits-without-an-answer"])()).toMatchObject({ error });
  });

  test("[A1.4] [case 25] that dies takes every open call with it; the next call finds a new one", async () => {
    const invoke = start("odd.mjs", ["dies-when-told"]);
    const details = { exitCode: 7, signal: null, stderr: "out of ideas\n" };
    const dead = {
      kind: "error",
      error: { code: "unreachable", message: "the module ended with exit code 7", details },
    };
    const before = await invoke();
    expect(await Promise.all([invoke("die"), invoke("die"), invoke("die")])).toEqual([dead, dead, dead]);
    const after = await invoke();
    expect(after).toMatchObject({ kind: "ok" });
    expect(after).not.toEqual(before);
  });

  test.each(LEVELS)("[A1.4] that closes its output is unreachable: %s", async (level) => {
    const invoke = start("odd.mjs", ["closes-its-output"], await sandboxOfLevel(level));
    const error = { code: "unreachable", message: "the module closed its output" };
    expect(await Promise.all([invoke(), invoke()])).toMatchObject([{ error }, { error }]);
  });

  test("[A1.4] [case 26] that does not exist is unreachable at once", async () => {
    const sandbox = createUnconfined();
    const nowhere: Sandbox = {
      ...sandbox,
      launch: (program) => sandbox.launch({ ...program, command: ["/nowhere/at-all"] }),
    };
    expect(await start("odd.mjs", [], nowhere)()).toMatchObject({
      error: { code: "unreachable", message: "/nowhere/at-all does not exist" },
    });
  });

  test("that could not be launched is unreachable, and tried again by the next call", async () => {
    let attempts = 0;
    const sandbox = createUnconfined();
    const launch: Sandbox["launch"] = (program) =>
      ++attempts === 1 ? Promise.reject(new Error("no space left")) : sandbox.launch(program);
    const invoke = start("odd.mjs", ["none"], { ...sandbox, launch });
    expect(await invoke()).toMatchObject({ error: { code: "unreachable", message: "no space left" } });
    expect(await invoke()).toMatchObject({ kind: "ok" });
  });

  test("[A1.6] whose answer is neither a success nor a failure gave an internal error", async () => {
    for (const behaviour of ["no-envelope", "error-without-a-code"]) {
      expect(await start("odd.mjs", [behaviour])()).toMatchObject({ error: { code: "internal" } });
    }
  });

  test("[A1.3] [case 26] that ignores SIGTERM is gone after the grace, and so is its child", async () => {
    const reply = await start("odd.mjs", ["ignores-sigterm"])();
    const { pids } = (reply.kind === "ok" ? reply.result : null) as { pids: number[] };
    expect(pids.map(isAlive)).toEqual([true, true]);
    await opened[0]?.close();
    await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
  });

  test("[A1.4] that is stuck for good does not keep the next caller waiting, nor take its call along", async () => {
    const invoke = start("odd.mjs", ["hangs"]);
    const before = await invoke();
    expect(await invoke("hang", {}, 50)).toMatchObject({ error: { code: "timeout" } });
    const after = await invoke();
    expect(after).toMatchObject({ kind: "ok" });
    expect(after).not.toEqual(before);
  });
});

function mount(file: string, args: string[]): Parameters<Modules["invoke"]>[0]["tool"] {
  const transport = { type: "stdio", command: ["node", file, ...args] };
  const reading = mountManifest({ name: "odd", kind: "tool", transport, capabilities: [] }, MODULES, MODULES);
  if (reading.kind === "invalid") throw new Error(JSON.stringify(reading.problems));
  return reading.tool;
}

function programOf(file: string): Parameters<Sandbox["launch"]>[0] {
  const command = [process.execPath, MODULES + file];
  return { command, storyDir: MODULES, readFolders: [], env: {}, limits: DEFAULT_LIMITS, grants: [] };
}
