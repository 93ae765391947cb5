/** Executes plans with tools that are functions, in virtual time: the executor's rules without processes. */
import { randomUUID } from "node:crypto";
import type { JsonObject } from "@narratoria/tool/json";
import type { ToolEvent } from "@narratoria/tool/protocol";
import { cancelledOutcome } from "../src/runtime/execution/cancel-reason.ts";
import { createEventLog, keepRecord, writeEach } from "../src/runtime/execution/event-log.ts";
import { createTurnLimits } from "../src/runtime/execution/turn-limits.ts";
import { createLocalEngine } from "../src/engines/local.ts";
import { executeOnce } from "../src/runtime/execution/execute-once.ts";
import { NOTHING_GRANTED } from "../src/runtime/policy/policy.ts";
import { bareTool } from "../src/runtime/mounts/resolve-tool.ts";
import type { ResolvedTool } from "../src/runtime/seams/resolved-tool.ts";
import { createToolRegistry } from "../src/runtime/mounts/tool-registry.ts";
import { consentOf } from "../src/runtime/policy/consent.ts";
import { createTurnClocks } from "../src/runtime/seams/deadlines.ts";
import type { PlanScene } from "../src/runtime/seams/engine.ts";
import { NOBODY } from "../src/runtime/seams/player.ts";
import { createSlots, type Slots } from "../src/runtime/execution/slots.ts";
import type { AttemptOutcome, AttemptPort, AttemptReport, AttemptCall } from "../src/runtime/seams/tool-runner.ts";
import { eventSchema, patchOf, type EventDraft, type NarratoriaEvent } from "../src/story/event.ts";
import { createResultFold } from "../src/story/fold-result.ts";
import { executionResultSchema, type ErrorDetail, type ExecutionResult } from "../src/story/execution-result.ts";
import { mergePatch } from "../src/story/merge-patch.ts";
import type { ModuleDescriptor } from "../src/story/module-descriptor.ts";
import { parsePlan } from "../src/story/plan.ts";
import { sizeOf } from "../src/story/state-size.ts";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";

/** What a tool does in one attempt: prints, takes its time, and ends. */
export interface Attempt {
  events?: ToolEvent[];
  /** Virtual milliseconds. */
  takes?: number;
  /** Completes unless it says otherwise. */
  error?: ErrorDetail;
  /** What its runner tells besides. */
  report?: Partial<AttemptReport>;
}

export interface FakeExecution {
  readonly clock: FakeClock;
  /** Every attempt made, in order. */
  readonly calls: AttemptCall[];
  readonly events: NarratoriaEvent[];
  readonly mostAtOnce: number;
  /** Runs a plan to its end, and holds the result and every event against their contracts. */
  execute(plan: object, signal?: AbortSignal): Promise<ExecutionResult>;
}

export interface FakeOptions {
  /** By toolId; the last attempt given is repeated. A tool that is not named completes at once. */
  script?: Record<string, Attempt[]>;
  manifests?: Record<string, Partial<ModuleDescriptor>>;
  state?: JsonObject;
  slots?: Slots;
  /** Of one plan. */
  together?: number;
  clock?: FakeClock;
  /** Called before an event is logged; may throw, as a full disk does. */
  beforeEmit?: (draft: EventDraft) => void | Promise<void>;
}

export function createFakeExecution(options: FakeOptions = {}): FakeExecution {
  const {
    script = {},
    manifests = {},
    clock = createFakeClock(),
    slots = createSlots(4),
    together = 4,
    beforeEmit,
  } = options;
  let state = options.state ?? {};
  const calls: AttemptCall[] = [];
  /** Attempts by skill: counting them among all calls would make a large plan quadratic. */
  const made = new Map<string, number>();
  const events: NarratoriaEvent[] = [];
  let running = 0;
  let mostAtOnce = 0;
  const log = createEventLog(clock, [(event) => events.push(event), (event) => (state = foldState(state, event))]);

  async function run(call: AttemptCall, port: AttemptPort, signal: AbortSignal): Promise<AttemptReport> {
    const attempts = script[call.tool.tool] ?? [{}];
    calls.push(call);
    const number = (made.get(call.tool.tool) ?? 0) + 1;
    made.set(call.tool.tool, number);
    mostAtOnce = Math.max(mostAtOnce, ++running);
    try {
      const attempt = attempts[number - 1] ?? attempts.at(-1) ?? {};
      return { ...reportOf(await makeAttempt(attempt, port, signal)), ...attempt.report };
    } finally {
      running--;
    }
  }

  async function makeAttempt(attempt: Attempt, port: AttemptPort, signal: AbortSignal): Promise<AttemptOutcome> {
    for (const event of attempt.events ?? []) {
      const refused = await port.take({ event, text: JSON.stringify(event), warnings: [] });
      if (refused !== undefined) return { kind: "failed", error: refused };
    }
    await port.flush();
    if (attempt.takes !== undefined) await waitInVirtualTime(clock, attempt.takes, signal);
    if (signal.aborted) return cancelledOutcome(signal.reason);
    if (attempt.error === undefined) return { kind: "completed", summary: null };
    return { kind: attempt.error.category === "timeout" ? "timeout" : "failed", error: attempt.error };
  }

  function start(value: object, signal: AbortSignal): Promise<ExecutionResult> {
    const reading = parsePlan({ requestId: randomUUID(), ...value });
    if (reading.kind === "invalid") throw new Error(JSON.stringify(reading.problems));
    const tools = new Map(reading.plan.tools.map(({ toolId }) => [toolId, resolved(toolId, manifests[toolId])]));
    const emit = (draft: EventDraft): NarratoriaEvent | Promise<NarratoriaEvent> => {
      const written = beforeEmit?.(draft);
      return written instanceof Promise ? written.then(() => log.append(draft)) : log.append(draft);
    };
    const record = keepRecord(createResultFold(reading.plan), writeEach(emit));
    const scene: PlanScene = {
      whose: { story: { dir: "/story", title: "The Story", version: null }, sessionId: null },
      consent: consentOf({ storyDir: "/story", policy: NOTHING_GRANTED, level: "none", allowUnconfined: true }),
      player: NOBODY,
      clocks: createTurnClocks(clock),
      limits: createTurnLimits(),
      state: () => ({ value: state, size: sizeOf(state) }),
      glance: () => ({ value: state, size: sizeOf(state) }),
    };
    const engine = createLocalEngine({
      runner: { run, offers: () => Promise.resolve([]), endSession: async () => {}, close: async () => {} },
      registry: createToolRegistry(),
      assets: { take: () => Promise.resolve({ kind: "refused", reason: "there is no such file" } as const) },
      slots,
      mostAtOnce: together,
      clock,
      limits: { toolMs: 30_000, planMs: 60_000 },
      newId: randomUUID,
    });
    return executeOnce({ plan: reading.plan, tools, settled: new Set(), record }, scene, engine, signal);
  }

  return {
    clock,
    calls,
    events,
    get mostAtOnce() {
      return mostAtOnce;
    },
    execute: async (plan, signal = new AbortController().signal) => {
      const result = await clock.runUntil(start(plan, signal));
      executionResultSchema.parse(result);
      for (const event of events) eventSchema.parse(event);
      return result;
    },
  };
}

/** A tool of a plan by its id; its skill has the same name. */
export function planTool(toolId: string, more: object = {}): object {
  return { toolId, toolPath: toolId, ...more };
}

export function patchEvent(patch: JsonObject): ToolEvent {
  return { version: "0", type: "state_patch", patch };
}

function resolved(toolId: string, said: Partial<ModuleDescriptor> | undefined): ResolvedTool {
  const tool = bareTool(`/story/${toolId}`, toolId);
  if (said === undefined) return tool;
  const transport: ModuleDescriptor["transport"] = { type: "stdio", command: [`./${toolId}`] };
  const manifest = { name: toolId, kind: "tool", protocol: "narratoria/0", capabilities: [], transport } as const;
  return { ...tool, manifest: { ...manifest, capabilities: [], ...said } };
}

/** Not `clock.sleep`: that records the executor's own waits. */
function waitInVirtualTime(clock: FakeClock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = clock.after(ms, resolve);
    signal.addEventListener("abort", () => {
      timer.cancel();
      resolve();
    });
  });
}

function reportOf(outcome: AttemptOutcome): AttemptReport {
  const rest = { stderrTail: "", warnings: [], eventsAfterDone: 0, sandbox: "none" as const, trace: {} };
  return { outcome, exitCode: outcome.kind === "completed" ? 0 : 1, signal: null, ...rest };
}

function foldState(state: JsonObject, event: NarratoriaEvent): JsonObject {
  const patch = patchOf(event);
  return patch === null ? state : mergePatch(state, patch);
}
