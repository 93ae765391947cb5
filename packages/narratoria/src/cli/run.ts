/** `narratoria run PLAN.json`: one plan, executed once; the execution result is the only thing on stdout. */
import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isJsonObject, type JsonObject } from "@narratoria/tool/json";
import type { PlanProblem } from "../story/index.ts";
import { BAD_USAGE, complain, FAILURE } from "./say.ts";
import { openToRun } from "./open-or-complain.ts";
import { readJsonFile } from "./read-json-file.ts";
import { readPolicy } from "./read-policy.ts";
import { printDocument, printEvent } from "./print-json.ts";
import { wordsForProblem } from "./words-for-problem.ts";
import { onEndingSignal } from "./signals.ts";

export interface RunOptions {
  story?: string;
  state?: string;
  allowTools?: string[];
  allowStoryFolder?: boolean;
  data?: string;
  events?: boolean;
  record?: string;
  policy?: string;
  sandbox?: boolean;
  allowUnconfined?: boolean;
}

export async function runCommand(planFile: string, options: RunOptions): Promise<number> {
  const planText = await readJsonFile(planFile);
  if (planText.kind === "unreadable") return usageError(planText.message);
  if (planText.kind === "not_json") return invalidPlan(planText.message, []);
  const initialState = await readState(options.state);
  if (initialState.kind === "wrong") return usageError(initialState.message);
  const policy = await readPolicy(options.policy);
  if (policy.kind === "wrong") return usageError(policy.message);

  const narratoria = await openToRun({
    dataDir: options.data,
    sandbox: options.sandbox === false ? "none" : "best",
    policy: policy.policy,
  });
  if (narratoria === null) return FAILURE;
  const stop = new AbortController();
  const cancel = (): void => stop.abort();
  const stopListening = onEndingSignal(cancel);
  // The reader went away, as `| head -1` does: without a listener the error would end us, and leave the tools behind.
  process.stdout.on("error", cancel);
  try {
    const run = await narratoria.runPlan(planText.value, {
      storyDir: options.story ?? dirname(planFile),
      state: initialState.state,
      allowTools: options.allowTools,
      allowStoryFolder: options.allowStoryFolder,
      // Whoever switches the sandbox off has said so.
      allowUnconfined: options.allowUnconfined === true || options.sandbox === false,
      onProblems: ({ story, mounts }) => {
        for (const problem of story) complain(wordsForProblem(problem));
        for (const problem of mounts) complain(`not mounted: ${wordsForProblem(problem)}`);
      },
      onEvent: options.events ? printEvent : undefined,
      signal: stop.signal,
    });
    if (run.kind === "refused") return usageError(run.message);
    if (run.kind === "invalid") return await invalidPlan(`${planFile} is not a valid plan`, run.problems);
    const unwritten = options.record === undefined ? null : await writeRecording(options.record, run.record());
    await printDocument(run.result, options.events ? "line" : "indented");
    if (unwritten !== null) return complain(unwritten);
    return run.result.success ? 0 : FAILURE;
  } finally {
    stopListening();
    await narratoria.close();
  }
}

async function readState(
  file: string | undefined,
): Promise<{ kind: "state"; state: JsonObject } | { kind: "wrong"; message: string }> {
  if (file === undefined) return { kind: "state", state: {} };
  const reading = await readJsonFile(file);
  if (reading.kind !== "json") return { kind: "wrong", message: reading.message };
  if (!isJsonObject(reading.value)) return { kind: "wrong", message: `${file} must hold a JSON object` };
  return { kind: "state", state: reading.value };
}

/** Null, or why it could not be: the result of the plan is told all the same. */
async function writeRecording(file: string, recording: object): Promise<string | null> {
  try {
    await writeFile(file, `${JSON.stringify(recording, null, 2)}\n`);
    return null;
  } catch (error) {
    return `cannot write ${file}: ${(error as Error).message}`;
  }
}

function usageError(message: string): number {
  return complain(message, BAD_USAGE);
}

async function invalidPlan(message: string, problems: PlanProblem[]): Promise<number> {
  const lines = problems.map(({ pointer, code, message: what }) => `${pointer} ${code}: ${what}`);
  complain(message, BAD_USAGE, lines);
  await printDocument({ error: { code: "invalid_plan", message, details: { problems } } }, "indented");
  return BAD_USAGE;
}
