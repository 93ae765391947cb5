/**
 * Plays recorded tools (`builtin:recorded FILE`): the same input gets the answer it got when it was recorded, without
 * the tool. Several answers to one input come in their order, the last one again and again.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readJson } from "@narratoria/tool/json";
import type { ErrorDetail } from "../story/execution-result.ts";
import { RECORDED } from "../runtime/mounts/read-manifest.ts";
import { recordingSchema, type RecordedCall, type Recording } from "../runtime/execution/recording.ts";
import type { AttemptOutcome, AttemptReport, EventSink, ToolCall, ToolRunner } from "../runtime/seams/tool-runner.ts";

/** Everything else is left to the runner that is there. */
export function withRecordedTools(runner: ToolRunner): ToolRunner {
  const recorded = createRecordedRunner();
  return {
    ...runner,
    run: (call, sink, signal) => (call.tool.command[0] === RECORDED ? recorded : runner).run(call, sink, signal),
  };
}

function createRecordedRunner(): ToolRunner {
  const timesCalled = new Map<string, number>();

  async function run(call: ToolCall, sink: EventSink): Promise<AttemptReport> {
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
    const refused = await play(recorded, sink);
    return {
      ...report(file, refused ?? outcomeOf(recorded)),
      ...(recorded.output !== undefined && { output: recorded.output }),
    };
  }

  function nextTime(call: ToolCall, file: string): number {
    const key = JSON.stringify([call.sessionId, file, call.tool.skill, call.operation, call.input]);
    const times = timesCalled.get(key) ?? 0;
    timesCalled.set(key, times + 1);
    return times;
  }
  return { run };
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
async function play({ events, files = {} }: RecordedCall, sink: EventSink): Promise<AttemptOutcome | null> {
  const folder = await mkdtemp(join(tmpdir(), "narratoria-recorded-"));
  try {
    for (const [index, event] of events.entries()) {
      const received = { event, text: JSON.stringify(event), warnings: [] };
      const path = join(folder, String(index));
      const bytes = event.type === "asset" && Object.hasOwn(files, event.assetId) ? files[event.assetId] : undefined;
      if (bytes !== undefined) await writeFile(path, Buffer.from(bytes, "base64"));
      const error = await sink(
        event.type === "asset" ? { ...received, assetFile: { path, within: [folder] } } : received,
      );
      if (error !== undefined) return { kind: "failed", error };
    }
    await sink.flush?.();
    return null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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
