/** The composition root: the only place that picks implementations for the runtime's seams. */
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createProcessRunner } from "./runners/process.ts";
import type { AssetStore } from "./runtime/assets.ts";
import { systemClock, type Clock } from "./runtime/clock.ts";
import { createSlots, type Slots } from "./runtime/slots.ts";
import type { ToolRunner } from "./runtime/tool-runner.ts";
import { createUnconfined } from "./sandbox/unconfined.ts";
import { createAssetFolder } from "./stores/asset-folder.ts";

export interface Narratoria {
  runner: ToolRunner;
  assets: AssetStore;
  slots: Slots;
  clock: Clock;
  close(): Promise<void>;
}

export interface NarratoriaOptions {
  /** Where to keep things; without it nothing outlives the process. */
  dataDir?: string | undefined;
}

export async function createNarratoria(options: NarratoriaOptions = {}): Promise<Narratoria> {
  const keep = options.dataDir !== undefined;
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "narratoria-")));
  return {
    runner: createProcessRunner({ sandbox: createUnconfined() }),
    assets: createAssetFolder(join(dataDir, "assets")),
    slots: createSlots(availableParallelism()),
    clock: systemClock,
    close: async () => {
      if (!keep) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
