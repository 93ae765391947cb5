/** Runs the real command, with the real Stryker, over a folder with one source file and one weak test. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const STORY = "packages/narratoria/src/story";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "narratoria-mutate-"));
  symlinkSync(path.join(import.meta.dirname, "../node_modules"), path.join(folder, "node_modules"));
  write("package.json", '{ "type": "module" }');
  write(`${STORY}/lamp.ts`, "export function isLit(oil: number): boolean {\n  return oil > 0;\n}\n");
  // Nothing is said about an empty lamp.
  const expectations = "expect([isLit(1), isLit(-1)]).toEqual([true, false])";
  const imports = 'import { expect, test } from "vitest";\nimport { isLit } from "./lamp.ts";\n';
  write(`${STORY}/lamp.test.ts`, `${imports}test("a lamp", () => ${expectations});\n`);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test(
  "a survivor is reported, a killed mutant is not, and a stale explanation fails the run",
  { timeout: 180_000 },
  () => {
    const stale = { file: `${STORY}/lamp.ts`, line: "return oil > 0;", change: "oil > 0 -> true", reason: "none" };
    write("scripts/mutants-explained.json", JSON.stringify([stale]));
    const { status, stdout } = mutate("story/lamp");
    expect(stdout).toContain(`Survivors (1):\n${STORY}/lamp.ts:2: oil > 0 -> oil >= 0\n\n`);
    expect(stdout).toContain(`any more (1):\n${STORY}/lamp.ts: oil > 0 -> true, on the line: return oil > 0;\n\n`);
    expect(stdout).toMatch(/^80\.0 % killed, 80 % wanted: failed$/m);
    expect(status).toBe(1);
  },
);

test("a sample tries some of the mutants, and the same ones again", { timeout: 180_000 }, () => {
  const [first, again] = [mutate("--percent", "50", "--seed", "lamp"), mutate("--percent", "50", "--seed", "lamp")];
  const lastLine = /^\d+\.\d % killed in a sample of [1-4] \(.*$/m;
  expect(first.stdout).toMatch(lastLine);
  expect(tableOf(again.stdout)).toBe(tableOf(first.stdout));
});

function tableOf(report: string): string {
  return report.slice(report.indexOf("Survivors"));
}

function mutate(...args: string[]): { status: number | null; stdout: string } {
  const script = path.join(import.meta.dirname, "mutate.ts");
  return spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: "utf8" });
}

function write(name: string, content: string): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), content);
}
