/** `narratoria run PLAN.json`: one plan, executed once; the execution result is the only thing on stdout. */
import { writeFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { isJsonObject, type JsonObject } from "@narratoria/tool/json";
import { CancelReason } from "../runtime/execution/cancel-reason.ts";
import { createEventLog, keepRecord, writeEach } from "../runtime/execution/event-log.ts";
import { createTurnLimits } from "../runtime/execution/turn-limits.ts";
import { executeOnce } from "../runtime/execution/execute-once.ts";
import { recordPlans } from "../runtime/execution/recording.ts";
import { validatePlan } from "../runtime/execution/validate-plan.ts";
import { refuseRisk } from "../runtime/mounts/load-story.ts";
import { findStoryFolderRisk } from "../runtime/mounts/story-folder-risk.ts";
import { readStoryFolder } from "../runtime/mounts/story-folder.ts";
import { consentOf } from "../runtime/policy/consent.ts";
import { createTurnClocks } from "../runtime/seams/deadlines.ts";
import type { PlanScene } from "../runtime/seams/engine.ts";
import { NOBODY } from "../runtime/seams/player.ts";
import { patchOf } from "../story/event.ts";
import { createResultFold } from "../story/fold-result.ts";
import type { Owned } from "../story/merge-patch.ts";
import type { PlanProblem } from "../story/plan-problem.ts";
import { patchSized, sizeOf, type SizedState } from "../story/state-size.ts";
import { BAD_USAGE, complain, FAILURE } from "./say.ts";
import { openToRun } from "./open-or-complain.ts";
import { readJsonFile } from "./read-json-file.ts";
import { readPolicy } from "./read-policy.ts";
import { readSmall } from "./record.ts";
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

  const storyDir = resolve(options.story ?? dirname(planFile));
  const risk = options.allowStoryFolder ? null : findStoryFolderRisk(storyDir);
  if (risk !== null) return usageError(`${storyDir}: ${refuseRisk(risk)}`);
  const { file, fileProblems, mounts, mountProblems } = await readStoryFolder(storyDir);
  for (const problem of fileProblems) complain(wordsForProblem(problem));
  for (const problem of mountProblems) complain(`not mounted: ${wordsForProblem(problem)}`);
  const checked = validatePlan(planText.value, { storyDir, allowed: options.allowTools ?? [], mounts });
  if (checked.kind === "invalid") return invalidPlan(`${planFile} is not a valid plan`, checked.problems);

  let state: SizedState = { value: initialState.state, size: sizeOf(initialState.state) };
  // Whoever switches the sandbox off has said so.
  const allowUnconfined = options.allowUnconfined === true || options.sandbox === false;
  const narratoria = await openToRun({
    dataDir: options.data,
    sandbox: options.sandbox === false ? "none" : "best",
    policy: policy.policy,
  });
  if (narratoria === null) return FAILURE;
  const { clock, engine, sandboxLevel } = narratoria;
  let owned: Owned = new WeakSet();
  const log = createEventLog(clock, [
    (event) => {
      const patch = patchOf(event);
      if (patch !== null) state = patchSized(state, patch, owned);
    },
  ]);
  const { plan, tools } = checked;
  const record = keepRecord(
    createResultFold(plan),
    writeEach(async (draft) => {
      const event = log.append(draft);
      if (options.events) await printEvent(event);
      return event;
    }),
  );
  const scene: PlanScene = {
    whose: {
      story: { dir: storyDir, title: file.title ?? basename(storyDir), version: file.version ?? null },
      sessionId: null,
    },
    consent: consentOf({ storyDir, policy: narratoria.policy, level: sandboxLevel, allowUnconfined }),
    player: NOBODY,
    clocks: createTurnClocks(clock),
    limits: createTurnLimits(),
    state: () => {
      owned = new WeakSet();
      return state;
    },
    glance: () => state,
  };
  const stop = new AbortController();
  const cancel = (): void => stop.abort(new CancelReason("cancelled"));
  const stopListening = onEndingSignal(cancel);
  // The reader went away, as `| head -1` does: without a listener the error would end us, and leave the tools behind.
  process.stdout.on("error", cancel);
  try {
    const result = await executeOnce({ plan, tools, settled: new Set(), record }, scene, engine, stop.signal);
    if (options.record !== undefined) {
      const readAsset = (sha256: string): string | null => readSmall(narratoria.assets.file(sha256));
      await writeFile(options.record, `${JSON.stringify(recordPlans([{ plan, result }], readAsset), null, 2)}\n`);
    }
    await printDocument(result, options.events ? "line" : "indented");
    return result.success ? 0 : FAILURE;
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

function usageError(message: string): number {
  return complain(message, BAD_USAGE);
}

async function invalidPlan(message: string, problems: PlanProblem[]): Promise<number> {
  const lines = problems.map(({ pointer, code, message: what }) => `${pointer} ${code}: ${what}`);
  complain(message, BAD_USAGE, lines);
  await printDocument({ error: { code: "invalid_plan", message, details: { problems } } }, "indented");
  return BAD_USAGE;
}
