/**
 * The composition root: the only place that picks implementations for the runtime's seams, where nobody brought their
 * own. `library/open-narratoria.ts` makes of it what the public has.
 */
import { randomInt, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { STORIES } from "./installation.ts";
import { createInkNarrator, warmUpInk } from "./narrators/ink.ts";
import { NARRATOR_KINDS } from "./narrators/narrator-kinds.ts";
import { orchestratorNarrator } from "./narrators/orchestrator.ts";
import { createSuggester } from "./narrators/suggester.ts";
import { createLocalEngine } from "./engines/local.ts";
import { createMountedRunner, unavailableRunner, type RunnersByProtocol } from "./runners/mounted-runner.ts";
import { createModuleRunner } from "./runners/module.ts";
import { createModules } from "./runners/modules.ts";
import { createProcessRunner } from "./runners/process.ts";
import { createRecordedRunner } from "./runners/recorded.ts";
import { createPythonRunner } from "./runners/python/runner.ts";
import { createAskDesk } from "./runtime/policy/asks.ts";
import { systemClock, type Clock } from "./runtime/seams/clock.ts";
import { createHealthBook, type HealthOf } from "./runtime/mounts/mount-health.ts";
import { realLocation } from "./runtime/mounts/real-location.ts";
import { createToolRegistry, type ToolRegistry } from "./runtime/mounts/tool-registry.ts";
import { createHooks, type Hooks } from "./runtime/policy/hooks.ts";
import { beginTurn, type TurnHost } from "./runtime/turns/begin-turn.ts";
import { openModuleContext } from "./runtime/turns/module-context.ts";
import { describeTools } from "./runtime/turns/narrator-tools.ts";
import { createModuleCaller } from "./runtime/policy/call-module.ts";
import { createModuleHooks } from "./runtime/policy/module-hooks.ts";
import type { Engine } from "./runtime/seams/engine.ts";
import { shareDescriptors, type DescriptorShares } from "./runtime/seams/descriptors.ts";
import type { Modules } from "./runtime/seams/modules.ts";
import { createPermissions } from "./runtime/policy/permissions.ts";
import { NOTHING_GRANTED, type Policy } from "./runtime/policy/policy.ts";
import type { SandboxLevel } from "./story/execution-result.ts";
import type { SessionService } from "./runtime/seams/session-service.ts";
import { createSessions, type SessionAssets } from "./runtime/sessions/sessions.ts";
import { PACE } from "./runtime/execution/pace.ts";
import { createSlots } from "./runtime/execution/slots.ts";
import type { Store } from "./runtime/seams/store.ts";
import type { NarratorKind } from "./runtime/mounts/load-story.ts";
import { createStoryShelf, foldersIn } from "./runtime/mounts/story-shelf.ts";
import type { Sandbox } from "./runtime/seams/sandbox.ts";
import { createToolDirectory, type ToolDirectory } from "./runtime/policy/tool-directory.ts";
import { createToolContents } from "./runtime/policy/tool-content.ts";
import type { ToolRunner } from "./runtime/seams/tool-runner.ts";
import { chooseSandbox, type SandboxChoice } from "./sandbox/choose-sandbox.ts";
import { endLeftoverTools } from "./sandbox/leftover-tools.ts";
import { makeOwnFolder } from "./sandbox/own-folders.ts";
import { loaderOf } from "./stores/add-ons.ts";
import { assetPath, createAssetFolder, sweepAssets, sweepIncoming } from "./stores/asset-folder.ts";
import { createAssetHolds, releasingHolds, type AssetHolds } from "./stores/asset-holds.ts";
import { ASSETS, checkDataFolder, DATA_FILES } from "./stores/data-folder-check.ts";
import { createGrantFile } from "./stores/grant-file.ts";
import { lockDataFolder } from "./stores/host-lock.ts";
import { openSqliteStore } from "./stores/sqlite.ts";

/** With those that somebody is about to refer to. */
export interface HeldAssets extends SessionAssets {
  readonly holds: AssetHolds;
}

/** What running tools takes, sessions or not. */
export interface ToolHost {
  engine: Engine;
  runner: ToolRunner;
  registry: ToolRegistry;
  modules: Modules;
  healthOf: HealthOf;
  assets: HeldAssets;
  clock: Clock;
  policy: Policy;
  sandboxLevel: SandboxLevel;
  shares: DescriptorShares;
  /** How to get to the full sandbox; null when it is. */
  sandboxAdvice: string | null;
  newId(): string;
  close(): Promise<void>;
}

export interface ToolHostOptions {
  /** Where to keep things; without it nothing outlives the process. */
  dataDir?: string | undefined;
  /** The best there is here, none, or one's own. */
  sandbox?: "best" | "none" | Sandbox | undefined;
  policy?: Policy | undefined;
  /** How many tools may run at once, for all plans together; four a core when nobody says. */
  slots?: number | undefined;
  /** In place of those that Narratoria brings, by the protocol of a tool's manifest. */
  runners?: Partial<RunnersByProtocol> | undefined;
  engine?: Engine | undefined;
  clock?: Clock | undefined;
  newId?: (() => string) | undefined;
}

export interface SessionsOptions extends ToolHostOptions {
  /** The story a new session tells; without it the one that ships with Narratoria. */
  storyDir?: string | undefined;
  /** The folders of all stories that there are to choose from, besides that one; without it those that ship with Narratoria. */
  otherStories?: readonly string[] | undefined;
  /** Besides ours, by the name that a `story.json` calls them. */
  narrators?: Readonly<Record<string, NarratorKind>> | undefined;
  /** In place of a database in the data folder. */
  store?: Store | undefined;
  /** That folder is meant, also when it is somebody's home or holds keys. */
  allowStoryFolder?: boolean | undefined;
  /** Who wants to know what happens, or have a say in it. */
  hooks?: Hooks | undefined;
  /** The stories that the policy's grants are meant for; without it the one of `storyDir`. */
  policyHoldsFor?: ((storyDir: string) => boolean) | undefined;
  /** Tools may run below the full sandbox: somebody confirmed that for every story. */
  allowUnconfined?: boolean | undefined;
  /** Whether a player is there to be asked for permissions. */
  mayAsk?: boolean | undefined;
  /** Hears in a sentence what is wrong with what is kept, when it does not keep anybody from playing. */
  tell?: ((sentence: string) => void) | undefined;
}

/** Sessions, with what they are played by. */
export interface Host extends SessionService {
  tools: ToolDirectory;
  hooks: Hooks;
  toolHost: ToolHost;
  sandboxLevel: SandboxLevel;
  /** How many may be connected, and read. */
  shares: DescriptorShares;
}

const SLOTS_PER_CORE = 4;
export const LIMITS = { toolMs: 30_000, planMs: 60_000, turnMs: 120_000 };

export const DEFAULT_STORY = join(STORIES, "the-lamp-under-the-hill");

/** The folders of the stories that come with Narratoria. */
export function shippedStories(): string[] {
  return foldersIn(STORIES);
}

export async function createToolHost(options: ToolHostOptions = {}): Promise<ToolHost> {
  const keep = options.dataDir !== undefined;
  const dataDir = options.dataDir ?? makeOwnFolder("data");
  checkDataFolder(dataDir);
  const { sandbox, level, advice } = await sandboxOf(options.sandbox ?? "best", dataDir);
  const assetDir = join(dataDir, ASSETS);
  const mostAtOnce = availableParallelism();
  const shares = shareDescriptors(options.slots ?? SLOTS_PER_CORE * mostAtOnce);
  const modules = createModules({ sandbox, mostIdle: shares.restingModules });
  const registry = createToolRegistry();
  const clock = options.clock ?? systemClock;
  const newId = options.newId ?? randomUUID;
  const health = createHealthBook(() => clock.now());
  const runner = createMountedRunner({
    registry,
    health,
    recorded: createRecordedRunner(),
    byProtocol: {
      "narratoria/0": createProcessRunner({ sandbox }),
      "namel3ss/1": createPythonRunner({ sandbox, mostIdle: shares.restingServers }),
      "amplifier/1": createModuleRunner(modules, level),
      mcp: unavailableRunner("mcp"),
      ...options.runners,
    },
  });
  const holds = createAssetHolds();
  const assets: HeldAssets = {
    store: createAssetFolder(assetDir, undefined, holds),
    file: (sha256) => assetPath(assetDir, sha256),
    sweep: (hashes) => sweepAssets(assetDir, hashes, holds),
    holds,
  };
  const slots = createSlots(shares.slots);
  const means = { runner, registry, assets: assets.store, slots, mostAtOnce, clock, limits: LIMITS, newId };
  return {
    engine: options.engine ?? createLocalEngine(means),
    runner,
    registry,
    modules,
    healthOf: health.healthOf,
    assets,
    clock,
    policy: options.policy ?? NOTHING_GRANTED,
    sandboxLevel: level,
    shares,
    sandboxAdvice: advice,
    newId,
    close: async () => {
      await runner.close();
      await sandbox.close();
      if (!keep) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function sandboxOf(wanted: "best" | "none" | Sandbox, dataDir: string): Promise<SandboxChoice> {
  if (typeof wanted === "string") return chooseSandbox(wanted, [dataDir]);
  return { sandbox: wanted, level: wanted.level, advice: null };
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
  let ownStore: Store | undefined;
  try {
    const store = options.store ?? (ownStore = openStore(options));
    // Nobody else has the folder, so whatever lies there half copied was left by somebody who was killed.
    if (dataDir !== undefined) sweepIncoming(join(dataDir, ASSETS));
    return await composeSessions(options, store, () => lock?.release());
  } catch (error) {
    ownStore?.close();
    lock?.release();
    throw error;
  }
}

function openStore({ dataDir, tell }: SessionsOptions): Store {
  const file = dataDir === undefined ? ":memory:" : join(dataDir, DATA_FILES.store);
  return openSqliteStore(file, tell === undefined ? {} : { tell });
}

/** For commands that only look: it needs no lock, so it works beside a running host. What would write is refused. */
export async function openSessionsReadOnly(dataDir: string): Promise<SessionService> {
  checkDataFolder(dataDir);
  const file = join(dataDir, DATA_FILES.store);
  const store = existsSync(file) ? openSqliteStore(file, { readOnly: true }) : openSqliteStore(":memory:");
  return composeSessions({ dataDir, sandbox: "none", readOnly: true }, store, () => {});
}

async function composeSessions(
  options: SessionsOptions & { readOnly?: boolean },
  store: Store,
  release: () => void,
): Promise<Host> {
  if (!options.readOnly) warmUpInk();
  const toolHost = await createToolHost(options);
  try {
    return openSessionsOn(toolHost, options, store, release);
  } catch (error) {
    await toolHost.close();
    throw error;
  }
}

function openSessionsOn(
  toolHost: ToolHost,
  options: SessionsOptions & { readOnly?: boolean },
  store: Store,
  release: () => void,
): Host {
  const { dataDir } = options;
  const { policy, sandboxLevel: level, clock, engine, assets, newId } = toolHost;
  const policyStory = realLocation(options.storyDir ?? DEFAULT_STORY);
  const permissions = createPermissions({
    policy,
    policyHoldsFor: options.policyHoldsFor ?? ((dir) => realLocation(dir) === policyStory),
    contents: createToolContents({ hidden: dataDir === undefined ? [] : [dataDir], rest: () => PACE.rest() }),
    keeper: createGrantFile(dataDir === undefined ? null : join(dataDir, DATA_FILES.grants)),
    level,
    allowUnconfined: options.allowUnconfined ?? false,
    mayAsk: options.mayAsk ?? false,
  });
  const hooks = options.hooks ?? createHooks(clock);
  const asks = createAskDesk();
  const caller = createModuleCaller(toolHost.modules, permissions, clock);
  const suggester = createSuggester(() => (dataDir === undefined ? null : loaderOf("embeddings", dataDir)));
  const ink = createInkNarrator({ suggester });
  const kinds = { ...NARRATOR_KINDS, ink, module: orchestratorNarrator(caller), ...options.narrators };
  const shelf = createStoryShelf(
    options.storyDir ?? DEFAULT_STORY,
    () => options.otherStories ?? shippedStories(),
    kinds,
    options.allowStoryFolder,
  );
  const turnHost: TurnHost = {
    means: { engine, turnMs: LIMITS.turnMs, newId },
    keepers: { clock, permissions, asks, hooks, newId },
    openStory: (dir) => shelf.openForTurn(dir),
    openContext: openModuleContext(caller),
    describeTools: describeTools(toolHost.registry, toolHost.runner, permissions),
  };
  const keeping = releasingHolds(store, assets.holds);
  const sessions = createSessions(
    { store: keeping, assets, clock, ids: { newId, newSeed: () => randomInt(2 ** 31) } },
    { shelf, hooks, moduleHooks: createModuleHooks(hooks, caller) },
    {
      telling: { beginTurn: (session, start) => beginTurn(turnHost, session, start), asks },
      endProcessesOf: (sessionId) => toolHost.runner.endSession(sessionId),
      leftovers: options.readOnly ? null : { end: endLeftoverTools },
    },
  );
  let closing: Promise<void> | null = null;
  async function closeAll(): Promise<void> {
    await sessions.close();
    suggester.close();
    await toolHost.close();
    release();
  }
  return {
    ...sessions,
    tools: createToolDirectory(() => shelf.list(), permissions, toolHost.healthOf),
    hooks,
    toolHost,
    sandboxLevel: level,
    shares: toolHost.shares,
    close: () => (closing ??= closeAll()),
  };
}
