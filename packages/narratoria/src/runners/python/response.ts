/** Reads a Python tool's response, strictly, and names the outcome of a call from it and from how the process ended. */
import { isUtf8, type Buffer } from "node:buffer";
import { isJsonObject, readJson, type Json, type JsonObject } from "@narratoria/tool/json";
import type { ErrorDetail } from "../../story/execution-result.ts";
import type { AttemptOutcome } from "../../runtime/seams/tool-runner.ts";

export const PYTHON_PROTOCOL_VERSION = 1;

export type PythonResponse =
  | { kind: "result"; result: Json; warnings: string[] }
  | { kind: "error"; error: ErrorDetail }
  | { kind: "invalid"; error: ErrorDetail };

export function readResponse(bytes: Buffer): PythonResponse {
  if (!isUtf8(bytes)) return invalid("INVALID_UTF8", "it is not valid UTF-8");
  const reading = readJson(bytes.toString("utf8"));
  if (reading.kind === "too_deep") return invalid("TOO_DEEP", "it is nested too deep");
  if (reading.kind === "invalid")
    return invalid("INVALID_JSON", bytes.length === 0 ? "it is empty" : "it is not valid JSON");
  const { value } = reading;
  if (!isJsonObject(value)) return invalid("NOT_AN_OBJECT", "it is no object");
  const version = value["protocol_version"] ?? PYTHON_PROTOCOL_VERSION;
  if (version !== PYTHON_PROTOCOL_VERSION)
    return invalid("BAD_VERSION", `its protocol_version is not ${PYTHON_PROTOCOL_VERSION}`);
  if (typeof value["ok"] !== "boolean") return invalid("INVALID_RESPONSE", '"ok" is neither true nor false');
  if (!value["ok"]) return { kind: "error", error: toolError(value["error"]) };
  const warnings = reading.hasUnsafeInteger ? ["the result holds an integer beyond 2^53, which has lost digits"] : [];
  return { kind: "result", result: value["result"] ?? null, warnings };
}

/** How the process behind a response ended. */
export interface CallExit {
  exitCode: number | null;
  signal: string | null;
}

/** A response decides, whatever the exit code; but a result and then a crash is a crash. Null: no response came. */
function judgeCall(response: PythonResponse | null, exit: CallExit): AttemptOutcome {
  if (response?.kind === "error") return { kind: "failed", error: response.error };
  if (exit.signal !== null) return crashed("SIGNALLED", `the tool died of ${exit.signal}`);
  if (exit.exitCode !== 0) return crashed("EXIT_NONZERO", `the tool exited with code ${exit.exitCode}`);
  if (response === null) return crashed("NO_RESPONSE", "the tool ended without a response");
  if (response.kind === "invalid") return { kind: "failed", error: response.error };
  return { kind: "completed", summary: null };
}

/** A call, made. */
export interface MadeCall extends CallExit {
  outcome: AttemptOutcome;
  stderrTail: string;
  output?: Json;
  warnings?: string[];
}

export function concludeCall(response: PythonResponse | null, exit: CallExit, stderrTail: string): MadeCall {
  const made: MadeCall = { outcome: judgeCall(response, exit), ...exit, stderrTail };
  if (response?.kind !== "result" || made.outcome.kind !== "completed") return made;
  return { ...made, output: response.result, warnings: response.warnings };
}

/** What its process said is nothing that can be said there: the tool's code has been at it. */
export function tampered(stderrTail: string): MadeCall {
  const { error } = invalid("INVALID_RESPONSE", "the tool has meddled with what its process answers");
  return { outcome: { kind: "failed", error }, ...NO_EXIT, stderrTail };
}

/** It could not even be tried. */
export function cannotStart(reason: string, exit: CallExit = NO_EXIT, stderrTail = ""): MadeCall {
  return { outcome: crashed("SPAWN_FAILED", reason), ...exit, stderrTail };
}

export const NO_EXIT: CallExit = { exitCode: null, signal: null };

export function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) || "it gave no reason";
}

/** `error` may be a plain string, or not be there at all. */
function toolError(error: Json | undefined): ErrorDetail {
  const { type, message }: JsonObject = isJsonObject(error) ? error : { message: error ?? null };
  return {
    category: "tool_failure",
    code: typeof type === "string" && type !== "" ? type : "ToolError",
    message: typeof message === "string" && message !== "" ? message : "Tool error",
  };
}

export function crashed(code: string, message: string): AttemptOutcome {
  return { kind: "failed", error: { category: "process_error", code, message } };
}

/** Nothing of it is quoted: it may hold secrets. */
function invalid(code: string, reason: string): Extract<PythonResponse, { kind: "invalid" }> {
  return {
    kind: "invalid",
    error: { category: "protocol_violation", code, message: `the response is invalid: ${reason}` },
  };
}

export function responseTooLarge(maxBytes: number): ErrorDetail {
  const message = `the response is larger than ${maxBytes} bytes`;
  return { category: "protocol_violation", code: "RESPONSE_TOO_LARGE", message };
}
