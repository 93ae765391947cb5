import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { createProcessRunner } from "../src/runners/process.ts";
import { createUnconfined } from "../src/sandbox/unconfined.ts";
import { isAlive } from "./processes.ts";
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

test("[T2.4] what a tool printed is read to its end, also when the reader was too slow to have it all at the exit", async () => {
  // More than the host takes in at once, and less than what it and the pipe hold: the tool can exit.
  const printed = Array.from(
    { length: 1_500 },
    (_, n) => `{"version":"0","type":"log","level":"info","message":"${n}"}`,
  );
  const script = `
    const { writeSync } = require("node:fs");
    writeSync(1, JSON.stringify({ version: "0", type: "log", level: "info", message: String(process.pid) }) + "\\n");
    process.stdout.write(${JSON.stringify(`${printed.join("\n")}\n{"version":"0","type":"done","ok":true}\n`)});`;
  const impatient = createProcessRunner({ sandbox: createUnconfined(), drainMs: 50 });
  let isFirst = true;
  const { report, events } = await runFixture(impatient, "completes", {
    command: [process.execPath, "-e", script],
    sink: async ({ event }) => {
      if (!isFirst || event.type !== "log") return undefined;
      isFirst = false;
      await vi.waitUntil(() => !isAlive(Number(event.message)), { timeout: 10_000 });
      // Longer than a descendant may keep the output open.
      return sleep(500).then(() => undefined);
    },
  });
  expect(outcomeOf(report)).toBe("completed");
  expect(events).toHaveLength(1_502);
});
