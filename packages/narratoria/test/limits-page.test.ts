/** [Z1.9] The one table of limits, held against the constants in the code, which are read where they are defined. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import * as turnLimits from "../src/runtime/execution/turn-limits.ts";
import * as sandbox from "../src/runtime/seams/sandbox.ts";
import * as stateSize from "../src/story/state-size.ts";

const root = resolve(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "docs/limits.md"), "utf8");
const LIMIT = /\| ([^|`]+) \|(?: [^|]*\|)?? `([^`|]+\.ts)` `([\w.]+)`/g;

const rows = page
  .split("\n")
  .flatMap((line) => [...line.matchAll(LIMIT)].map(([, said = "", file = "", name = ""]) => ({ said, file, name })));

test("[Z1.9] every row of docs/limits.md names a constant", () => {
  const limits = page.split("\n").filter((line) => /^\|(?! (what|---) )/.test(line));
  const unnamed = limits.filter((line) => !rows.some(({ file, name }) => line.includes(`\`${file}\` \`${name}\``)));
  expect(unnamed).toEqual([]);
  expect(rows.length).toBeGreaterThan(limits.length);
});

test.for(rows)("[Z1.9] $name in $file is $said, as docs/limits.md says", ({ said, file, name }) => {
  expect(numberOf(said)).toBe(constantIn(readFileSync(join(root, "packages", file), "utf8"), name));
});

test("what is read from the sources is what the code uses", () => {
  const read = (file: string, name: string): number =>
    constantIn(readFileSync(join(root, "packages/narratoria/src", file), "utf8"), name);
  expect(read("story/state-size.ts", "MOST_STATE_BYTES")).toBe(stateSize.MOST_STATE_BYTES);
  expect(read("runtime/execution/turn-limits.ts", "MOST_TURN_EVENTS")).toBe(turnLimits.MOST_TURN_EVENTS);
  expect(read("runtime/seams/sandbox.ts", "MOST_LIMITS.diskMb")).toBe(sandbox.MOST_LIMITS.diskMb);
});

test("every exported limit of state, patches and turns has its row", () => {
  const named = new Set(rows.map(({ name }) => name));
  const limits = [...Object.keys(stateSize), ...Object.keys(turnLimits)].filter((name) => name.startsWith("MOST_"));
  expect(limits.filter((name) => !named.has(name))).toEqual([]);
});

const UNITS: Record<string, number> = { "": 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, ms: 1, s: 1_000 };

function numberOf(said: string): number {
  const [, digits = "", unit = ""] = /^([\d,]+)(?: (\w+))?$/.exec(said.trim()) ?? [];
  return Number(digits.replaceAll(",", "")) * (UNITS[unit] ?? Number.NaN);
}

/** `NAME`, or `NAME.key` for a key of an object. */
function constantIn(source: string, name: string): number {
  const [constant = "", key] = name.split(".");
  const value = new RegExp(`^(?:export )?const ${constant}(?:: \\w+)? = ([^;]+);`, "m").exec(source)?.[1] ?? "";
  const number = key === undefined ? value : (new RegExp(`\\b${key}: ([^,}]+)`).exec(value)?.[1] ?? "");
  const factors = number.split("*").map((factor) => factor.trim().replaceAll("_", ""));
  if (!factors.every((factor) => /^\d+$/.test(factor))) throw new Error(`${name} is no product of numbers: ${number}`);
  return factors.reduce((product, factor) => product * Number(factor), 1);
}
