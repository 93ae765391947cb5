/** The composition root: the only place that picks implementations for the runtime's seams. */
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createProcessRunner } from "./runners/process.ts";
import type { AssetStore } from "./runtime/assets.ts";
import { systemClock, type Clock } from "./runtime/clock.ts";
import { NOTHING_GRANTED, type Policy } from "./runtime/policy.ts";
import type { SandboxLevel } from "./runtime/sandbox.ts";
import { createSlots, type Slots } from "./runtime/slots.ts";
import type { ToolRunner } from "./runtime/tool-runner.ts";
import { chooseSandbox } from "./sandbox/choose-sandbox.ts";
import { createAssetFolder } from "./stores/asset-folder.ts";

export interface Narratoria {
  runner: ToolRunner;
  assets: AssetStore;
  slots: Slots;
  clock: Clock;
  policy: Policy;
  sandboxLevel: SandboxLevel;
  /** How to get to the full sandbox; null when it is. */
  sandboxAdvice: string | null;
  close(): Promise<void>;
}

export interface NarratoriaOptions {
  /** Where to keep things; without it nothing outlives the process. */
  dataDir?: string | undefined;
  sandbox?: "best" | "none" | undefined;
  policy?: Policy | undefined;
}

export async function createNarratoria(options: NarratoriaOptions = {}): Promise<Narratoria> {
  const keep = options.dataDir !== undefined;
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "narratoria-")));
  const { sandbox, level, advice } = await chooseSandbox(options.sandbox ?? "best");
  return {
    runner: createProcessRunner({ sandbox }),
    assets: createAssetFolder(join(dataDir, "assets")),
    slots: createSlots(availableParallelism()),
    clock: systemClock,
    policy: options.policy ?? NOTHING_GRANTED,
    sandboxLevel: level,
    sandboxAdvice: advice,
    close: async () => {
      await sandbox.close?.();
      if (!keep) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
