/**
 * Tries so many inputs of a target, the same ones for the same seed. At a find it stops, and makes the input as small as
 * it can. `../fuzz.test.ts` has a few inputs tried, `scripts/fuzz.ts` a great many.
 */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { Find, type OpenTarget } from "./target.ts";

export interface FuzzOptions {
  seed: number;
  inputs: number;
  /** Told of each input before it is tried: what comes next may be the last that happens. */
  onInput?(input: Buffer): void;
}

export interface FuzzReport {
  tried: number;
  /** How often each outcome was seen. */
  outcomes: Map<string, number>;
  found: { input: Buffer; message: string } | null;
}

/** No input of a hundred kilobytes is worth more of a processor's time than this. */
const MOST_CPU_MS = 5_000;
/** Tries for a smaller input that is a find too. */
const MOST_SMALLER = 500;

export async function fuzz(target: OpenTarget, { seed, inputs, onInput }: FuzzOptions): Promise<FuzzReport> {
  const outcomes = new Map<string, number>();
  let tried = 0;
  let smaller = 0;
  let found: FuzzReport["found"] = null;
  const property = fc.asyncProperty(target.inputs, async (bytes) => {
    if (found !== null && ++smaller > MOST_SMALLER) return;
    const input = Buffer.from(bytes);
    onInput?.(input);
    if (found === null) tried++;
    try {
      const outcome = await tryInput(target, input);
      if (found === null) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    } catch (error) {
      found = { input, message: inWords(error) };
      throw error;
    }
  });
  await fc.check(property, { seed, numRuns: inputs });
  return { tried, outcomes, found };
}

/** One input, with what no target may ever do. */
export async function tryInput(target: OpenTarget, input: Buffer): Promise<string> {
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown): void => void rejections.push(reason);
  process.on("unhandledRejection", onRejection);
  const before = process.cpuUsage();
  try {
    const outcome = await target.try(input);
    const { user, system } = process.cpuUsage(before);
    const spent = Math.round((user + system) / 1000);
    if (spent > MOST_CPU_MS) throw new Find(`${input.length} bytes took ${spent} ms of CPU time`);
    // A rejection counts as unhandled only after everything pending had its turn.
    if (rejections.length > 0) throw new Find(`a rejection nobody handles: ${inWords(rejections[0])}`);
    if (Object.keys(Object.prototype).length > 0) throw new Find("every object has a new property");
    return outcome;
  } finally {
    process.off("unhandledRejection", onRejection);
  }
}

function inWords(error: unknown): string {
  if (error instanceof Find) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
