/** Runs the real command, shortly and with a seed: nothing is lost, and a host that claims more than it keeps is found out. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("[Z1.4] [Z1.7] a short torture loses, doubles, damages and leaves nothing", { timeout: 300_000 }, () => {
  const { status, stdout } = torture("6", "5");
  expect(stdout).toContain("nothing lost, nothing doubled, nothing damaged, nothing left running");
  expect(status).toBe(0);
});

test("[Z1.4] a host that tells what it does not keep is found out", { timeout: 300_000 }, () => {
  const { status, stdout } = torture("6", "5", { NARRATORIA_TORTURE_LIE: "1" });
  expect(stdout).toMatch(/^round \d, .* \(--seed 5 --rounds \d\):\n {2}told, and not kept: \S+ 999999999/m);
  expect(status).toBe(1);
});

function torture(rounds: string, seed: string, env: NodeJS.ProcessEnv = {}): { status: number | null; stdout: string } {
  const args = [join(import.meta.dirname, "torture.ts"), "--rounds", rounds, "--seed", seed];
  return spawnSync(process.execPath, args, { encoding: "utf8", env: { ...process.env, ...env } });
}
