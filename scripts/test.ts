/**
 * `npm test`: every check in turn, then one closing line with the counts. `npm test -- some/file.test.ts` runs only the
 * tests named. `set-up.js` has installed what is used here; `vitest.config.ts` says which tests exist.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}
interface Ran {
  exitCode: number;
  output: string;
}

const root = path.resolve(import.meta.dirname, "..");
const binaries = path.join(root, "node_modules", ".bin");

process.exitCode = await main(process.argv.slice(2));

async function main(vitestArguments: string[]): Promise<number> {
  const summary: [name: string, counts: Counts][] = [];
  if (vitestArguments.length === 0) {
    // These two are the slow ones besides the tests, and each of them keeps only one core busy.
    const types = runQuietly("tsc", ["--noEmit"]);
    const lint = runQuietly("oxlint", []);
    summary.push(["types", report("Types (tsc)", await types)]);
    // A browser has other globals than Node, so what runs there is checked by itself.
    for (const folder of ["packages/narratoria/web", "packages/narratoria/test/browser"]) {
      summary.push(["types", report(`Types of ${folder} (tsc)`, await runQuietly("tsc", ["--noEmit", "-p", folder]))]);
    }
    summary.push(["lint", report("Lint (oxlint)", await lint)]);
    const format = await runQuietly("oxfmt", ["--check"]);
    summary.push(["format", report("Format (oxfmt); `npm run format` puts it right", format)]);
  }
  printHeading("Tests (vitest)");
  summary.push(["tests", await runTests(vitestArguments)]);

  printHeading("Summary");
  for (const [name, counts] of summary) console.log(`${name.padEnd(8)}${describe(counts)}`);
  const total = summary.reduce((sum, [, counts]) => add(sum, counts), { passed: 0, failed: 0, skipped: 0 });
  console.log(`\n${describe(total)}`);
  return total.failed === 0 ? 0 : 1;
}

function report(title: string, { exitCode, output }: Ran): Counts {
  printHeading(title);
  console.log(exitCode === 0 ? "ok" : output.trim() || `ended with exit code ${exitCode}`);
  return exitCode === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

async function runTests(vitestArguments: string[]): Promise<Counts> {
  const folder = mkdtempSync(path.join(tmpdir(), "narratoria-test-"));
  const reportFile = path.join(folder, "report.json");
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${reportFile}`];
  try {
    const { exitCode } = await run("vitest", ["run", ...reporters, ...vitestArguments], "inherit");
    const counts = countTests(reportFile);
    // An error outside any test, or no test at all, fails the run without a failed test to count.
    return exitCode !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface VitestReport {
  testResults: {
    status: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

function countTests(reportFile: string): Counts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let vitest: VitestReport;
  try {
    vitest = JSON.parse(readFileSync(reportFile, "utf8")) as VitestReport;
  } catch {
    return { ...counts, failed: 1 };
  }
  for (const file of vitest.testResults) {
    const statuses = file.assertionResults.map((test) => test.status);
    for (const { status, fullName, failureMessages } of file.assertionResults) {
      if (status === "passed" && failureMessages.length > 0) console.log(`passed only when tried again: ${fullName}`);
      if (status === "passed" || status === "failed") counts[status]++;
      else {
        counts.skipped++;
        // Its title says what it would have needed.
        console.log(`skipped: ${fullName}`);
      }
    }
    // A file that could not be loaded has no tests to report.
    if (file.status === "failed" && !statuses.includes("failed")) counts.failed++;
  }
  return counts;
}

function runQuietly(command: string, args: string[]): Promise<Ran> {
  return run(command, args, "pipe");
}

function run(command: string, args: string[], output: "inherit" | "pipe"): Promise<Ran> {
  // Put first so that the commands run on the Node that came with the packages, also without npm around this script.
  const env: NodeJS.ProcessEnv = { ...process.env, PATH: `${binaries}${path.delimiter}${process.env["PATH"] ?? ""}` };
  // The processes that tests start from the sources would otherwise read and compile them anew each time.
  env["NODE_COMPILE_CACHE"] = path.join(root, "node_modules", ".cache", "compiled");
  // Vitest colours its output in places that only show the escape codes.
  if (!process.stdout.isTTY) env["NO_COLOR"] = "1";
  const shell = process.platform === "win32";
  const child = spawn(command, args, { cwd: root, env, shell, stdio: ["ignore", output, output] });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", (error) => resolve({ exitCode: 1, output: error.message }));
    child.on("close", (exitCode) => resolve({ exitCode: exitCode ?? 1, output: Buffer.concat(chunks).toString() }));
  });
}

function printHeading(title: string): void {
  console.log(`\n== ${title}`);
}

function describe({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

function add(one: Counts, other: Counts): Counts {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  };
}
