/**
 * `npm run fuzz`: the long run of the fuzzers in `packages/narratoria/test/fuzz/`, each target in a process of its own,
 * which may hang or die of an input. What was found is kept as a fixture, which `npm test` tries from then on.
 *
 *     npm run fuzz -- [target...] [--seed N] [--inputs N | --minutes M]
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { createLineSplitter, type Frame } from "@narratoria/tool/ndjson";
import type { FuzzMessage } from "../packages/narratoria/test/fuzz/fuzz-process.ts";
import { keepFind, TARGETS } from "../packages/narratoria/test/fuzz/targets.ts";

const FUZZ_PROCESS = path.join(import.meta.dirname, "../packages/narratoria/test/fuzz/fuzz-process.ts");
/** So many inputs have one seed: the next round has the next. */
const ROUND = 200;
const DEFAULT_INPUTS = 10_000;

interface Run {
  seed: number;
  inputs: number;
  /** Null: as long as it takes. */
  milliseconds: number | null;
  /** An input that takes longer hangs. */
  mostSeconds: number;
  fixtures: string | undefined;
}

interface Fuzzed {
  tried: number;
  outcomes: Set<string>;
  found: { input: Buffer; message: string; seed: number } | null;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: "string" },
      inputs: { type: "string" },
      minutes: { type: "string" },
      // For the test of this command.
      fixtures: { type: "string" },
      "most-seconds": { type: "string", default: "60" },
    },
  });
  const names = positionals.length > 0 ? positionals : Object.keys(TARGETS);
  const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
  const minutes = values.minutes === undefined ? null : Number(values.minutes);
  const run: Run = {
    seed,
    inputs: Number(values.inputs ?? (minutes === null ? DEFAULT_INPUTS : Number.MAX_SAFE_INTEGER)),
    milliseconds: minutes === null ? null : (minutes * 60_000) / names.length,
    mostSeconds: Number(values["most-seconds"]),
    fixtures: values.fixtures,
  };
  console.log(`Seed ${seed}. Targets: ${names.join(", ")}.\n`);
  console.log(
    `${"target".padEnd(22)}${"inputs".padStart(10)}${"outcomes".padStart(10)}${"a second".padStart(10)}  finds`,
  );
  let finds = 0;
  let inputs = 0;
  for (const name of names) {
    const began = performance.now();
    const fuzzed = await fuzzInAProcess(name, run);
    report(name, fuzzed, (performance.now() - began) / 1000, run);
    inputs += fuzzed.tried;
    if (fuzzed.found !== null) finds++;
  }
  console.log(`\n${inputs} inputs, ${finds} finds`);
  return finds === 0 ? 0 : 1;
}

function report(name: string, { tried, outcomes, found }: Fuzzed, seconds: number, { fixtures }: Run): void {
  const speed = Math.round(tried / seconds);
  const row = `${name.padEnd(22)}${String(tried).padStart(10)}${String(outcomes.size).padStart(10)}${String(speed).padStart(10)}`;
  console.log(`${row}  ${found === null ? "none" : "1"}`);
  if (found === null) return;
  const file = path.relative(process.cwd(), keepFind(name, found.input, fixtures));
  console.log(`\n  ${found.message.replaceAll("\n", "\n  ")}\n`);
  console.log(`  The input (${found.input.length} bytes) is kept as ${file}: give it a name that says what is wrong.`);
  console.log(`  Again: npm run fuzz -- ${name} --seed ${found.seed} --inputs ${ROUND}\n`);
}

function fuzzInAProcess(name: string, { seed, inputs, milliseconds, mostSeconds }: Run): Promise<Fuzzed> {
  const folder = mkdtempSync(path.join(tmpdir(), "narratoria-fuzz-run-"));
  const last = path.join(folder, "last-input");
  const until = milliseconds === null ? Infinity : Date.now() + milliseconds;
  const options = { target: name, seed, inputs, until, round: ROUND, last };
  const args = Object.entries(options).map(([option, value]) => `--${option}=${value}`);
  const child = spawn(process.execPath, [FUZZ_PROCESS, ...args], {
    // Whatever a process that had to be killed has left there is removed with the folder.
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const fuzzed: Fuzzed = { tried: 0, outcomes: new Set(), found: null };
  let currentSeed = seed;
  let hangs = false;

  // Not Node's readline, which ends lines at U+2028 too: outcomes quote inputs.
  const splitter = createLineSplitter();
  child.stdout.on("data", (chunk: Buffer) => splitter.push(chunk).forEach(take));
  function take(frame: Frame): void {
    if (frame.kind === "bad_line") throw new Error(`the fuzzing process says ${frame.excerpt}`);
    const message = JSON.parse(frame.text) as FuzzMessage;
    if (message.kind === "found") {
      fuzzed.found = { ...message, input: Buffer.from(message.input, "base64") };
      return;
    }
    fuzzed.tried += message.tried;
    for (const [outcome] of message.outcomes) fuzzed.outcomes.add(outcome);
    currentSeed = message.seed + 1;
  }
  const watch = watchForHanging(last, mostSeconds, () => {
    hangs = true;
    child.kill("SIGKILL");
  });

  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearInterval(watch);
      if (fuzzed.found === null && code !== 0) {
        const how = hangs ? `hung for ${mostSeconds} s` : `ended with ${signal ?? `exit code ${code}`}`;
        const { input, number } = readLast(last);
        fuzzed.tried = Math.max(fuzzed.tried, number);
        fuzzed.found = { input, message: `the process ${how}`, seed: currentSeed };
      }
      rmSync(folder, { recursive: true, force: true });
      resolve(fuzzed);
    });
  });
}

/** Calls back when the same input is still being tried after so many seconds. */
function watchForHanging(last: string, mostSeconds: number, onHanging: () => void): NodeJS.Timeout {
  let seen = { number: 0, at: performance.now() };
  return setInterval(() => {
    const { number } = readLast(last);
    if (number !== seen.number) seen = { number, at: performance.now() };
    else if (number > 0 && performance.now() - seen.at > mostSeconds * 1000) onHanging();
  }, 500);
}

function readLast(file: string): { number: number; input: Buffer } {
  const bytes = readIfThere(file);
  if (bytes.length < 8) return { number: 0, input: Buffer.alloc(0) };
  return { number: bytes.readUInt32BE(0), input: bytes.subarray(8, 8 + bytes.readUInt32BE(4)) };
}

function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}
