/** Runs one plan on a host's tools and keeps no session of it: what `narratoria run` does, and a script may. */
import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { JsonObject } from "@narratoria/tool/json";
import type { ToolHost } from "../create-narratoria.ts";
import { CancelReason } from "../runtime/execution/cancel-reason.ts";
import { createEventLog, keepRecord, writeEach } from "../runtime/execution/event-log.ts";
import { executeOnce } from "../runtime/execution/execute-once.ts";
import { recordPlans, type Recording } from "../runtime/execution/recording.ts";
import { createTurnLimits } from "../runtime/execution/turn-limits.ts";
import { validatePlan } from "../runtime/execution/validate-plan.ts";
import { refuseRisk } from "../runtime/mounts/load-story.ts";
import { findStoryFolderRisk } from "../runtime/mounts/story-folder-risk.ts";
import { readStoryFolder } from "../runtime/mounts/story-folder.ts";
import type { StoryProblem } from "../runtime/mounts/story-problem.ts";
import { consentOf } from "../runtime/policy/consent.ts";
import { createTurnClocks } from "../runtime/seams/deadlines.ts";
import type { PlanScene } from "../runtime/seams/engine.ts";
import { NOBODY } from "../runtime/seams/player.ts";
import type { Refusal } from "../runtime/seams/session-service.ts";
import { patchOf, type NarratoriaEvent } from "../story/event.ts";
import type { ExecutionResult } from "../story/execution-result.ts";
import { createResultFold } from "../story/fold-result.ts";
import type { Owned } from "../story/merge-patch.ts";
import type { Plan } from "../story/plan.ts";
import type { PlanProblem } from "../story/plan-problem.ts";
import { patchSized, sizeOf, type SizedState } from "../story/state-size.ts";
import { readSmall } from "./record-turns.ts";

export interface RunPlanOptions {
  /** The folder that tools run in, and may come from. */
  storyDir: string;
  /** The state to begin with. */
  state?: JsonObject | undefined;
  /** Further folders that tools may come from. */
  allowTools?: readonly string[] | undefined;
  /** The story's folder is meant, also when it is somebody's home or holds keys. */
  allowStoryFolder?: boolean | undefined;
  /** Tools may run below the full sandbox. */
  allowUnconfined?: boolean | undefined;
  /** Hears what is wrong with the folder's `story.json`, and what could not be mounted; a plan may not need it. */
  onProblems?: ((found: { story: StoryProblem[]; mounts: StoryProblem[] }) => void) | undefined;
  /** Hears everything that happens, in order; a promise is waited for. */
  onEvent?: ((event: NarratoriaEvent) => void | Promise<void>) | undefined;
  signal?: AbortSignal | undefined;
}

export type PlanRun =
  /** Nothing was run. */
  | { kind: "invalid"; problems: PlanProblem[] }
  | {
      kind: "ran";
      result: ExecutionResult;
      /** What the tools answered, for a story to mount in their place; as long as the host is open. */
      record(): Recording;
    };

/** `value` is Plan JSON, not yet trusted. */
export async function runPlan(host: ToolHost, value: unknown, options: RunPlanOptions): Promise<PlanRun | Refusal> {
  const storyDir = resolve(options.storyDir);
  if (!isFolder(storyDir)) return { kind: "refused", code: "bad_request", message: `there is no folder ${storyDir}` };
  const risk = options.allowStoryFolder ? null : findStoryFolderRisk(storyDir);
  if (risk !== null) return { kind: "refused", code: "bad_request", message: `${storyDir}: ${refuseRisk(risk)}` };
  const { file, fileProblems, mounts, mountProblems } = await readStoryFolder(storyDir);
  options.onProblems?.({ story: fileProblems, mounts: mountProblems });
  const checked = validatePlan(value, { storyDir, allowed: options.allowTools ?? [], mounts });
  if (checked.kind === "invalid") return checked;
  const { plan, tools } = checked;

  const { clock, engine, policy, sandboxLevel: level } = host;
  const initial = options.state ?? {};
  let state: SizedState = { value: initial, size: sizeOf(initial) };
  let owned: Owned = new WeakSet();
  const log = createEventLog(clock, [applyPatch], host.newId);
  function applyPatch(event: NarratoriaEvent): void {
    const patch = patchOf(event);
    if (patch !== null) state = patchSized(state, patch, owned);
  }
  const record = keepRecord(
    createResultFold(plan),
    writeEach(async (draft) => {
      const event = log.append(draft);
      await options.onEvent?.(event);
      return event;
    }),
  );
  const scene: PlanScene = {
    whose: {
      story: { dir: storyDir, title: file.title ?? basename(storyDir), version: file.version ?? null },
      sessionId: null,
    },
    consent: consentOf({ storyDir, policy, level, allowUnconfined: options.allowUnconfined ?? false }),
    player: NOBODY,
    clocks: createTurnClocks(clock),
    limits: createTurnLimits(),
    state: () => {
      owned = new WeakSet();
      return state;
    },
    glance: () => state,
  };
  const order = { plan, tools, settled: new Set<string>(), record };
  const result = await executeOnce(order, scene, engine, cancelledBy(options.signal));
  return { kind: "ran", result, record: () => recordRun(host, plan, result) };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Whoever cancels need not know how we say it. */
function cancelledBy(signal: AbortSignal | undefined): AbortSignal {
  const stop = new AbortController();
  const cancel = (): void => stop.abort(new CancelReason("cancelled"));
  if (signal?.aborted) cancel();
  else signal?.addEventListener("abort", cancel, { once: true });
  return stop.signal;
}

function recordRun({ assets }: ToolHost, plan: Plan, result: ExecutionResult): Recording {
  return recordPlans([{ plan, result }], (sha256) => readSmall(assets.file(sha256)));
}
