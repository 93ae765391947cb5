/** `narratoria run` at each level of the sandbox, with a plan of tools that have nothing to do with each other. */
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { executionResultSchema, type ExecutionResult } from "../src/story/execution-result.ts";
import type { MadeStory } from "./made-story.ts";
import { narratoria } from "./narratoria-command.ts";

export interface Level {
  name: string;
  /** Every tool is called by its path, and gets the same input. */
  run(story: MadeStory, toolPaths: readonly string[], input?: object): Promise<ExecutionResult>;
  toString(): string;
}

export const LEVELS: readonly Level[] = [
  levelOf("full", [], () => ({})),
  levelOf("partial", ["--allow-unconfined"], (story) => ({ PATH: pathWithoutBubblewrap(dirname(story.path)) })),
  levelOf("none", ["--no-sandbox"], () => ({})),
];

const AS_IT_COMES = { parallel: true, async: true, retryPolicy: { maxRetries: 0, backoffMs: 0 } };

function levelOf(name: string, options: string[], envFor: (story: MadeStory) => NodeJS.ProcessEnv): Level {
  return {
    name,
    toString: () => name,
    run: async (story, toolPaths, input = {}) => {
      const tools = toolPaths.map((toolPath) => ({ toolId: toolPath, toolPath, input, ...AS_IT_COMES }));
      const plan = story.write("plan.json", { requestId: "plan", narrative: "", tools, timeoutMs: 300_000 });
      const { stdout, stderr } = await narratoria(["run", plan, ...options], { env: envFor(story) });
      const reading = executionResultSchema.safeParse(stdout === "" ? null : JSON.parse(stdout));
      if (!reading.success) throw new Error(stdout + stderr);
      return reading.data;
    },
  };
}

/** A PATH with the system's interpreters and no bubblewrap. */
export function pathWithoutBubblewrap(folder: string): string {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  // The sandbox's user must find them too.
  for (const place of [folder, bin]) chmodSync(place, 0o755);
  for (const name of ["sh", "cat", "env", "python3"]) symlinkSync(`/usr/bin/${name}`, join(bin, name));
  return bin;
}
