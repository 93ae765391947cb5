/** The engine that executes plans in this process, with the tools of this machine. */
import { executePlan } from "../runtime/execution/execute-plan.ts";
import type { Means } from "../runtime/execution/means.ts";
import type { Engine } from "../runtime/seams/engine.ts";

export function createLocalEngine(means: Means): Engine {
  return { execute: (order, scene, signal) => executePlan(order, scene, means, signal) };
}
