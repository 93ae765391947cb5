/** Runs the real command, shortly: a host that plays turn after turn holds no more, and one that leaks is found out. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("[Z1.7] a short soak is flat: heap, memory, descriptors, processes, listeners", { timeout: 240_000 }, () => {
  const { status, stdout } = soak();
  expect(stdout).toMatch(/^90 turns in \d+ s: flat$/m);
  for (const figure of ["heapKb", "rssKb", "descriptors", "processes", "listeners"]) {
    expect(stdout).toMatch(new RegExp(`^${figure} +[▁▂▃▄▅▆▇█]+ `, "m"));
  }
  expect(status).toBe(0);
});

test("[Z1.7] a host that keeps something of every turn is not", { timeout: 240_000 }, () => {
  const { status, stdout } = soak({ NARRATORIA_SOAK_LEAK: "1" });
  expect(stdout).toMatch(/^90 turns in \d+ s: not flat: heapKb/m);
  expect(status).toBe(1);
});

function soak(env: NodeJS.ProcessEnv = {}): { status: number | null; stdout: string } {
  const args = [join(import.meta.dirname, "soak.ts"), "--turns", "90", "--looks", "9", "--sandbox", "none"];
  return spawnSync(process.execPath, args, { encoding: "utf8", env: { ...process.env, ...env } });
}
