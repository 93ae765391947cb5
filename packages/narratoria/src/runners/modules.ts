/**
 * Calls mounted modules: each is started on first use, asked who it is before anything else, and held to its mount.
 * `process-pool.ts` keeps them between calls, one for each session unless the mount says `shared`.
 */
import { isAbsolute } from "node:path";
import { isJsonObject, type JsonObject } from "@narratoria/tool/json";
import { systemClock, type CallClock } from "../runtime/seams/clock.ts";
import {
  moduleError,
  type ModuleCall,
  type ModuleCallReport,
  type ModuleReply,
  type Modules,
} from "../runtime/seams/modules.ts";
import type { EquippedMount } from "../runtime/seams/resolved-tool.ts";
import type { RunningProcess, Sandbox } from "../runtime/seams/sandbox.ts";
import type { ModuleDescriptor } from "../story/module-descriptor.ts";
import { prepareInputCheck, type CheckInput } from "./check-input.ts";
import { versionOfFiles } from "./code-version.ts";
import { createModuleClient, type ModuleClient, type ModuleConnection, type NotTaken } from "./module-client.ts";
import { findContradiction, inputSchemas } from "./module-description.ts";
import { createHttpConnection } from "./module-http.ts";
import { createStdioConnection, type ModuleProcessOptions } from "./module-stdio.ts";
import {
  createProcessPool,
  type Lease,
  type PooledProcess,
  type ProcessIdentity,
  type ProcessPoolOptions,
  type Started,
} from "./process-pool.ts";

export interface ModulesOptions extends ModuleProcessOptions, Partial<ProcessPoolOptions> {
  sandbox: Sandbox;
}

const KEPT: ProcessPoolOptions = {
  callersAtOnce: Infinity,
  idleMs: 60_000,
  mostIdle: 32,
  idleCpuMs: 2_000,
  mostCalls: Infinity,
};
const DESCRIBE_MS = 5_000;

interface PooledModule extends PooledProcess {
  client: ModuleClient;
  /** What it says about itself, once it was asked and the answer was right. */
  introduced: Promise<Introduction> | null;
}

interface Known {
  kind: "known";
  description: JsonObject;
  checks: CheckInput[];
}
type Failed = Extract<ModuleReply, { kind: "error" }>;
type Introduction = Known | Failed;
type Ready = { kind: "ready"; lease: Lease<PooledModule>; introduction: Introduction };

export function createModules(options: ModulesOptions): Modules {
  const { sandbox } = options;
  const pool = createProcessPool<PooledModule>({ ...KEPT, ...options });
  let isClosed = false;

  async function invoke(
    module: EquippedMount,
    call: ModuleCall,
    clock: CallClock,
    signal: AbortSignal,
  ): Promise<ModuleCallReport> {
    // A hook may still hear of the end: what is started now nobody would end.
    if (isClosed) return CLOSED;
    const began = clock.elapsed();
    const leftMs = (): number => Math.max(1, call.timeoutMs - (clock.elapsed() - began));
    const printed: ModuleCallReport = { ...CLOSED, warnings: [] };
    let wasCalled = false;
    let known: Known | null = null;

    async function answer(): Promise<ModuleReply | NotTaken> {
      const ready = await within(
        { limitMs: call.timeoutMs, leftMs: leftMs() },
        clock,
        signal,
        prepare(module, call.sessionId, known),
      );
      if (ready.kind === "error") return ready;
      const { lease, introduction } = ready;
      const reply = introduction.kind === "error" ? introduction : await ask(lease.process.client, introduction);
      const { stderr, warnings } = lease.process.client.takeOutput();
      printed.stderr += stderr;
      printed.warnings.push(...warnings);
      lease.release();
      return reply;
    }

    async function ask(client: ModuleClient, introduction: Known): Promise<ModuleReply | NotTaken> {
      known = introduction;
      const wrong = await checkInput(introduction, call.args, printed.warnings, signal);
      if (wrong !== null) return wrong;
      wasCalled = true;
      return client.invoke({ ...call, began }, clock, signal);
    }

    const mayGoOn = (): boolean => clock.elapsed() - began < call.timeoutMs && !signal.aborted;
    // Each that leaves in good order has answered somebody: it is a matter of time until this call is the one.
    let reply = await answer();
    while (reply.kind === "not_taken" && mayGoOn()) reply = await answer();
    if (reply.kind === "not_taken") reply = { kind: "error", error: reply.error };
    return { ...printed, reply, wasCalled, durationMs: clock.elapsed() - began };
  }

  /** `known`: what it said about itself in this very call, before it left: its successor need not be asked again. */
  async function prepare(
    module: EquippedMount,
    sessionId: string | null,
    known: Known | null,
  ): Promise<Ready | Failed> {
    const lease = await pool.take(identityOf(module, sessionId), () => start(module));
    if (lease.kind === "error") return lease;
    if (known !== null) lease.process.introduced ??= Promise.resolve(known);
    return { kind: "ready", lease, introduction: await introduce(lease.process, module) };
  }

  async function describe(module: EquippedMount, signal: AbortSignal): Promise<JsonObject | null> {
    if (isClosed) return null;
    const ready = await within(
      { limitMs: DESCRIBE_MS, leftMs: DESCRIBE_MS },
      systemClock,
      signal,
      prepare(module, null, null),
    );
    if (ready.kind === "error") return null;
    ready.lease.release();
    return ready.introduction.kind === "known" ? ready.introduction.description : null;
  }

  async function start(module: EquippedMount): Promise<Started<PooledModule> | Failed> {
    const { command, manifest, credentials } = module.tool;
    const url = manifest?.transport.url;
    if (url !== undefined) {
      const service = { url, authorization: credentials?.authorization, maxMessageBytes: options.maxMessageBytes };
      return pooled(createHttpConnection(service), () => true);
    }
    const files = command.filter((argument) => isAbsolute(argument));
    const version = versionOfFiles(files);
    let process: RunningProcess;
    try {
      process = await sandbox.launch(programOf(module));
    } catch (error) {
      // No room for its folders, perhaps: the next call tries again.
      return moduleError("unreachable", (error as Error).message);
    }
    return pooled(createStdioConnection(process, options), () => versionOfFiles(files) === version);
  }

  return {
    invoke,
    describe,
    endSession: (sessionId) => pool.endSession(sessionId),
    close: async () => {
      isClosed = true;
      await pool.close();
    },
  };
}

function pooled(connection: ModuleConnection, isCurrent: () => boolean): Started<PooledModule> {
  const client = createModuleClient(connection);
  const process: PooledModule = {
    client,
    introduced: null,
    isUsable: () => client.isUp(),
    isCurrent,
    cpuMs: () => client.cpuMs(),
    end: () => client.close(),
  };
  return { kind: "started", process };
}

function programOf({ tool, storyDir, secrets }: EquippedMount): ProcessIdentity["program"] {
  const { command, readFolders, limits, needs } = tool;
  return { command, storyDir, readFolders, env: secrets, limits, grants: needs };
}

/** A service is the same for everybody, however we call it. */
function identityOf(module: EquippedMount, sessionId: string | null): ProcessIdentity {
  const { manifest, credentials = {} } = module.tool;
  const isShared = manifest?.shared === true || manifest?.transport.type === "http";
  return { program: programOf(module), manifest, setting: credentials, sessionId: isShared ? null : sessionId };
}

const CLOSED: ModuleCallReport = {
  reply: moduleError("unreachable", "Narratoria is being shut down"),
  wasCalled: false,
  durationMs: 0,
  stderr: "",
  warnings: [],
};

/** One question for all who wait. A module that could not answer is asked again. */
function introduce(module: PooledModule, { tool, storyDir }: EquippedMount): Promise<Introduction> {
  const descriptor = tool.manifest as ModuleDescriptor;
  module.introduced ??= ask().then((introduction) => {
    if (introduction.kind === "error") module.introduced = null;
    return introduction;
  });
  return module.introduced;

  async function ask(): Promise<Introduction> {
    const reply = await module.client.describe();
    if (reply.kind === "error") return reply;
    const description = isJsonObject(reply.result) ? reply.result : {};
    const contradiction = findContradiction(description, descriptor);
    if (contradiction !== null) return moduleError("forbidden", contradiction);
    const checks = inputSchemas(description, descriptor).map((schema) => prepareInputCheck(schema, storyDir));
    return { kind: "known", description, checks };
  }
}

/** What is wrong with an input; null when nothing is. */
async function checkInput(
  { checks }: Known,
  input: JsonObject,
  warnings: string[],
  signal: AbortSignal,
): Promise<Failed | null> {
  for (const check of checks) {
    const found = await check(input, signal);
    if (found.kind === "unusable") warnings.push(`the schema of the module's inputs cannot be used: ${found.reason}`);
    if (found.kind !== "wrong") continue;
    const what = found.problems.map(({ pointer, message }) => `${pointer || "/"} ${message}`).join("; ");
    const problems = found.problems.map((one) => ({ ...one }));
    return moduleError("bad_request", `the input is wrong: ${what}`, { problems });
  }
  return null;
}

/** A start and an introduction are everybody's; how long to wait for them is each caller's own business. */
function within(
  { limitMs, leftMs }: { limitMs: number; leftMs: number },
  clock: CallClock,
  signal: AbortSignal,
  preparing: Promise<Ready | Failed>,
): Promise<Ready | Failed> {
  return new Promise((resolve) => {
    let hasGivenUp = false;
    const giveUp = (): void => {
      hasGivenUp = true;
      settle(moduleError("timeout", `the module was not ready within ${limitMs} ms`));
    };
    const timer = clock.after(leftMs, giveUp);
    function settle(value: Ready | Failed): void {
      timer.cancel();
      signal.removeEventListener("abort", giveUp);
      resolve(value);
    }
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp);
    void preparing.then((ready) => {
      if (!hasGivenUp) settle(ready);
      else if (ready.kind === "ready") ready.lease.release();
    });
  });
}
