/**
 * Which tool of a plan may start next: bookkeeping over the graph, without clocks and without I/O, so that any engine
 * can drive it and get the same order. `runtime/execution/execute-plan.ts` is the loop that does.
 *
 * Invariants:
 * 1. A tool starts only when all its dependencies have settled and no required one of them failed.
 * 2. Always the first ready tool in plan order; never more than `limit` at once; a tool that is not async runs alone.
 * 3. Every tool settles exactly once; the cost of a whole run is linear in tools and dependencies (and a heap's log).
 * For that cost the state is changed in place; it is plain data and belongs to one run.
 */
import type { Plan, PlanTool } from "./plan.ts";

export type ToolFate = "completed" | "failed" | "timeout" | "skipped";

export interface Schedule {
  readonly plan: Plan;
  readonly limit: number;
  readonly indexOf: ReadonlyMap<string, number>;
  readonly dependents: readonly (readonly number[])[];
  readonly unsettledDependencies: number[];
  readonly fates: (ToolFate | "running" | null)[];
  /** A binary heap of plan positions: the smallest is the first ready tool. */
  readonly readyHeap: number[];
  running: number;
  /** The running tool is alone and must stay so. */
  exclusive: boolean;
  unsettled: number;
}

/** `settled` holds what an earlier execution of the same plan finished: those tools do not run again. */
export function createSchedule(plan: Plan, limit: number, settled: ReadonlySet<string> = new Set()): Schedule {
  const indexOf = new Map(plan.tools.map((tool, index) => [tool.toolId, index]));
  const dependents: number[][] = plan.tools.map(() => []);
  const unsettledDependencies = plan.tools.map(() => 0);
  plan.tools.forEach((tool, index) => {
    for (const id of new Set(tool.dependencies)) {
      if (settled.has(id)) continue;
      dependents[indexOf.get(id) as number]?.push(index);
      unsettledDependencies[index] = (unsettledDependencies[index] ?? 0) + 1;
    }
  });
  const fates: Schedule["fates"] = plan.tools.map((tool) => (settled.has(tool.toolId) ? "completed" : null));
  const readyHeap: number[] = [];
  fates.forEach((fate, index) => {
    if (fate === null && unsettledDependencies[index] === 0) pushHeap(readyHeap, index);
  });
  const unsettled = fates.filter((fate) => fate === null).length;
  const graph = { plan, limit, indexOf, dependents, unsettledDependencies };
  return { ...graph, fates, readyHeap, running: 0, exclusive: false, unsettled };
}

/** The tool that should start now, or null when nothing may. */
export function ready(schedule: Schedule): PlanTool | null {
  const index = schedule.readyHeap[0];
  if (index === undefined) return null;
  const tool = schedule.plan.tools[index] as PlanTool;
  if (schedule.running === 0) return tool;
  if (schedule.exclusive || isExclusive(schedule, tool)) return null;
  return schedule.running < schedule.limit ? tool : null;
}

export function start(schedule: Schedule, toolId: string): void {
  const index = schedule.indexOf.get(toolId) as number;
  if (schedule.readyHeap[0] !== index) throw new Error(`${toolId} is not the next ready tool`);
  popHeap(schedule.readyHeap);
  schedule.fates[index] = "running";
  schedule.running++;
  schedule.exclusive = isExclusive(schedule, schedule.plan.tools[index] as PlanTool);
}

/** Settles a running tool. Returns the tools that are skipped because of it, in plan order. */
export function complete(schedule: Schedule, toolId: string, outcome: Exclude<ToolFate, "skipped">): string[] {
  const index = schedule.indexOf.get(toolId) as number;
  if (schedule.fates[index] !== "running") throw new Error(`${toolId} is not running`);
  schedule.running--;
  settle(schedule, index, outcome);
  if (outcome !== "completed" && schedule.plan.tools[index]?.required) return skipDependents(schedule, index);
  for (const dependent of schedule.dependents[index] ?? []) releaseDependent(schedule, dependent);
  return [];
}

/** Skips everything that has not started: the plan ran out of time or was cancelled. */
export function skipUnstarted(schedule: Schedule): string[] {
  schedule.readyHeap.length = 0;
  const skipped: string[] = [];
  schedule.fates.forEach((fate, index) => {
    if (fate !== null) return;
    settle(schedule, index, "skipped");
    skipped.push(schedule.plan.tools[index]?.toolId as string);
  });
  return skipped;
}

export function isFinished(schedule: Schedule): boolean {
  return schedule.unsettled === 0;
}

function isExclusive(schedule: Schedule, tool: PlanTool): boolean {
  return !schedule.plan.parallel || !tool.async;
}

function settle(schedule: Schedule, index: number, fate: ToolFate): void {
  schedule.fates[index] = fate;
  schedule.unsettled--;
}

function releaseDependent(schedule: Schedule, index: number): void {
  const left = (schedule.unsettledDependencies[index] ?? 0) - 1;
  schedule.unsettledDependencies[index] = left;
  if (left === 0 && schedule.fates[index] === null) pushHeap(schedule.readyHeap, index);
}

function skipDependents(schedule: Schedule, from: number): string[] {
  const skipped: number[] = [];
  const pending = [from];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    for (const dependent of schedule.dependents[index] ?? []) {
      if (schedule.fates[dependent] !== null) continue;
      settle(schedule, dependent, "skipped");
      skipped.push(dependent);
      pending.push(dependent);
    }
  }
  return skipped.toSorted((a, b) => a - b).map((index) => schedule.plan.tools[index]?.toolId as string);
}

function pushHeap(heap: number[], value: number): void {
  let at = heap.length;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if ((heap[parent] as number) <= value) break;
    heap[at] = heap[parent] as number;
    at = parent;
  }
  heap[at] = value;
}

function popHeap(heap: number[]): void {
  const value = heap.pop() as number;
  if (heap.length === 0) return;
  let at = 0;
  for (let child = 1; child < heap.length; child = 2 * at + 1) {
    if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child++;
    if ((heap[child] as number) >= value) break;
    heap[at] = heap[child] as number;
    at = child;
  }
  heap[at] = value;
}
