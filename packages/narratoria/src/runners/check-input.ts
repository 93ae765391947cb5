/**
 * Holds a plan's input against the JSON Schema that a module gave for it. A schema is as little trusted as its module:
 * it is read and matched in its story's process (`check-input-jobs.ts`); an expensive one is stopped there, and one that
 * makes no sense is left out.
 */
import type { JsonObject } from "@narratoria/tool/json";
import { ownModule } from "../installation.ts";
import { storyProcesses } from "../runtime/mounts/story-processes.ts";
import type { Job } from "../runtime/mounts/story-job.ts";

export type InputCheck =
  | { kind: "fine" }
  | { kind: "wrong"; problems: InputProblem[] }
  | { kind: "unusable"; reason: string };

export interface InputProblem {
  pointer: string;
  message: string;
}

/** The schema as text: by it the process knows one that it has read before. */
export interface InputToCheck {
  schema: string;
  input: JsonObject;
}

export type CheckInput = (input: JsonObject, signal: AbortSignal) => Promise<InputCheck>;

const CHECK_MS = 2_000;
const MOST_SCHEMA_BYTES = 1024 * 1024;

const CHECK: Job<InputToCheck, InputCheck> = {
  module: ownModule("runners/check-input-jobs"),
  name: "checkInput",
  timeLimitMs: CHECK_MS,
  mostAnswerBytes: 1024 * 1024,
};

/** `key`: the story whose processes have the work. */
export function prepareInputCheck(rules: JsonObject, key: string): CheckInput {
  const schema = JSON.stringify(rules);
  return async (input, signal) => {
    if (Buffer.byteLength(schema) > MOST_SCHEMA_BYTES)
      return { kind: "unusable", reason: `it has more than ${MOST_SCHEMA_BYTES / 1024 / 1024} MiB` };
    const outcome = await storyProcesses.run(CHECK, { schema, input }, { key, signal });
    return outcome.kind === "answer" ? outcome.answer : { kind: "unusable", reason: outcome.message };
  };
}
