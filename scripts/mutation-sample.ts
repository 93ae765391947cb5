/**
 * The sample of `npm run mutate -- --percent 10`: a checker for Stryker that takes so many of a hundred mutants. Which
 * ones is decided by the seed and by what is changed where, so a run can be repeated on another machine.
 */
import { createHash } from "node:crypto";
import path from "node:path";

interface Place {
  fileName: string;
  location: { start: { line: number; column: number } };
  replacement: string;
}

export interface Sample {
  percent: number;
  seed: string;
}

/** Stryker runs a checker in a process of its own, which has nothing from here but its environment. */
const PERCENT = "MUTANTS_PERCENT";
const SEED = "MUTANTS_SEED";

export function useSample({ percent, seed }: Sample): void {
  process.env[PERCENT] = String(percent);
  process.env[SEED] = seed;
}

export function isInSample({ fileName, location: { start }, replacement }: Place, { percent, seed }: Sample): boolean {
  const place = [seed, path.relative(process.cwd(), fileName), start.line, start.column, replacement];
  const number = createHash("sha256").update(JSON.stringify(place)).digest().readUInt32BE();
  return number < (percent / 100) * 2 ** 32;
}

const checker = {
  async init(): Promise<void> {},
  async group(mutants: (Place & { id: string })[]): Promise<string[][]> {
    return [mutants.map(({ id }) => id)];
  },
  async check(mutants: (Place & { id: string })[]): Promise<Record<string, { status: string; reason?: string }>> {
    const sample = { percent: Number(process.env[PERCENT]), seed: process.env[SEED] ?? "" };
    // There is no word for "not this time", and nothing else here makes a mutant one that does not compile.
    const left = { status: "compileError", reason: "not in the sample" };
    return Object.fromEntries(mutants.map((one) => [one.id, isInSample(one, sample) ? { status: "passed" } : left]));
  },
};

export const strykerPlugins = [{ kind: "Checker", name: "sample", value: checker }];
