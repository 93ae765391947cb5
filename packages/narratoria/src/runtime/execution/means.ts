/** What a host has to run tools with: the same for every plan, whoever wrote it. */
import type { AssetStore } from "../seams/assets.ts";
import type { Clock } from "../seams/clock.ts";
import type { ToolRunner } from "../seams/tool-runner.ts";
import type { ToolRegistry } from "../mounts/tool-registry.ts";
import type { Slots } from "./slots.ts";

export interface Means {
  readonly runner: ToolRunner;
  readonly registry: ToolRegistry;
  readonly assets: AssetStore;
  /** Of the host, for all plans together. */
  readonly slots: Slots;
  /** Of one plan. */
  readonly mostAtOnce: number;
  readonly clock: Clock;
  readonly limits: { readonly toolMs: number; readonly planMs: number };
  newId(): string;
}
