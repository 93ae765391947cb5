/**
 * `npm run mutate`: Stryker changes `story/` and `runtime/` in one small way at a time and runs the tests that reach the
 * change; a mutant that no test fails for is printed. `mutation-score.ts` weighs what came out, `mutation-tests.config.ts`
 * says which tests count. `npm run mutate -- story/plan` takes only the files whose path contains this (or one of these), `--since main`
 * only those changed since a commit, `--percent 10` a random tenth of the mutants (`mutation-sample.ts`; `--seed` picks another
 * tenth). `--concurrency 1` leaves the rest of the machine to others.
 */
import { Stryker } from "@stryker-mutator/core";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { useSample } from "./mutation-sample.ts";
import { type Explanation, formatScore, type Mutant, printedChange, scoreMutants } from "./mutation-score.ts";

/** Each is mutated by itself, because its own tests must hold it; `mutation-tests.config.ts` lists them. */
const FOLDERS = ["packages/narratoria/src/story", "packages/narratoria/src/runtime"];
/** What runs in a process of its own: a mutant there would not be noticed, whatever the tests hold. */
const ELSEWHERE = ["packages/narratoria/src/runtime/mounts/story-process.ts"];
/** Changed in the wrong place it starts processes without end: hundreds of them took a whole machine's memory. */
const RUNAWAY = ["packages/narratoria/src/runtime/mounts/story-processes.ts"];
const EXPLANATIONS = "scripts/mutants-explained.json";
// In .gitignore: the copy of the project that Stryker changes, and its reports with every mutant.
const OUTPUT = ".mutate";

interface Extent {
  sampled: boolean;
  concurrency: number;
}

type Tested = Awaited<ReturnType<Stryker["runMutationTest"]>>[number];

process.exitCode = await main();

async function main(): Promise<number> {
  const { positionals: parts, values } = parseArgs({
    allowPositionals: true,
    options: {
      since: { type: "string" },
      percent: { type: "string", default: "100" },
      seed: { type: "string", default: "1" },
      concurrency: { type: "string", default: "2" },
    },
  });
  const percent = Number(values.percent);
  useSample({ percent, seed: values.seed });
  const all = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`)).filter(
    (file) => !file.endsWith(".test.ts") && ![...ELSEWHERE, ...RUNAWAY].includes(file),
  );
  const changed = values.since === undefined ? all : changedSince(values.since);
  const files = all.filter(
    (file) => changed.includes(file) && (parts.length === 0 || parts.some((part) => file.includes(part))),
  );
  if (files.length === 0) {
    console.log("No file to mutate.");
    return 0;
  }
  const mutants: Mutant[] = [];
  for (const folder of FOLDERS) {
    mutants.push(
      ...(await testMutants(
        files.filter((file) => file.startsWith(folder)),
        folder,
        { sampled: percent < 100, concurrency: Number(values.concurrency) },
      )),
    );
  }
  const score = scoreMutants(mutants, { explanations: readExplanations(), files, all, sampled: percent < 100 });
  console.log(`\n${formatScore(score)}`);
  return score.passed ? 0 : 1;
}

async function testMutants(files: string[], folder: string, { sampled, concurrency }: Extent): Promise<Mutant[]> {
  if (files.length === 0) return [];
  process.env["MUTATED_FOLDER"] = folder;
  const stryker = new Stryker({
    mutate: files,
    testRunner: "vitest",
    // Naming it keeps Stryker from loading whatever else is called after it.
    plugins: ["@stryker-mutator/vitest-runner", path.join(import.meta.dirname, "mutation-sample.ts")],
    checkers: sampled ? ["sample"] : [],
    concurrency,
    vitest: { configFile: path.join(import.meta.dirname, "mutation-tests.config.ts"), related: true, pool: "forks" },
    coverageAnalysis: "perTest",
    // Stryker would rewrite the paths in tsconfig.json with a compiler API that TypeScript 7 does not have; ours name
    // nothing outside the copy, so a file that is not there serves as well.
    tsconfigFile: "no-tsconfig.json",
    // An endless loop is noticed by counting, and what waits for ever by the limit of its test; a busy machine must not
    // come near this one.
    timeoutMS: 60_000,
    timeoutFactor: 10,
    ignorePatterns: ["docs", "packages/narratoria/web/dist"],
    tempDirName: `${OUTPUT}/copy`,
    reporters: ["progress-append-only", "json"],
    jsonReporter: { fileName: `${OUTPUT}/${path.basename(folder)}.json` },
    // It advises against mutants in what a module does once, when it is loaded; schemas are made there.
    warnings: { slow: false, unknownOptions: true, preprocessorErrors: true, unserializableOptions: true },
  });
  const tested = await stryker.runMutationTest();
  return tested.filter(({ status }) => status !== "CompileError").map(describeMutant);
}

function describeMutant(tested: Tested): Mutant {
  const { fileName, replacement } = tested;
  const { start, end } = tested.location;
  const lines = readFileSync(fileName, "utf8")
    .split("\n")
    .slice(start.line - 1, end.line);
  const line = (lines[0] ?? "").trim();
  lines.push((lines.pop() ?? "").slice(0, end.column - 1));
  const change = printedChange(lines.join("\n").slice(start.column - 1), replacement);
  return { file: path.relative(process.cwd(), fileName), lineNumber: start.line, line, change, fate: fateOf(tested) };
}

function fateOf({ status, statusReason }: Tested): Mutant["fate"] {
  switch (status) {
    case "Survived":
      return "survived";
    case "NoCoverage":
      return "no coverage";
    case "Timeout":
      return "timeout";
    default:
      // Killed, or so broken that the tests did not load. A test that waited in vain may also have been slow.
      return /^(Test|Hook) timed out in /m.test(statusReason ?? "") ? "timeout" : "killed";
  }
}

function changedSince(commit: string): string[] {
  const git = (...args: string[]): string[] => execFileSync("git", args, { encoding: "utf8" }).trim().split("\n");
  return [...git("diff", "--name-only", "--merge-base", commit), ...git("ls-files", "--others", "--exclude-standard")];
}

function readExplanations(): Explanation[] {
  return existsSync(EXPLANATIONS) ? (JSON.parse(readFileSync(EXPLANATIONS, "utf8")) as Explanation[]) : [];
}
