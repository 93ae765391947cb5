/** Modules as programs: what every module must do, and what only a process can do wrong. */
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { createModuleClient, type ModuleClient } from "../src/runners/module-client.ts";
import { createStdioConnection } from "../src/runners/module-stdio.ts";
import { DEFAULT_LIMITS, type Sandbox } from "../src/runtime/seams/sandbox.ts";
import { createUnconfined } from "../src/sandbox/unconfined.ts";
import type { ModuleReply } from "../src/runtime/seams/modules.ts";
import { describeModules } from "./module-behaviour.ts";
import { isAlive } from "./processes.ts";
import { sandboxOfLevel } from "./sandbox-of-level.ts";

const MODULES = fileURLToPath(new URL("./fixtures/modules/", import.meta.url));
const never = new AbortController().signal;

for (const level of ["none", "full"]) {
  describeModules(`stdio, sandbox ${level}`, async () => {
    const sandbox = await sandboxOfLevel(level);
    return { connection: connect(sandbox, "mirror-stdio.mjs"), stop: async () => sandbox.close?.() };
  });
}

describe("a module's process", () => {
  const clients: ModuleClient[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });
  const start = (file: string, ...args: string[]): ModuleClient => {
    const client = createModuleClient(connect(createUnconfined(), file, ...args));
    clients.push(client);
    return client;
  };
  const invoke = (client: ModuleClient, op = "run", args: JsonObject = {}, timeoutMs = 10_000): Promise<ModuleReply> =>
    client.invoke({ op, args, sessionId: null, timeoutMs }, never);

  test("[A1.3] is started on first use and used again", async () => {
    const client = start("odd.mjs", "none");
    expect(client.isUp()).toBe(false);
    const first = await invoke(client);
    expect(first).toMatchObject({ kind: "ok" });
    expect(await invoke(client)).toEqual(first);
  });

  test("[A1.3] [case 25] lines that are no response are skipped and told of", async () => {
    const client = start("mirror-stdio.mjs");
    expect(await invoke(client, "nothing")).toEqual({ kind: "ok", result: null });
    const { warnings, stderr: first } = client.takeOutput();
    expect(warnings).toEqual([
      "skipped what is no response: mirror 1.0.0, ready",
      "skipped what is no response: {half a line of JSON",
    ]);
    // Another pipe, which may be behind; and nothing is told twice.
    let stderr = first;
    await expect.poll(() => (stderr += client.takeOutput().stderr)).toBe("the mirror is up\n");
    expect(client.takeOutput()).toEqual({ warnings: [], stderr: "" });
  });

  test("[A1.2] an answer without an id is the oldest call's; a line of a log is nobody's", async () => {
    const client = start("odd.mjs", "no-id");
    const replies = await Promise.all([invoke(client, "run", { n: 1 }), invoke(client, "run", { n: 2 })]);
    expect(replies).toEqual([
      { kind: "ok", result: { n: 1 } },
      { kind: "ok", result: { n: 2 } },
    ]);
  });

  test("[A1.4] [case 25] that dies takes every open call with it; the next call finds a new one", async () => {
    const client = start("odd.mjs", "dies-when-called");
    const details = { exitCode: 7, signal: null, stderr: "out of ideas\n" };
    const dead = {
      kind: "error",
      error: { code: "unreachable", message: "the module ended with exit code 7", details },
    };
    expect(await Promise.all([invoke(client), invoke(client), invoke(client)])).toEqual([dead, dead, dead]);
    expect(client.isUp()).toBe(false);
    expect(await client.health()).toMatchObject({ kind: "ok" });
  });

  test("[A1.4] that closes its output is unreachable", async () => {
    const client = start("odd.mjs", "closes-its-output");
    expect(await invoke(client)).toMatchObject({ error: { code: "unreachable" } });
  });

  test("[A1.4] [case 26] that does not exist is unreachable at once", async () => {
    const nowhere = createModuleClient(
      createStdioConnection(() => createUnconfined().launch(programOf(["/nowhere/at-all"]))),
    );
    expect(await invoke(nowhere)).toMatchObject({
      error: { code: "unreachable", message: "/nowhere/at-all does not exist" },
    });
    await nowhere.close();
  });

  test("that could not be launched is unreachable, and tried again by the next call", async () => {
    let attempts = 0;
    const program = programOf([process.execPath, `${MODULES}odd.mjs`, "none"]);
    const launch = (): ReturnType<Sandbox["launch"]> =>
      ++attempts === 1 ? Promise.reject(new Error("no space left")) : createUnconfined().launch(program);
    const client = createModuleClient(createStdioConnection(launch));
    clients.push(client);
    expect(await invoke(client)).toMatchObject({ error: { code: "unreachable", message: "no space left" } });
    expect(await invoke(client)).toMatchObject({ kind: "ok" });
  });

  test("[A1.6] whose answer is neither a success nor a failure gave an internal error", async () => {
    for (const behaviour of ["no-envelope", "error-without-a-code"]) {
      expect(await invoke(start("odd.mjs", behaviour))).toMatchObject({ error: { code: "internal" } });
    }
  });

  test("[A1.3] [case 26] that ignores SIGTERM is gone after the grace, and so is its child", async () => {
    const client = createModuleClient(connect(createUnconfined(), "odd.mjs", "ignores-sigterm"));
    const reply = await invoke(client);
    const { pids } = (reply.kind === "ok" ? reply.result : null) as { pids: number[] };
    expect(pids.map(isAlive)).toEqual([true, true]);
    await client.close();
    await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
  });

  test("[A1.4] that is stuck for good does not keep the next caller waiting", async () => {
    const client = start("odd.mjs", "hangs");
    const before = await invoke(client);
    expect(await invoke(client, "hang", {}, 50)).toMatchObject({ error: { code: "timeout" } });
    await expect.poll(() => client.isUp(), { timeout: 10_000 }).toBe(false);
    const after = await invoke(client);
    expect(after).toMatchObject({ kind: "ok" });
    expect(after).not.toEqual(before);
  });
});

function connect(sandbox: Sandbox, file: string, ...args: string[]): ReturnType<typeof createStdioConnection> {
  const program = programOf([process.execPath, MODULES + file, ...args]);
  return createStdioConnection(() => sandbox.launch(program), { terminateGraceMs: 200 });
}

function programOf(command: string[]): Parameters<Sandbox["launch"]>[0] {
  return { command, storyDir: MODULES, readFolders: [], env: {}, limits: DEFAULT_LIMITS, grants: [] };
}
