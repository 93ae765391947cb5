/** How long the packed command takes to start, against Node that does nothing. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installedPackages } from "../packages/narratoria/test/installed-packages.ts";
import { best, compareInterleaved, type Benchmark, type Row } from "./compare.ts";

const MOST_TIMES = 2;
const ROUNDS = { rounds: 25, warmUps: 3, take: best };

const benchmark: Benchmark = { title: "Starting the packed command: milliseconds, the best of 25", run };
export default benchmark;

async function run(): Promise<Row[]> {
  const { command } = await installedPackages();
  const home = mkdtempSync(join(tmpdir(), "narratoria-bench-"));
  const env = { PATH: process.env["PATH"], HOME: home, NARRATORIA_DATA: join(home, "data") };
  const toEnd = async (args: string[]): Promise<number> => {
    const began = performance.now();
    spawnSync(process.execPath, args, { env, stdio: "ignore" });
    return performance.now() - began;
  };
  const nothing = (): Promise<number> => toEnd(["-e", "0"]);
  try {
    const rows: Row[] = [];
    for (const option of ["--version", "--help"]) {
      const compared = await compareInterleaved(() => toEnd([command, option]), nothing, ROUNDS);
      const times = compared.measured / compared.baseline;
      const target = { met: times <= MOST_TIMES, text: `at most ${MOST_TIMES} times node -e 0` };
      rows.push({ name: `narratoria ${option}`, ...compared, unit: "ms", target });
    }
    // `--help` was written when the package was made; this puts it together from all commands and their options.
    const parsed = await compareInterleaved(() => toEnd([command, "help"]), nothing, ROUNDS);
    rows.push({ name: "narratoria help", ...parsed, unit: "ms" });
    const few = { ...ROUNDS, rounds: 7 };
    const compared = await compareInterleaved(() => untilItListens(command, env), nothing, few);
    return [...rows, { name: "narratoria serve, until it listens", ...compared, unit: "ms" }];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function untilItListens(command: string, env: NodeJS.ProcessEnv): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [command, "serve", "--port", "0"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(child.stdout, "data");
  const elapsed = performance.now() - began;
  child.kill("SIGTERM");
  await once(child, "exit");
  return elapsed;
}
