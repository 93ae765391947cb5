/**
 * `npm run bench`: runs every `*.bench.ts` beside this file, one after the other, and prints what they measured side by
 * side. `npm run bench -- sandbox` runs only those whose names contain the word. A missed target ends with exit code 1.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Benchmark, Row } from "./compare.ts";

const words = process.argv.slice(2);
const files = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".bench.ts") && words.every((word) => name.includes(word)))
  .toSorted();

let missed = 0;
for (const file of files) {
  const { default: benchmark } = (await import(join(import.meta.dirname, file))) as { default: Benchmark };
  console.log(`\n${benchmark.title}`);
  for (const row of await benchmark.run()) missed += print(row) ? 0 : 1;
}
console.log(missed === 0 ? "\nAll targets met." : `\n${missed} missed.`);
process.exitCode = missed === 0 ? 0 : 1;

/** Whether its target, if it has one, was met. */
function print({ name, measured, baseline, unit, target }: Row): boolean {
  const numbers = [measured, baseline].map((number) => `${number.toFixed(2)} ${unit}`.padStart(12)).join(" against ");
  const ratio = `${(measured / baseline).toFixed(2)}x`.padStart(9);
  const verdict = target === undefined ? "" : `  ${target.met ? "met" : "MISSED"}: ${target.text}`;
  console.log(`  ${name.padEnd(44)}${numbers}${ratio}${verdict}`);
  return target?.met ?? true;
}
