/** Scheduling must cost the same per tool in a small plan and in a huge one: no-op tools, run in process. */
import { randomUUID } from "node:crypto";
import { createLocalEngine } from "../packages/narratoria/src/engines/local.ts";
import { createEventLog, keepRecord, writeEach } from "../packages/narratoria/src/runtime/execution/event-log.ts";
import { createTurnLimits } from "../packages/narratoria/src/runtime/execution/turn-limits.ts";
import { createToolRegistry } from "../packages/narratoria/src/runtime/mounts/tool-registry.ts";
import { consentOf } from "../packages/narratoria/src/runtime/policy/consent.ts";
import { createTurnClocks } from "../packages/narratoria/src/runtime/seams/deadlines.ts";
import type { PlanScene } from "../packages/narratoria/src/runtime/seams/engine.ts";
import { NOBODY } from "../packages/narratoria/src/runtime/seams/player.ts";
import { createResultFold } from "../packages/narratoria/src/story/fold-result.ts";
import { systemClock } from "../packages/narratoria/src/runtime/seams/clock.ts";
import { NOTHING_GRANTED } from "../packages/narratoria/src/runtime/policy/policy.ts";
import { bareTool } from "../packages/narratoria/src/runtime/mounts/resolve-tool.ts";
import { createSlots } from "../packages/narratoria/src/runtime/execution/slots.ts";
import { parsePlan, type Plan } from "../packages/narratoria/src/story/plan.ts";
import type { Benchmark, Row } from "./compare.ts";

const SIZES = [1_000, 10_000, 100_000];
const MOST_GROWTH = 1.5;
const ROUNDS = 5;

const benchmark: Benchmark = { title: "Scheduling: microseconds per no-op tool, best of five", run };
export default benchmark;

async function run(): Promise<Row[]> {
  const best = new Map(SIZES.map((size) => [size, Infinity]));
  await perTool(1_000);
  for (let round = 0; round < ROUNDS; round++) {
    for (const size of SIZES) best.set(size, Math.min(best.get(size) ?? Infinity, await perTool(size)));
  }
  const baseline = best.get(1_000) ?? 0;
  return SIZES.slice(1).map((size) => {
    const measured = best.get(size) ?? 0;
    const target = { met: measured / baseline <= MOST_GROWTH, text: `within ${MOST_GROWTH}x of 1,000 tools` };
    return { name: `${size.toLocaleString("en")} tools against 1,000`, measured, baseline, unit: "us", target };
  });
}

async function perTool(size: number): Promise<number> {
  const plan = layeredPlan(size);
  const tools = new Map(plan.tools.map(({ toolId }) => [toolId, bareTool(`/story/${toolId}`, toolId)]));
  const began = performance.now();
  const results = createResultFold(plan);
  const log = createEventLog(systemClock, []);
  const record = keepRecord(
    results,
    writeEach((draft) => log.append(draft)),
  );
  const order = { plan, tools, settled: new Set<string>(), record };
  await engine.execute(order, SCENE, new AbortController().signal);
  const elapsed = performance.now() - began;
  if (!results.result({}).success) throw new Error("a no-op tool failed");
  return (elapsed * 1000) / size;
}

/** Ten tools a layer, each depending on two of the layer before. */
function layeredPlan(size: number): Plan {
  const tools = Array.from({ length: size }, (_, index) => ({
    toolId: `t${index}`,
    toolPath: `t${index}`,
    async: true,
    dependencies: index < 10 ? [] : [`t${index - 10}`, `t${index - 1 - (index % 10)}`],
  }));
  const reading = parsePlan({ requestId: "bench", parallel: true, tools });
  if (reading.kind === "invalid") throw new Error("the plan of this benchmark is invalid");
  return reading.plan;
}

const report = {
  outcome: {
    kind: "completed",
    summary: null,
  } as const,
  exitCode: 0,
  signal: null,
  stderrTail: "",
  warnings: [],
  eventsAfterDone: 0,
  sandbox: "none" as const,
  trace: {},
};
const engine = createLocalEngine({
  runner: {
    run: () => Promise.resolve({ ...report, warnings: [] }),
    offers: () => Promise.resolve([]),
    endSession: () => Promise.resolve(),
    close: () => Promise.resolve(),
  },
  registry: createToolRegistry(),
  assets: { take: () => Promise.resolve({ kind: "refused", reason: "none" }) },
  slots: createSlots(4),
  mostAtOnce: 4,
  clock: systemClock,
  limits: { toolMs: 30_000, planMs: 600_000 },
  newId: randomUUID,
});
const SCENE: PlanScene = {
  whose: { story: { dir: "/story", title: "Bench", version: null }, sessionId: null },
  consent: consentOf({ storyDir: "/story", policy: NOTHING_GRANTED, level: "none", allowUnconfined: true }),
  player: NOBODY,
  clocks: createTurnClocks(systemClock),
  limits: createTurnLimits(),
  state: () => ({ value: {}, size: 2 }),
  glance: () => ({ value: {}, size: 2 }),
};
