/**
 * Plays recorded tools (`builtin:recorded FILE`): the same input gets the answer it got when it was recorded, without
 * the tool. Several answers to one input come in their order, the last one again and again.
 */
import type { AssetEvent } from "@narratoria/tool/protocol";
import { ownModule } from "../installation.ts";
import type { ErrorDetail } from "../story/execution-result.ts";
import type { RecordedCall } from "../runtime/execution/recording.ts";
import { storyProcesses } from "../runtime/mounts/story-processes.ts";
import type { Job } from "../runtime/mounts/story-job.ts";
import { bytesSource, refusedSource, type AssetSource } from "../runtime/seams/assets.ts";
import type { AttemptOutcome, AttemptPort, AttemptReport } from "../runtime/seams/tool-runner.ts";
import { KEEPS_NOTHING, offerOfManifest, type MountedCall, type MountRunner } from "./mount-runner.ts";
import type { FoundCall, WantedCall } from "./recorded-jobs.ts";

const FIND_CALL: Job<WantedCall, FoundCall> = {
  module: ownModule("runners/recorded-jobs"),
  name: "findRecordedCall",
  timeLimitMs: 20_000,
  mostAnswerBytes: 32 * 1024 * 1024,
};

export function createRecordedRunner(): MountRunner {
  const timesCalled = new Map<string, number>();

  async function run(call: MountedCall, port: AttemptPort, signal: AbortSignal): Promise<AttemptReport> {
    const file = call.mount.tool.command[1] ?? "";
    const found = await find(call, file, signal);
    if (found.kind === "unreadable")
      return report(file, refusal("BAD_RECORDING", `${file} is no recording: ${found.why}`));
    if (found.kind === "not_recorded")
      return report(file, refusal("NOT_RECORDED", "nothing was recorded for this input"));
    const recorded = found.call;
    const refused = await play(recorded, port);
    return {
      ...report(file, refused ?? outcomeOf(recorded)),
      ...(recorded.output !== undefined && { output: recorded.output }),
    };
  }

  async function find(call: MountedCall, file: string, signal: AbortSignal): Promise<FoundCall> {
    const { operation, input } = call;
    const { tool, storyDir } = call.mount;
    const wanted = { file, tool: tool.skill, operation, input, times: nextTime(call, file) };
    const outcome = await storyProcesses.run(FIND_CALL, wanted, { key: storyDir, signal });
    return outcome.kind === "answer" ? outcome.answer : { kind: "unreadable", why: outcome.message };
  }

  function nextTime(call: MountedCall, file: string): number {
    const key = JSON.stringify([call.sessionId, file, call.mount.tool.skill, call.operation, call.input]);
    const times = timesCalled.get(key) ?? 0;
    timesCalled.set(key, times + 1);
    return times;
  }
  return { run, offers: offerOfManifest, ...KEEPS_NOTHING };
}

/** Says what may not be done here, where the real tool was allowed to; null when all went as before. */
async function play({ events, files = {} }: RecordedCall, port: AttemptPort): Promise<AttemptOutcome | null> {
  for (const event of events) {
    const received = { event, text: JSON.stringify(event), warnings: [] };
    const error = await port.take(event.type === "asset" ? { ...received, asset: sourceOf(event, files) } : received);
    if (error !== undefined) return { kind: "failed", error };
  }
  await port.flush();
  return null;
}

function sourceOf({ assetId, mediaType }: AssetEvent, files: NonNullable<RecordedCall["files"]>): AssetSource {
  const base64 = Object.hasOwn(files, assetId) ? files[assetId] : undefined;
  if (base64 === undefined) return refusedSource("its bytes were not recorded", mediaType);
  return bytesSource(Buffer.from(base64, "base64"), mediaType);
}

function outcomeOf({ error, events }: RecordedCall): AttemptOutcome {
  if (error !== undefined) return { kind: error.category === "timeout" ? "timeout" : "failed", error };
  const done = events.find((event) => event.type === "done");
  return { kind: "completed", summary: done?.summary ?? null };
}

function refusal(code: string, message: string): AttemptOutcome {
  const error: ErrorDetail = { category: "tool_failure", code, message };
  return { kind: "failed", error };
}

function report(file: string, outcome: AttemptOutcome): AttemptReport {
  const nothing = { exitCode: null, signal: null, stderrTail: "", warnings: [], eventsAfterDone: 0 };
  // No program runs, so there is nothing that any sandbox could not hold.
  return { outcome, ...nothing, sandbox: "full", trace: { runner: "recorded", file } };
}
