/** What a call of a Python function costs: in a fork of a warm process, against starting Python with the same imports. */
import type { MountRunner } from "../packages/narratoria/src/runners/mount-runner.ts";
import type { AttemptReport } from "../packages/narratoria/src/runtime/seams/tool-runner.ts";
import { portTo } from "../packages/narratoria/test/attempt-port.ts";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPythonRunner } from "../packages/narratoria/src/runners/python/runner.ts";
import { mountManifest } from "../packages/narratoria/src/runtime/mounts/read-manifest.ts";
import type { ResolvedTool } from "../packages/narratoria/src/runtime/seams/resolved-tool.ts";
import { chooseSandbox } from "../packages/narratoria/src/sandbox/choose-sandbox.ts";
import { compareInterleaved, type Benchmark, type Row } from "./compare.ts";

/** Heavy without installing anything: about what a small scientific package takes. */
const IMPORTS =
  "import asyncio, concurrent.futures, ctypes, decimal, email.message, http.client, multiprocessing, sqlite3, ssl, " +
  "unittest.mock, urllib.request, xml.dom.minidom, xmlrpc.client, pydoc, logging.config, fractions, statistics";
const MODULE = `${IMPORTS}\ndef greet(payload):\n    return {"message": f"Hello {payload['name']}"}\n`;
const MOST_MS = 15;
const LEAST_FACTOR = 5;

const benchmark: Benchmark = { title: "Calling a Python function: milliseconds, at the median", run };
export default benchmark;

async function run(): Promise<Row[]> {
  const { sandbox, level } = await chooseSandbox("best");
  const runner = createPythonRunner({ sandbox });
  const root = mkdtempSync(join(tmpdir(), "narratoria-bench-"));
  chmodSync(root, 0o755);
  writeFileSync(join(root, "tool.py"), MODULE);
  const tool = mount(root);
  try {
    const python = await pythonPath(runner, tool);
    const rounds = { rounds: 41, warmUps: 4 };
    const { measured, baseline } = await compareInterleaved(
      () => call(runner, tool),
      () => startPython(python, root),
      rounds,
    );
    const text = `at most ${MOST_MS} ms and ${LEAST_FACTOR} times faster (${(baseline / measured).toFixed(1)} times)`;
    const met = measured <= MOST_MS && baseline / measured >= LEAST_FACTOR;
    return [{ name: `${level} sandbox against python3 itself`, measured, baseline, unit: "ms", target: { met, text } }];
  } finally {
    await runner.close();
    await sandbox.close?.();
    rmSync(root, { recursive: true, force: true });
  }
}

function mount(storyDir: string): ResolvedTool {
  const manifest = { name: "greeter", kind: "tool", protocol: "namel3ss/1", entry: "tool:greet", capabilities: [] };
  const reading = mountManifest({ ...manifest, transport: { type: "stdio" } }, storyDir, storyDir);
  if (reading.kind === "invalid") throw new Error(JSON.stringify(reading.problems));
  return reading.tool;
}

async function call(runner: MountRunner, tool: ResolvedTool): Promise<number> {
  const began = performance.now();
  await report(runner, tool);
  return performance.now() - began;
}

async function report(runner: MountRunner, tool: ResolvedTool): Promise<AttemptReport> {
  const mount = { tool, storyDir: tool.dir, secrets: {} };
  const where = { mount, storyTitle: "Bench", sessionId: null, timeoutMs: 10_000 };
  const what = { requestId: randomUUID(), operation: "run", input: { name: "Ada" }, dependencies: {}, state: null };
  const made = await runner.run(
    { ...where, ...what },
    portTo(() => undefined),
    new AbortController().signal,
  );
  if (made.outcome.kind !== "completed") throw new Error(JSON.stringify(made.outcome));
  return made;
}

/** The same interpreter on both sides. */
async function pythonPath(runner: MountRunner, tool: ResolvedTool): Promise<string> {
  return (await report(runner, tool)).trace["python_path"] as string;
}

async function startPython(python: string, folder: string): Promise<number> {
  const began = performance.now();
  const source = "import tool, json; print(json.dumps(tool.greet({'name': 'Ada'})))";
  const child = spawn(python, ["-c", source], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.resume();
  await once(child, "close");
  return performance.now() - began;
}
