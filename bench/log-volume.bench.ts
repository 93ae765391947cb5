/**
 * A tool that prints a million log lines, from its pipe through the runner and the session's log into SQLite, against a
 * loop that only reads the same pipe, splits it and parses every line. Not measured: the sandbox, and anybody reading.
 */
import { spawn } from "node:child_process";
import { chmodSync, createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSessions } from "../packages/narratoria/src/create-narratoria.ts";
import { best, compareInterleaved, type Benchmark, type Row } from "./compare.ts";

const LINES = 1_000_000;
const MOST_TIMES = 3;

const benchmark: Benchmark = { title: `A tool that prints ${LINES.toLocaleString("en")} log lines: stored whole`, run };
export default benchmark;

async function run(): Promise<Row[]> {
  const root = mkdtempSync(join(tmpdir(), "narratoria-bench-"));
  try {
    const tool = await makeStory(root);
    let round = 0;
    const playOnce = (): Promise<number> => playThrough(join(root, "story"), join(root, `data-${round++}`));
    const compared = await compareInterleaved(playOnce, () => readBare(tool), { rounds: 5, warmUps: 1, take: best });
    const target = {
      met: compared.measured <= compared.baseline * MOST_TIMES,
      text: `at most ${MOST_TIMES}x, best of five`,
    };
    return [{ name: "runner, log and store against a bare loop", ...compared, unit: "ms", target }];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function makeStory(root: string): Promise<string> {
  const story = join(root, "story");
  mkdirSync(join(story, "tools"), { recursive: true });
  const lines = createWriteStream(join(story, "lines.ndjson"));
  for (let n = 0; n < LINES; n++) {
    const line = { version: "0", type: "log", level: "info", message: `measuring the cave, stone ${n}`, fields: { n } };
    if (!lines.write(`${JSON.stringify(line)}\n`)) await once(lines, "drain");
  }
  lines.end(`${JSON.stringify({ version: "0", type: "done", ok: true, summary: "done" })}\n`);
  await once(lines, "finish");
  const tool = join(story, "tools", "chatty");
  writeFileSync(tool, `#!/bin/sh\nexec cat '${join(story, "lines.ndjson")}'\n`);
  chmodSync(tool, 0o755);
  const plan = { tools: [{ toolId: "chatty", toolPath: "chatty" }] };
  writeFileSync(
    join(story, "plans.json"),
    JSON.stringify([
      { opening: true, narrative: "." },
      { match: "measure", plan, narrative: "." },
    ]),
  );
  return tool;
}

async function playThrough(storyDir: string, dataDir: string): Promise<number> {
  const sessions = await openSessions({ storyDir, dataDir, sandbox: "none", allowUnconfined: true });
  const created = await sessions.create({});
  const sessionId = "sessionId" in created ? created.sessionId : "";
  await sessions.idle(sessionId);
  const began = performance.now();
  await sessions.prompt(sessionId, "measure");
  await sessions.idle(sessionId);
  const elapsed = performance.now() - began;
  const view = await sessions.view(sessionId);
  const stored = "turns" in view ? view.turns.at(-1)?.tools[0]?.logCount : 0;
  if (stored !== LINES) throw new Error(`${stored} lines were stored`);
  await sessions.close();
  rmSync(dataDir, { recursive: true, force: true });
  return elapsed;
}

async function readBare(tool: string): Promise<number> {
  const began = performance.now();
  const child = spawn(tool, { stdio: ["ignore", "pipe", "ignore"] });
  let rest = "";
  let count = 0;
  child.stdout.setEncoding("utf8");
  for await (const chunk of child.stdout as AsyncIterable<string>) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if ((JSON.parse(line) as { type: string }).type === "log") count++;
  }
  const elapsed = performance.now() - began;
  if (count !== LINES) throw new Error(`${count} lines were read`);
  return elapsed;
}
