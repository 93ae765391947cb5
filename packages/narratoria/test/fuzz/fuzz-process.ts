/**
 * One target, fuzzed in a process of its own for `scripts/fuzz.ts`: a round of inputs after another, each reported as a
 * line of JSON. Before an input is tried it is written to a file, for whoever asks after the process's death.
 */
import { openSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { fuzz } from "./fuzz.ts";
import { PLANTED } from "./planted.ts";
import { TARGETS } from "./targets.ts";

export type FuzzMessage =
  | { kind: "round"; seed: number; tried: number; outcomes: [outcome: string, times: number][] }
  | { kind: "found"; seed: number; message: string; input: string };

const { values } = parseArgs({
  options: {
    target: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    inputs: { type: "string", default: "0" },
    /** Milliseconds since 1970; a round that has begun is ended. */
    until: { type: "string", default: "Infinity" },
    round: { type: "string", default: "200" },
    last: { type: "string", default: "" },
  },
});
await main();

async function main(): Promise<void> {
  const target = PLANTED[values.target] ?? (await TARGETS[values.target]?.());
  if (target === undefined) throw new Error(`there is no target ${values.target}`);
  const last = openSync(values.last, "w");
  let number = 0;
  const onInput = (input: Buffer): void => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(++number, 0);
    head.writeUInt32BE(input.length, 4);
    writeSync(last, Buffer.concat([head, input]), 0, null, 0);
  };
  const opened = await target.open();
  let left = Number(values.inputs);
  for (let seed = Number(values.seed); left > 0 && Date.now() < Number(values.until); seed++) {
    const inputs = Math.min(left, Number(values.round));
    const { tried, outcomes, found } = await fuzz(opened, { seed, inputs, onInput });
    say({ kind: "round", seed, tried, outcomes: [...outcomes] });
    if (found !== null) {
      say({ kind: "found", seed, message: found.message, input: found.input.toString("base64") });
      break;
    }
    left -= inputs;
  }
  await opened.close();
}

function say(message: FuzzMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
