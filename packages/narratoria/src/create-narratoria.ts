/** The composition root: the only place that picks implementations for the runtime's seams. */
import { randomInt, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { NARRATOR_KINDS } from "./narrators/narrator-kinds.ts";
import { orchestratorNarrator } from "./narrators/orchestrator.ts";
import { createRunnerByProtocol, unavailableRunner } from "./runners/by-protocol.ts";
import { createModuleRunner } from "./runners/module.ts";
import { createModules } from "./runners/modules.ts";
import { createProcessRunner } from "./runners/process.ts";
import { withRecordedTools } from "./runners/recorded.ts";
import { createPythonRunner } from "./runners/python/runner.ts";
import { createAskDesk } from "./runtime/policy/asks.ts";
import type { AssetStore } from "./runtime/seams/assets.ts";
import { systemClock, type Clock } from "./runtime/seams/clock.ts";
import { watchHealth, type HealthOf } from "./runtime/mounts/mount-health.ts";
import { createHooks, type Hooks } from "./runtime/policy/hooks.ts";
import { createModuleContext } from "./runtime/turns/module-context.ts";
import { createModuleHooks } from "./runtime/policy/module-hooks.ts";
import type { Modules } from "./runtime/seams/modules.ts";
import { createPermissions } from "./runtime/policy/permissions.ts";
import { NOTHING_GRANTED, type Policy } from "./runtime/policy/policy.ts";
import type { SandboxLevel } from "./runtime/seams/sandbox.ts";
import type { SessionService } from "./runtime/seams/session-service.ts";
import { createSessions } from "./runtime/sessions/sessions.ts";
import { createSlots, type Slots } from "./runtime/execution/slots.ts";
import type { Store } from "./runtime/seams/store.ts";
import { createStoryShelf } from "./runtime/mounts/story-shelf.ts";
import { createToolDirectory, type ToolDirectory } from "./runtime/policy/tool-directory.ts";
import type { ToolRunner } from "./runtime/seams/tool-runner.ts";
import { chooseSandbox } from "./sandbox/choose-sandbox.ts";
import { endLeftoverTools } from "./sandbox/leftover-tools.ts";
import { assetPath, createAssetFolder, sweepAssetFolder } from "./stores/asset-folder.ts";
import { createGrantFile } from "./stores/grant-file.ts";
import { lockDataFolder } from "./stores/host-lock.ts";
import { openSqliteStore } from "./stores/sqlite.ts";

/** What running tools takes, sessions or not. */
export interface Narratoria {
  runner: ToolRunner;
  modules: Modules;
  healthOf: HealthOf;
  assets: AssetStore;
  slots: Slots;
  clock: Clock;
  policy: Policy;
  sandboxLevel: SandboxLevel;
  /** How to get to the full sandbox; null when it is. */
  sandboxAdvice: string | null;
  /** Where assets lie. */
  assetDir: string;
  assetFile(sha256: string): string;
  /** Ends the processes that were kept for a session. */
  endSession(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

export interface NarratoriaOptions {
  /** Where to keep things; without it nothing outlives the process. */
  dataDir?: string | undefined;
  sandbox?: "best" | "none" | undefined;
  policy?: Policy | undefined;
}

export interface SessionsOptions extends NarratoriaOptions {
  /** The story a new session tells; without it the one that ships with Narratoria. */
  storyDir?: string | undefined;
  /** Who wants to know what happens, or have a say in it. */
  hooks?: Hooks | undefined;
  /** Whether a player is there to be asked for permissions. */
  mayAsk?: boolean | undefined;
}

const STORE_FILE = "narratoria.db";

/** Everything a server or a terminal needs. */
export interface Host extends SessionService {
  tools: ToolDirectory;
}

export const LIMITS = { toolMs: 30_000, planMs: 60_000, turnMs: 120_000 };

const STORIES = fileURLToPath(new URL("../../../stories/", import.meta.url));
export const DEFAULT_STORY = join(STORIES, "the-lamp-under-the-hill");

export async function createNarratoria(options: NarratoriaOptions = {}): Promise<Narratoria> {
  const keep = options.dataDir !== undefined;
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "narratoria-")));
  const { sandbox, level, advice } = await chooseSandbox(options.sandbox ?? "best", [dataDir]);
  const assetDir = join(dataDir, "assets");
  const modules = createModules({ sandbox });
  const python = createPythonRunner({ sandbox });
  const byProtocol = createRunnerByProtocol({
    "narratoria/0": createProcessRunner({ sandbox }),
    "namel3ss/1": python,
    "amplifier/1": createModuleRunner(modules, level),
    mcp: unavailableRunner("mcp"),
  });
  const { runner, healthOf } = watchHealth(withRecordedTools(byProtocol), () => systemClock.now());
  return {
    runner,
    modules,
    healthOf,
    assets: createAssetFolder(assetDir),
    slots: createSlots(availableParallelism()),
    clock: systemClock,
    policy: options.policy ?? NOTHING_GRANTED,
    sandboxLevel: level,
    sandboxAdvice: advice,
    assetDir,
    assetFile: (sha256) => assetPath(assetDir, sha256),
    endSession: async (sessionId) => {
      await Promise.all([modules.endSession(sessionId), python.endSession(sessionId)]);
    },
    close: async () => {
      await runner.close?.();
      await sandbox.close?.();
      if (!keep) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Another host has the data folder. */
export class DataFolderInUse extends Error {}

export async function openSessions(options: SessionsOptions = {}): Promise<Host> {
  const { dataDir } = options;
  const lock = dataDir === undefined ? null : lockDataFolder(dataDir);
  if (dataDir !== undefined && lock === null) {
    throw new DataFolderInUse(
      `another Narratoria is using ${dataDir}; end it first, or give this one its own with --data`,
    );
  }
  try {
    const store = openSqliteStore(dataDir === undefined ? ":memory:" : join(dataDir, STORE_FILE));
    return await composeSessions(options, store, () => lock?.release());
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** For commands that only look: it needs no lock, so it works beside a running host. What would write, throws. */
export async function openSessionsReadOnly(dataDir: string): Promise<SessionService> {
  const file = join(dataDir, STORE_FILE);
  const store = existsSync(file) ? openSqliteStore(file, { readOnly: true }) : openSqliteStore(":memory:");
  return composeSessions({ dataDir, sandbox: "none", readOnly: true }, store, () => {});
}

async function composeSessions(
  options: SessionsOptions & { readOnly?: boolean },
  store: Store,
  release: () => void,
): Promise<Host> {
  const { dataDir } = options;
  const narratoria = await createNarratoria(options);
  const keeper = createGrantFile(dataDir === undefined ? null : join(dataDir, "grants.json"));
  const permissions = createPermissions(narratoria.policy, keeper, options.mayAsk ?? false);
  const hooks = options.hooks ?? createHooks(systemClock);
  const sessions = createSessions({
    ...narratoria,
    store,
    endLeftovers: endLeftoverTools,
    readOnly: options.readOnly ?? false,
    permissions,
    asks: createAskDesk(),
    hooks,
    openContext: createModuleContext({ ...narratoria, permissions }),
    mountHooks: createModuleHooks({ ...narratoria, hooks, permissions }),
    limits: LIMITS,
    newId: randomUUID,
    newSeed: () => randomInt(2 ** 31),
    shelf: createStoryShelf([STORIES], options.storyDir ?? DEFAULT_STORY, {
      ...NARRATOR_KINDS,
      module: orchestratorNarrator({ ...narratoria, permissions }),
    }),
    sweepAssets: (stillUsed) => sweepAssetFolder(narratoria.assetDir, stillUsed),
  });
  return {
    ...sessions,
    tools: createToolDirectory(() => sessions.stories(), permissions, narratoria.healthOf),
    close: async () => {
      await sessions.close();
      await narratoria.close();
      release();
    },
  };
}
