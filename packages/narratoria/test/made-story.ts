/** A story folder made for one test, private to its owner as temporary folders are, and a plan that runs its tools. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { NarratoriaEvent } from "../src/story/event.ts";
import { executionResultSchema, type ExecutionResult } from "../src/story/execution-result.ts";
import { narratoria } from "./narratoria-command.ts";

export const DONE = `echo '{"version":"0","type":"done","ok":true}'`;

export interface MadeStory extends Disposable {
  path: string;
  /** Text is written as an executable file, anything else as JSON. */
  write(name: string, content: string | object): string;
  writeAll(files: Record<string, string | object>): void;
  /** Runs one tool by its path or name; `more` goes to the command line. */
  run(toolPath: string, ...more: string[]): Promise<StoryRun>;
}

export interface StoryRun {
  exitCode: number | null;
  events: NarratoriaEvent[];
  result: ExecutionResult;
  stdout: string;
  stderr: string;
}

export function makeStory(files: Record<string, string | object> = {}): MadeStory {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-made-")));
  const path = join(root, "story");
  mkdirSync(path);

  function write(name: string, content: string | object): string {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content), { mode: 0o700 });
    return file;
  }

  async function run(toolPath: string, ...more: string[]): Promise<StoryRun> {
    const tools = [{ toolId: "it", toolPath, retryPolicy: { maxRetries: 0, backoffMs: 0 } }];
    const plan = write("plan.json", { requestId: "plan", narrative: "", tools });
    const { exitCode, stdout, stderr } = await narratoria(["run", plan, "--events", ...more]);
    const lines = stdout.trim().split("\n");
    const result = executionResultSchema.parse(JSON.parse(lines.pop() ?? ""));
    return { exitCode, events: lines.map((line) => JSON.parse(line) as NarratoriaEvent), result, stdout, stderr };
  }

  function writeAll(all: Record<string, string | object>): void {
    for (const [name, content] of Object.entries(all)) write(name, content);
  }

  writeAll(files);
  return { path, write, writeAll, run, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

/** A shell tool with a manifest, as the files of a story. */
export function shellTool(
  name: string,
  capabilities: string[],
  script: string,
  more: object = {},
): Record<string, string | object> {
  const command = ["sh", `${name}.sh`];
  const manifest = {
    name,
    kind: "tool",
    protocol: "narratoria/0",
    transport: { type: "stdio", command },
    capabilities,
    ...more,
  };
  return { [`tools/${name}/tool.json`]: manifest, [`tools/${name}/${name}.sh`]: `${script}\n${DONE}\n` };
}
