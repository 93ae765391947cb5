import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createProcessRunner } from "../src/runners/process.ts";
import { createUnconfined } from "../src/sandbox/unconfined.ts";
import { outcomeOf, runFixture } from "./run-fixture.ts";

const runner = createProcessRunner({ sandbox: createUnconfined(), lingerMs: 500, drainMs: 2_000 });

test("[T5.4] a tool that is gone before its done event is read does not linger, however slow the reader", async () => {
  const { report, events } = await runFixture(runner, "completes", {
    // Long enough for the tool to exit before its done event is taken, and then for longer than it may linger.
    sink: ({ event }) => sleep(event.type === "done" ? 1_000 : 200).then(() => undefined),
  });
  expect(outcomeOf(report)).toBe("completed");
  expect(events.map(({ type }) => type)).toEqual(["log", "state_patch", "done"]);
});

test("[T3.2] a violation found after the exit is still the outcome", async () => {
  const { report } = await runFixture(runner, "patches-before-a-violation", {
    sink: () => sleep(300).then(() => undefined),
  });
  expect(outcomeOf(report)).toBe("failed protocol_violation INVALID_JSON");
});
