/**
 * `npm run mutate`: Stryker changes `story/` and `runtime/` in one small way at a time and runs the tests that reach the
 * change; a mutant that no test fails for is printed. `mutation-score.ts` weighs what came out, `mutation-tests.config.ts`
 * says which tests count. `npm run mutate -- story/plan` takes only the files whose path contains this (or one of these), `--since main`
 * only those changed since a commit.
 */
import { Stryker } from "@stryker-mutator/core";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Explanation, formatScore, type Mutant, printedChange, scoreMutants } from "./mutation-score.ts";

/** Each is mutated by itself, because its own tests must hold it; `mutation-tests.config.ts` lists them. */
const FOLDERS = ["packages/narratoria/src/story", "packages/narratoria/src/runtime"];
const EXPLANATIONS = "scripts/mutants-explained.json";
// In .gitignore: the copy of the project that Stryker changes, and its reports with every mutant.
const OUTPUT = ".mutate";

type Tested = Awaited<ReturnType<Stryker["runMutationTest"]>>[number];

process.exitCode = await main();

async function main(): Promise<number> {
  const { positionals: parts, values } = parseArgs({ allowPositionals: true, options: { since: { type: "string" } } });
  const all = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`)).filter((file) => !file.endsWith(".test.ts"));
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
      )),
    );
  }
  const score = scoreMutants(mutants, { explanations: readExplanations(), files, all });
  console.log(`\n${formatScore(score)}`);
  return score.passed ? 0 : 1;
}

async function testMutants(files: string[], folder: string): Promise<Mutant[]> {
  if (files.length === 0) return [];
  process.env["MUTATED_FOLDER"] = folder;
  const stryker = new Stryker({
    mutate: files,
    testRunner: "vitest",
    // Naming it keeps Stryker from loading whatever else is called after it.
    plugins: ["@stryker-mutator/vitest-runner"],
    vitest: { configFile: path.join(import.meta.dirname, "mutation-tests.config.ts"), related: true, pool: "forks" },
    coverageAnalysis: "perTest",
    // Stryker would rewrite the paths in tsconfig.json with a compiler API that TypeScript 7 does not have; ours name
    // nothing outside the copy, so a file that is not there serves as well.
    tsconfigFile: "no-tsconfig.json",
    // An endless loop is noticed by counting; by the clock only what waits, which a busy machine does too.
    timeoutMS: 20_000,
    ignorePatterns: ["docs", "packages/narratoria/web/dist"],
    tempDirName: `${OUTPUT}/copy`,
    reporters: ["progress-append-only", "json"],
    jsonReporter: { fileName: `${OUTPUT}/${path.basename(folder)}.json` },
    // It advises against mutants in what a module does once, when it is loaded; schemas are made there.
    warnings: { slow: false, unknownOptions: true, preprocessorErrors: true, unserializableOptions: true },
  });
  return (await stryker.runMutationTest()).map(describeMutant);
}

function describeMutant({ fileName, location: { start, end }, replacement, status }: Tested): Mutant {
  const lines = readFileSync(fileName, "utf8")
    .split("\n")
    .slice(start.line - 1, end.line);
  const line = (lines[0] ?? "").trim();
  lines.push((lines.pop() ?? "").slice(0, end.column - 1));
  const change = printedChange(lines.join("\n").slice(start.column - 1), replacement);
  return { file: path.relative(process.cwd(), fileName), lineNumber: start.line, line, change, fate: fateOf(status) };
}

function fateOf(status: Tested["status"]): Mutant["fate"] {
  switch (status) {
    case "Survived":
      return "survived";
    case "NoCoverage":
      return "no coverage";
    case "Timeout":
      return "timeout";
    default:
      // Killed, or so broken that the tests did not load.
      return "killed";
  }
}

function changedSince(commit: string): string[] {
  const git = (...args: string[]): string[] => execFileSync("git", args, { encoding: "utf8" }).trim().split("\n");
  return [...git("diff", "--name-only", "--merge-base", commit), ...git("ls-files", "--others", "--exclude-standard")];
}

function readExplanations(): Explanation[] {
  return existsSync(EXPLANATIONS) ? (JSON.parse(readFileSync(EXPLANATIONS, "utf8")) as Explanation[]) : [];
}
