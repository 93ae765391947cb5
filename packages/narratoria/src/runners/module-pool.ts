/**
 * The modules that are up: started on first use, asked who they are before anything else, shared by all calls with the
 * same mount and grants, and ended when nobody has needed them for a while.
 */
import { statSync } from "node:fs";
import { isJsonObject, type JsonObject } from "@narratoria/tool/json";
import {
  moduleError,
  type ModuleCall,
  type ModuleCallReport,
  type ModuleReply,
  type Modules,
  type MountedModule,
} from "../runtime/seams/modules.ts";
import type { Sandbox } from "../runtime/seams/sandbox.ts";
import type { ModuleDescriptor } from "../story/module-descriptor.ts";
import type { InputCheck } from "./check-input.ts";
import { createModuleClient, type ModuleClient } from "./module-client.ts";
import { findContradiction, inputSchemas } from "./module-description.ts";
import { createHttpConnection } from "./module-http.ts";
import type { ModuleProcessOptions } from "./module-process.ts";
import { createStdioConnection } from "./module-stdio.ts";

export interface ModulePoolOptions extends ModuleProcessOptions {
  sandbox: Sandbox;
  /** How long a module may rest before it is ended. */
  idleMs?: number;
}

interface PooledModule {
  readonly key: string;
  client: ModuleClient;
  /** What it says about itself, once it was asked and the answer was right. */
  introduced: Promise<Introduction> | null;
  calls: number;
  idleTimer: NodeJS.Timeout | undefined;
}

type Introduction =
  | { kind: "known"; checks: ((input: JsonObject) => InputCheck)[] }
  | Extract<ModuleReply, { kind: "error" }>;

export function createModulePool(options: ModulePoolOptions): Modules {
  const { sandbox, idleMs = 60_000 } = options;
  const pool = new Map<string, PooledModule>();
  let isClosed = false;

  async function invoke(module: MountedModule, call: ModuleCall, signal: AbortSignal): Promise<ModuleCallReport> {
    // A hook may still hear of the end: what is started now nobody would end.
    if (isClosed) return CLOSED;
    const began = performance.now();
    const pooled = acquire(module);
    const warnings: string[] = [];
    let wasCalled = false;

    async function answer(): Promise<ModuleReply> {
      const introduction = await within(call.timeoutMs, signal, introduce(pooled, module));
      if (introduction.kind === "error") return introduction;
      for (const check of introduction.checks) {
        const found = check(call.args);
        if (found.kind === "unusable")
          warnings.push(`the schema of the module's inputs cannot be used: ${found.reason}`);
        if (found.kind !== "wrong") continue;
        const what = found.problems.map(({ pointer, message }) => `${pointer || "/"} ${message}`).join("; ");
        return moduleError("bad_request", `the input is wrong: ${what}`, {
          problems: found.problems.map((one) => ({ ...one })),
        });
      }
      wasCalled = true;
      const leftMs = Math.max(1, call.timeoutMs - (performance.now() - began));
      return pooled.client.invoke({ ...call, timeoutMs: leftMs }, signal);
    }

    const reply = await answer();
    release(pooled);
    const output = pooled.client.takeOutput();
    const durationMs = performance.now() - began;
    return { reply, wasCalled, durationMs, stderr: output.stderr, warnings: [...output.warnings, ...warnings] };
  }

  function acquire(module: MountedModule): PooledModule {
    const key = keyOf(module);
    const pooled = pool.get(key) ?? { key, client: open(module), introduced: null, calls: 0, idleTimer: undefined };
    pool.set(key, pooled);
    pooled.calls++;
    clearTimeout(pooled.idleTimer);
    return pooled;
  }

  function release(pooled: PooledModule): void {
    if (--pooled.calls > 0) return;
    pooled.idleTimer = setTimeout(() => {
      pool.delete(pooled.key);
      void pooled.client.close();
    }, idleMs).unref();
  }

  function open({ tool, storyDir, secrets }: MountedModule): ModuleClient {
    const { command, readFolders, limits, needs, manifest } = tool;
    const url = manifest?.transport.url;
    if (url !== undefined) return createModuleClient(createHttpConnection(url, options.maxMessageBytes));
    const program = { command, storyDir, readFolders, env: secrets, limits, grants: needs };
    return createModuleClient(createStdioConnection(() => sandbox.launch(program), options));
  }

  async function close(): Promise<void> {
    isClosed = true;
    const all = [...pool.values()];
    pool.clear();
    for (const { idleTimer } of all) clearTimeout(idleTimer);
    await Promise.all(all.map(({ client }) => client.close()));
  }
  return { invoke, describe: () => Promise.resolve(null), endSession: () => Promise.resolve(), close };
}

const CLOSED: ModuleCallReport = {
  reply: moduleError("unreachable", "Narratoria is being shut down"),
  wasCalled: false,
  durationMs: 0,
  stderr: "",
  warnings: [],
};

/** One question for all who wait. A module that could not answer, or was started anew, is asked again. */
function introduce(pooled: PooledModule, { tool }: MountedModule): Promise<Introduction> {
  const descriptor = tool.manifest as ModuleDescriptor;
  if (!pooled.client.isUp()) pooled.introduced = null;
  pooled.introduced ??= ask().then((introduction) => {
    if (introduction.kind === "error") pooled.introduced = null;
    return introduction;
  });
  return pooled.introduced;

  async function ask(): Promise<Introduction> {
    const reply = await pooled.client.describe();
    if (reply.kind === "error") return reply;
    const description = isJsonObject(reply.result) ? reply.result : {};
    const contradiction = findContradiction(description, descriptor);
    if (contradiction !== null) return moduleError("forbidden", contradiction);
    const schemas = inputSchemas(description, descriptor);
    if (schemas.length === 0) return { kind: "known", checks: [] };
    // Loaded only here: most runs never check an input.
    const { prepareInputCheck } = await import("./check-input.ts");
    return { kind: "known", checks: schemas.map(prepareInputCheck) };
  }
}

/** The introduction is everybody's; how long to wait for it is each caller's own business. */
function within(limitMs: number, signal: AbortSignal, introduction: Promise<Introduction>): Promise<Introduction> {
  return new Promise((resolve) => {
    const giveUp = (): void => settle(moduleError("timeout", `the module was not ready within ${limitMs} ms`));
    const timer = setTimeout(giveUp, limitMs);
    function settle(value: Introduction): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      resolve(value);
    }
    if (signal.aborted) return giveUp();
    signal.addEventListener("abort", giveUp);
    void introduction.then(settle);
  });
}

/** Everything that makes it another process, the time its files were changed included. */
function keyOf({ tool, storyDir, secrets }: MountedModule): string {
  const { command, needs, limits, readFolders, manifest } = tool;
  const changes = command.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null);
  return JSON.stringify([storyDir, command, changes, needs, limits, readFolders, secrets, manifest]);
}
