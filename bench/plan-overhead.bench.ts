/** What a plan of real tools costs beyond starting them: 200 native tools against a bare loop of spawn and JSON.parse. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToolHost } from "../packages/narratoria/src/create-narratoria.ts";
import { createEventLog, keepRecord, writeEach } from "../packages/narratoria/src/runtime/execution/event-log.ts";
import { createTurnLimits } from "../packages/narratoria/src/runtime/execution/turn-limits.ts";
import { consentOf } from "../packages/narratoria/src/runtime/policy/consent.ts";
import { createTurnClocks } from "../packages/narratoria/src/runtime/seams/deadlines.ts";
import type { PlanScene } from "../packages/narratoria/src/runtime/seams/engine.ts";
import { NOBODY } from "../packages/narratoria/src/runtime/seams/player.ts";
import { createResultFold } from "../packages/narratoria/src/story/fold-result.ts";
import { bareTool } from "../packages/narratoria/src/runtime/mounts/resolve-tool.ts";
import { parsePlan } from "../packages/narratoria/src/story/plan.ts";
import { compareInterleaved, type Benchmark, type Row } from "./compare.ts";

const TOOLS = 200;
const MOST = 1.3;
const EVENTS = [
  '{"version":"0","type":"log","level":"info","message":"Lighting torch..."}',
  '{"version":"0","type":"state_patch","patch":{"inventory":{"torch":{"lit":true}}}}',
  '{"version":"0","type":"done","ok":true,"summary":"Torch lit."}',
];

const benchmark: Benchmark = { title: `A plan of ${TOOLS} one-shot native tools, one after the other`, run };
export default benchmark;

async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "narratoria-bench-"));
  const tool = join(folder, "tool");
  writeFileSync(tool, `#!/bin/sh\nprintf '%s\\n' ${EVENTS.map((event) => `'${event}'`).join(" ")}\n`);
  chmodSync(tool, 0o755);
  const narratoria = await createToolHost({ sandbox: "none" });
  try {
    const plan = () => runPlan(narratoria, folder, tool);
    const { measured, baseline } = await compareInterleaved(plan, () => bareLoop(folder, tool), {
      rounds: 7,
      warmUps: 1,
    });
    const target = { met: measured / baseline <= MOST, text: `at most ${MOST}x` };
    return [{ name: "executing the plan against a bare loop", measured, baseline, unit: "ms", target }];
  } finally {
    await narratoria.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runPlan(
  narratoria: Awaited<ReturnType<typeof createToolHost>>,
  folder: string,
  tool: string,
): Promise<number> {
  const tools = Array.from({ length: TOOLS }, (_, index) => ({ toolId: `t${index}`, toolPath: tool }));
  const reading = parsePlan({ requestId: "bench", tools });
  if (reading.kind === "invalid") throw new Error("the plan of this benchmark is invalid");
  const resolved = new Map(tools.map(({ toolId }) => [toolId, bareTool(tool, "tool")]));
  const results = createResultFold(reading.plan);
  const log = createEventLog(narratoria.clock, []);
  const record = keepRecord(
    results,
    writeEach((draft) => log.append(draft)),
  );
  const scene: PlanScene = {
    whose: { story: { dir: folder, title: "Bench", version: null }, sessionId: null },
    consent: consentOf({
      storyDir: folder,
      policy: narratoria.policy,
      level: narratoria.sandboxLevel,
      allowUnconfined: true,
    }),
    player: NOBODY,
    clocks: createTurnClocks(narratoria.clock),
    limits: createTurnLimits(),
    state: () => ({ value: {}, size: 2 }),
    glance: () => ({ value: {}, size: 2 }),
  };
  const order = { plan: reading.plan, tools: resolved, settled: new Set<string>(), record };
  const began = performance.now();
  await narratoria.engine.execute(order, scene, new AbortController().signal);
  const elapsed = performance.now() - began;
  if (!results.result({}).success) throw new Error("a tool failed");
  return elapsed;
}

async function bareLoop(folder: string, tool: string): Promise<number> {
  const began = performance.now();
  for (let index = 0; index < TOOLS; index++) {
    const child = spawn(tool, [], { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    child.stdin.on("error", () => {}).end(`${JSON.stringify({ requestId: String(index), input: {} })}\n`);
    await once(child, "close");
    for (const line of text.trim().split("\n")) JSON.parse(line);
  }
  return performance.now() - began;
}
