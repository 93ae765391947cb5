/** What a story's process does for `recorded.ts`: it reads a recording, which may be large, and gives back one call of it. */
import { basename, dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readJson, type Json } from "@narratoria/tool/json";
import { recordingSchema, type RecordedCall } from "../runtime/execution/recording.ts";
import { MOST_BYTES, readStoryText } from "../runtime/mounts/story-text.ts";

export interface WantedCall {
  /** As the mount named it, links resolved. */
  file: string;
  tool: string;
  operation: string | null;
  input: Json;
  /** How often it was asked for before. */
  times: number;
}

export type FoundCall =
  | { kind: "call"; call: RecordedCall }
  | { kind: "not_recorded" }
  | { kind: "unreadable"; why: string };

export function findRecordedCall({ file, times, ...wanted }: WantedCall): FoundCall {
  const text = readStoryText(dirname(file), basename(file), MOST_BYTES.recording);
  if (text.kind !== "text") return unreadable(text.kind === "missing" ? "it is gone" : `it ${text.why}`);
  const reading = readJson(text.text);
  if (reading.kind !== "value") return unreadable(reading.kind === "invalid" ? reading.reason : "nested too deep");
  const parsed = recordingSchema.safeParse(reading.value);
  if (!parsed.success) {
    const [problem] = parsed.error.issues;
    return unreadable(`/${problem?.path.join("/")}: ${problem?.message}`);
  }
  const fitting = parsed.data.calls.filter(
    ({ tool, operation, input }) =>
      tool === wanted.tool && operation === wanted.operation && isDeepStrictEqual(input, wanted.input),
  );
  const call = fitting[Math.min(times, fitting.length - 1)];
  return call === undefined ? { kind: "not_recorded" } : { kind: "call", call };
}

function unreadable(why: string): FoundCall {
  return { kind: "unreadable", why };
}
