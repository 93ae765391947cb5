import { expect, test } from "vitest";
import { CancelReason, cancelledOutcome } from "./cancel-reason.ts";

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
  ["a signal aborted without a reason of ours", new DOMException("aborted", "AbortError"), "the run was cancelled"],
])("%s: the tool has failed as cancelled", (_, reason, message) => {
  const error = { category: "process_error", code: "CANCELLED", message };
  expect(cancelledOutcome(reason)).toEqual({ kind: "failed", error });
});
