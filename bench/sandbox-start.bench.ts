/** What the sandbox costs: from the launch to the first byte of a small native program, against a plain spawn. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { DEFAULT_LIMITS, type Sandbox } from "../packages/narratoria/src/runtime/seams/sandbox.ts";
import { chooseSandbox } from "../packages/narratoria/src/sandbox/choose-sandbox.ts";
import { compareInterleaved, type Benchmark, type Row } from "./compare.ts";

const COMMAND = ["/usr/bin/printf", "x"];
const MOST_MORE_MS = 10;

const benchmark: Benchmark = { title: "Starting a tool: milliseconds to its first byte, at the median", run };
export default benchmark;

async function run(): Promise<Row[]> {
  const { sandbox, level } = await chooseSandbox("best");
  const root = mkdtempSync(join(tmpdir(), "narratoria-bench-"));
  const storyDir = join(root, "story");
  mkdirSync(storyDir);
  try {
    const rounds = { rounds: 101, warmUps: 10 };
    const { measured, baseline } = await compareInterleaved(
      () => launch(sandbox, storyDir),
      () => spawnPlainly(storyDir),
      rounds,
    );
    const text = `at most ${MOST_MORE_MS} ms more (${(measured - baseline).toFixed(2)})`;
    const target = { met: measured - baseline <= MOST_MORE_MS, text };
    return [{ name: `${level} sandbox against a plain spawn`, measured, baseline, unit: "ms", target }];
  } finally {
    await sandbox.close?.();
    rmSync(root, { recursive: true, force: true });
  }
}

async function launch(sandbox: Sandbox, storyDir: string): Promise<number> {
  const began = performance.now();
  const program = { command: COMMAND, storyDir, readFolders: [], env: {}, limits: DEFAULT_LIMITS, grants: [] };
  const tool = await sandbox.launch(program);
  const elapsed = await firstByte(tool.stdout, began);
  tool.stderr.resume();
  await tool.exited;
  await tool.release();
  return elapsed;
}

async function spawnPlainly(storyDir: string): Promise<number> {
  const began = performance.now();
  const [file = "", ...args] = COMMAND;
  const child = spawn(file, args, { cwd: storyDir, stdio: ["pipe", "pipe", "pipe"], detached: true });
  const exited = once(child, "exit");
  const elapsed = await firstByte(child.stdout, began);
  await exited;
  return elapsed;
}

async function firstByte(stream: Readable, began: number): Promise<number> {
  await once(stream, "data");
  return performance.now() - began;
}
