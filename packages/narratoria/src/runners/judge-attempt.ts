/** From the facts of one attempt to its outcome, by the order of the rules T5.1 to T5.8. */
import type { DoneEvent, ErrorEvent, ViolationCode } from "@narratoria/tool/protocol";
import type { ErrorDetail } from "../story/execution-result.ts";
import { cancelledOutcome } from "../runtime/execution/cancel-reason.ts";
import type { OverLimit, ProcessExit } from "../runtime/seams/sandbox.ts";
import type { AttemptOutcome } from "../runtime/seams/tool-runner.ts";

/** Why we ended a tool before it ended itself. */
export type Ending =
  | { kind: "violation"; violation: Violation }
  | { kind: "refused"; error: ErrorDetail }
  | { kind: "timeout" }
  | { kind: "lingered"; lingerMs: number }
  | { kind: "cancelled"; reason: unknown };

export interface Violation {
  code: ViolationCode;
  message: string;
}

export interface AttemptFacts {
  exit: ProcessExit;
  ending: Ending | null;
  events: {
    done: DoneEvent | null;
    lastError: ErrorEvent | null;
    /** What is wrong with a last line that had no newline: it counts only if the tool did not crash. */
    halfLine: Violation | null;
  };
  timeoutMs: number;
}

export function judgeAttempt({ exit, ending, events, timeoutMs }: AttemptFacts): AttemptOutcome {
  const { done, lastError, halfLine } = events;
  if (exit.kind === "not_started") return failed("process_error", "SPAWN_FAILED", exit.reason);
  if (ending !== null) return judgeEnding(ending, timeoutMs);
  if (exit.overLimit !== null) return failed("process_error", ...OVER_LIMIT[exit.overLimit]);
  if (exit.signal !== null) return failed("process_error", "SIGNALLED", `the tool died of ${exit.signal}`);
  if (exit.exitCode !== 0) {
    return failed("process_error", "EXIT_NONZERO", `the tool exited with code ${exit.exitCode}`);
  }
  if (halfLine !== null) return failed("protocol_violation", halfLine.code, halfLine.message);
  if (done === null) {
    return failed("protocol_violation", "MISSING_DONE", "the tool exited without a done event");
  }
  if (done.ok) return { kind: "completed", summary: done.summary ?? null };
  if (lastError === null) return failed("tool_failure", "TOOL_FAILED", done.summary || "the tool reported a failure");
  const { errorCode, errorMessage, details } = lastError;
  const error: ErrorDetail = { category: "tool_failure", code: errorCode, message: errorMessage };
  return { kind: "failed", error: details ? { ...error, details } : error };
}

export const OVER_LIMIT: Record<OverLimit, [code: string, message: string]> = {
  memory: ["OOM", "the tool used more memory than it may"],
  disk: ["DISK_LIMIT", "the tool wrote more files than it may"],
  processes: ["PROCESS_LIMIT", "the tool started more processes than it may"],
};

export function judgeEnding(ending: Ending, timeoutMs: number): AttemptOutcome {
  switch (ending.kind) {
    case "violation":
      return failed("protocol_violation", ending.violation.code, ending.violation.message);
    case "refused":
      return { kind: "failed", error: ending.error };
    case "timeout":
      return timedOut("TIMEOUT", `the tool ran longer than ${timeoutMs} ms`);
    case "lingered":
      return timedOut("LINGERED", `the tool was still running ${ending.lingerMs} ms after its done event`);
    case "cancelled":
      return cancelledOutcome(ending.reason);
  }
}

function failed(category: ErrorDetail["category"], code: string, message: string): AttemptOutcome {
  return { kind: "failed", error: { category, code, message } };
}

function timedOut(code: "TIMEOUT" | "LINGERED", message: string): AttemptOutcome {
  return { kind: "timeout", error: { category: "timeout", code, message } };
}

export function outputLimit(maxBytes: number): ErrorDetail {
  const message = `the tool printed more than ${maxBytes} bytes`;
  return { category: "process_error", code: "OUTPUT_LIMIT", message };
}
