/**
 * `npm run soak`: plays thousands of turns with a tool each in one host, with forced collections, and plots what it holds.
 * Whatever has grown from the first third to the last fails the run. `soak-host.ts` is the host.
 *
 *     npm run soak -- [--turns N] [--looks N] [--sandbox best|none] [--json FILE]
 */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { createPlayground } from "../packages/narratoria/test/serve-process.ts";
import type { Look } from "./soak-host.ts";

type Figure = Exclude<keyof Look, "turns">;

/** How much the middle of the last third may lie above that of the first: a part of it, or so much whatever it is. */
const MAY_GROW: Record<Figure, { part: number; atLeast: number }> = {
  heapKb: { part: 0.05, atLeast: 1_024 },
  rssKb: { part: 0.15, atLeast: 16 * 1_024 },
  descriptors: { part: 0, atLeast: 2 },
  processes: { part: 0, atLeast: 1 },
  listeners: { part: 0, atLeast: 0 },
};

const BARS = " ▁▂▃▄▅▆▇█";

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      turns: { type: "string", default: "5000" },
      looks: { type: "string", default: "60" },
      sandbox: { type: "string", default: "best" },
      json: { type: "string" },
    },
  });
  const began = performance.now();
  const { looks, exitCode } = await soak(values.turns, values.looks, values.sandbox);
  const seconds = Math.round((performance.now() - began) / 1_000);
  const figures = Object.keys(MAY_GROW) as Figure[];
  for (const figure of figures) console.log(plot(figure, looks));
  const grown = looks.length < 6 ? ["too few looks to tell"] : figures.filter((figure) => hasGrown(figure, looks));
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify({ looks, grown }, null, 1));
  if (exitCode !== 0) grown.push(`the host ended with ${exitCode}`);
  const turns = looks.at(-1)?.turns ?? 0;
  console.log(`\n${turns} turns in ${seconds} s: ${grown.length === 0 ? "flat" : `not flat: ${grown.join(", ")}`}`);
  return grown.length === 0 ? 0 : 1;
}

async function soak(
  turns: string,
  looks: string,
  sandbox: string,
): Promise<{ looks: Look[]; exitCode: number | null }> {
  using ground = createPlayground();
  const host = join(import.meta.dirname, "soak-host.ts");
  const args = ["--expose-gc", host, ground.data, ground.story, sandbox, turns, looks];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const seen: Look[] = [];
  createInterface(child.stdout).on("line", (line) => void seen.push(JSON.parse(line) as Look));
  const exitCode = await new Promise<number | null>((settle) => void child.on("close", settle));
  return { looks: seen, exitCode };
}

function hasGrown(figure: Figure, looks: readonly Look[]): boolean {
  const [first, last] = ends(figure, looks);
  const { part, atLeast } = MAY_GROW[figure];
  return last - first > Math.max(atLeast, first * part);
}

/** The middles of the first and the last third. */
function ends(figure: Figure, looks: readonly Look[]): [first: number, last: number] {
  const third = Math.ceil(looks.length / 3);
  const middle = (some: readonly Look[]): number =>
    some.map((look) => look[figure]).toSorted((a, b) => a - b)[Math.floor(some.length / 2)] ?? 0;
  return [middle(looks.slice(0, third)), middle(looks.slice(-third))];
}

function plot(figure: Figure, looks: readonly Look[]): string {
  const values = looks.map((look) => look[figure]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  // From nought, so that a flat line looks flat.
  const line = values.map((value) => BARS[Math.round((value / Math.max(1, most)) * (BARS.length - 1))]).join("");
  const [first, last] = ends(figure, looks);
  return `${figure.padEnd(12)}${line}  ${least} to ${most}; first third ${first}, last third ${last}`;
}
