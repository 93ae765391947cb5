/**
 * Plays recorded tools (`builtin:recorded FILE`): the same input gets the answer it got when it was recorded, without
 * the tool. Several answers to one input come in their order, the last one again and again.
 */
import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { readJson } from "@narratoria/tool/json";
import type { AssetEvent } from "@narratoria/tool/protocol";
import type { ErrorDetail } from "../story/execution-result.ts";
import { recordingSchema, type RecordedCall, type Recording } from "../runtime/execution/recording.ts";
import { bytesSource, refusedSource, type AssetSource } from "../runtime/seams/assets.ts";
import type { AttemptOutcome, AttemptPort, AttemptReport } from "../runtime/seams/tool-runner.ts";
import { KEEPS_NOTHING, offerOfManifest, type MountedCall, type MountRunner } from "./mount-runner.ts";

export function createRecordedRunner(): MountRunner {
  const timesCalled = new Map<string, number>();

  async function run(call: MountedCall, port: AttemptPort): Promise<AttemptReport> {
    const file = call.tool.command[1] ?? "";
    const recording = await readRecording(file);
    if ("problem" in recording)
      return report(file, refusal("BAD_RECORDING", `${file} is no recording: ${recording.problem}`));
    const fitting = recording.calls.filter(
      ({ tool, operation, input }) =>
        tool === call.tool.skill && operation === call.operation && isDeepStrictEqual(input, call.input),
    );
    const recorded = fitting[Math.min(nextTime(call, file), fitting.length - 1)];
    if (recorded === undefined) return report(file, refusal("NOT_RECORDED", "nothing was recorded for this input"));
    const refused = await play(recorded, port);
    return {
      ...report(file, refused ?? outcomeOf(recorded)),
      ...(recorded.output !== undefined && { output: recorded.output }),
    };
  }

  function nextTime(call: MountedCall, file: string): number {
    const key = JSON.stringify([call.sessionId, file, call.tool.skill, call.operation, call.input]);
    const times = timesCalled.get(key) ?? 0;
    timesCalled.set(key, times + 1);
    return times;
  }
  return { run, offers: offerOfManifest, ...KEEPS_NOTHING };
}

async function readRecording(file: string): Promise<Recording | { problem: string }> {
  const text = await readFile(file, "utf8").catch((error: Error) => error);
  if (text instanceof Error) return { problem: text.message };
  const reading = readJson(text);
  if (reading.kind !== "value") return { problem: reading.kind === "invalid" ? reading.reason : "nested too deep" };
  const parsed = recordingSchema.safeParse(reading.value);
  return (
    parsed.data ?? {
      problem: parsed.error?.issues.map(({ path, message }) => `/${path.join("/")}: ${message}`).join("; ") ?? "",
    }
  );
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
