/** Why an AbortSignal was aborted, and what that means for a tool that was running: a plan over its limit times out. */
import type { ErrorDetail } from "../../story/execution-result.ts";
import type { AttemptOutcome } from "../seams/tool-runner.ts";

export class CancelReason extends Error {
  readonly kind: "cancelled" | "plan_timeout" | "turn_timeout" | "shutdown";

  constructor(kind: CancelReason["kind"], limitMs?: number) {
    super(describe(kind, limitMs));
    this.name = "CancelReason";
    this.kind = kind;
  }
}

export function cancelledOutcome(reason: unknown): Exclude<AttemptOutcome, { kind: "completed" }> {
  const message = cancelMessage(reason);
  if (reason instanceof CancelReason && reason.kind === "plan_timeout") {
    return { kind: "timeout", error: { category: "timeout", code: "TIMEOUT", message, details: { limit: "plan" } } };
  }
  return { kind: "failed", error: { category: "process_error", code: "CANCELLED", message } };
}

/** Whether it was the plan's time that was up, and not the tool's own. */
export function isOverPlanLimit({ details }: ErrorDetail): boolean {
  return details?.["limit"] === "plan";
}

/** The host goes away: what runs is interrupted, not ended, and can be resumed. */
export function isShutdown(signal: AbortSignal): boolean {
  return signal.reason instanceof CancelReason && signal.reason.kind === "shutdown";
}

export function cancelMessage(reason: unknown): string {
  return reason instanceof CancelReason ? reason.message : "the run was cancelled";
}

function describe(kind: CancelReason["kind"], limitMs: number | undefined): string {
  switch (kind) {
    case "cancelled":
      return "the run was cancelled";
    case "plan_timeout":
      return `the plan ran longer than ${limitMs} ms`;
    case "turn_timeout":
      return `the turn ran longer than ${limitMs} ms`;
    case "shutdown":
      return "Narratoria was shut down";
  }
}
