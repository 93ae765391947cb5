import { expect, test } from "vitest";
import { CancelReason, cancelledOutcome, isOverPlanLimit, isShutdown } from "./cancel-reason.ts";

test("[X1.5] only the plan's own limit makes a running tool a timeout", () => {
  expect(cancelledOutcome(new CancelReason("plan_timeout", 5_000))).toEqual({
    kind: "timeout",
    error: {
      category: "timeout",
      code: "TIMEOUT",
      message: "the plan ran longer than 5000 ms",
      details: { limit: "plan" },
    },
  });
});

test.each([
  ["[X1.6] the player", new CancelReason("cancelled"), "the run was cancelled"],
  ["[X1.5] the turn's limit", new CancelReason("turn_timeout", 120_000), "the turn ran longer than 120000 ms"],
  ["[Z1.4] the host that goes away", new CancelReason("shutdown"), "Narratoria was shut down"],
  ["a signal aborted without a reason of ours", new DOMException("aborted", "AbortError"), "the run was cancelled"],
])("%s: the tool has failed as cancelled", (_, reason, message) => {
  const error = { category: "process_error", code: "CANCELLED", message };
  expect(cancelledOutcome(reason)).toEqual({ kind: "failed", error });
});

test("[Z1.4] only a host that goes away leaves a turn to be resumed", () => {
  expect(isShutdown(AbortSignal.abort(new CancelReason("shutdown")))).toBe(true);
  expect(isShutdown(AbortSignal.abort(new CancelReason("cancelled")))).toBe(false);
  expect(isShutdown(AbortSignal.abort({ kind: "shutdown" }))).toBe(false);
  expect(isShutdown(new AbortController().signal)).toBe(false);
});

test("[X1.5] a tool's own limit is not the plan's", () => {
  const error = { category: "timeout", code: "TIMEOUT", message: "late" } as const;
  expect(isOverPlanLimit({ ...error, details: { limit: "plan" } })).toBe(true);
  expect(isOverPlanLimit({ ...error, details: { limit: "tool" } })).toBe(false);
  expect(isOverPlanLimit(error)).toBe(false);
});
