/** Tools that take more than they may of one thing; what the full sandbox's watch must find is in `adversary/`. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { createProcessRunner } from "../src/runners/process.ts";
import { makeStory, shellTool } from "./made-story.ts";
import { processesMentioning } from "./processes.ts";
import { outcomeOf, runFixture, type FixtureRun } from "./run-fixture.ts";
import { sandboxOfLevel } from "./sandbox-of-level.ts";

const STORY = fileURLToPath(new URL("./fixtures/hostile", import.meta.url));
const LIMITS = {
  memoryMb: 128,
  processes: 16,
  cpuSeconds: 20,
  fileSizeMb: 400,
  openFiles: 64,
  diskMb: 50,
  outputMb: 4,
};
const full = await sandboxOfLevel("full");
afterAll(() => full.close());

function greedy(
  greed: string,
  sandbox = full,
  timeoutMs = 25_000,
  limits: Partial<typeof LIMITS> = {},
): Promise<FixtureRun> {
  const runner = createProcessRunner({ sandbox, terminateGraceMs: 200 });
  const command = ["/usr/bin/python3", join(STORY, "greed.py")];
  return runFixture(runner, greed, {
    command,
    storyDir: STORY,
    input: { greed },
    limits: { ...LIMITS, ...limits },
    timeoutMs,
  });
}

describe("[Z1.3] [T5.5] in the full sandbox", () => {
  test("ten gigabytes to one file: the kernel stops it at the limit", async () => {
    // Not from Python, which ignores the signal and hands that down to what it starts.
    const command = ["/bin/sh", "-c", "exec head -c 10000000000 /dev/zero > /tmp/huge"];
    const limits = { ...LIMITS, fileSizeMb: 10 };
    const { report } = await runFixture(createProcessRunner({ sandbox: full }), "huge", {
      command,
      storyDir: STORY,
      limits,
    });
    expect(outcomeOf(report)).toBe("failed process_error SIGNALLED");
    expect(report.signal).toBe("SIGXFSZ");
  });

  test("a spinning tool ends when its processor time is used up", async () => {
    const { report } = await greedy("processor", full, 25_000, { cpuSeconds: 1 });
    expect(outcomeOf(report)).toBe("failed process_error SIGNALLED");
    expect(report.signal).toBe("SIGXCPU");
  });

  test("a fork bomb stays within its processes, other tools run meanwhile, and it is gone at its time limit", async () => {
    const mark = `bomb-${randomBytes(6).toString("hex")}`;
    const runner = createProcessRunner({ sandbox: full, terminateGraceMs: 200 });
    const bomb = runFixture(runner, "bomb", {
      command: ["/usr/bin/python3", join(STORY, "greed.py"), "fork_bomb", mark],
      storyDir: STORY,
      limits: LIMITS,
      timeoutMs: 3_000,
    });
    await expect.poll(() => processesMentioning(mark).length, { timeout: 2_500 }).toBeGreaterThan(10);
    // The count holds bubblewrap's own processes too, whose command lines name the tool.
    expect(processesMentioning(mark).length).toBeLessThanOrEqual(LIMITS.processes + 4);
    expect(outcomeOf((await runFixture(runner, "completes")).report)).toBe("completed");
    expect(outcomeOf((await bomb).report)).toBe("timeout timeout TIMEOUT");
    expect(processesMentioning(mark)).toEqual([]);
  });
});

describe("[Z1.3] in the partial sandbox, where no kernel limit counts a tool's processes", () => {
  test.each([
    ["memory", "failed process_error OOM"],
    ["asset_folder", "failed process_error DISK_LIMIT"],
    ["processes", "failed process_error PROCESS_LIMIT"],
  ])("%s: %s", async (greed, expected) => {
    const { report } = await greedy(greed, await sandboxOfLevel("partial"));
    expect(outcomeOf(report), report.stderrTail).toBe(expected);
  });
});

test("[T4.3] [Z1.3] assets count too: a tool cannot fill the disk through the store that keeps them", async () => {
  const declare = (id: string): string => `head -c 600000 /dev/urandom > "$NARRATORIA_ASSET_DIR/noise"
    echo '{"version":"0","type":"asset","assetId":"${id}","kind":"x","mediaType":"text/plain","path":"'$NARRATORIA_ASSET_DIR/noise'"}'
    sleep 0.3`;
  const script = ["one", "two", "three"].map(declare).join("\n");
  using story = makeStory(shellTool("noise", [], script, { limits: { diskMb: 1 } }));
  const { result } = await story.run("noise");
  expect(result.aggregatedAssets.map(({ status, reason }) => reason ?? status)).toEqual([
    "stored",
    "stored",
    "the tool's assets have more than 1 MB already",
  ]);
});
