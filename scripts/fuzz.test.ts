/** Runs the real command on targets with a fault planted in them: it finds the fault, keeps the input and says how to repeat it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "narratoria-fuzz-command-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a fault is found, whatever it does to the process", { timeout: 120_000 }, () => {
  test.each([
    ["planted-fault", "it holds two braces"],
    ["planted-loop", "the process hung for 2 s"],
    ["planted-death", "the process ended with SIGKILL"],
  ])("%s", (target, message) => {
    const { status, stdout } = fuzz(target, "--seed", "7", "--inputs", "3000", "--most-seconds", "2");
    expect(stdout).toContain(message);
    expect(stdout).toMatch(/\d+ inputs, 1 finds\n$/);
    expect(status).toBe(1);
    const [file = ""] = readdirSync(path.join(folder, target));
    expect(readFileSync(path.join(folder, target, file), "latin1")).toContain("{{");
    const seed = /--seed (\d+) --inputs 200/.exec(stdout)?.[1] ?? "";
    expect(fuzz(target, "--seed", seed, "--inputs", "200", "--most-seconds", "2").status).toBe(1);
  });
});

test("without a find it ends well, and the same seed tries the same inputs", { timeout: 120_000 }, () => {
  const rows = [1, 2].map(() => fuzz("module-stdio", "--seed", "3", "--inputs", "50"));
  expect(rows.map(({ status }) => status)).toEqual([0, 0]);
  const [first, second] = rows.map(({ stdout }) => /^module-stdio +50 +(\d+)/m.exec(stdout)?.[1]);
  expect(first).toEqual(expect.any(String));
  expect(second).toBe(first);
});

function fuzz(...args: string[]): { status: number | null; stdout: string } {
  const script = path.join(import.meta.dirname, "fuzz.ts");
  return spawnSync(process.execPath, [script, ...args, "--fixtures", folder], { encoding: "utf8" });
}
