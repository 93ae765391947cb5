import { expect, test } from "vitest";
import { formatScore, type Mutant, printedChange, scoreMutants } from "./mutation-score.ts";

const survivor: Mutant = {
  file: "story/lamp.ts",
  lineNumber: 7,
  line: "return oil > 0;",
  change: "oil > 0 -> oil >= 0",
  fate: "survived",
};
const killed: Mutant = { ...survivor, change: "oil > 0 -> true", fate: "killed" };
const explanation = { file: survivor.file, line: survivor.line, change: survivor.change, reason: "oil is never 0" };
const run = { explanations: [], files: ["story/lamp.ts"], all: ["story/lamp.ts", "story/rope.ts"], sampled: false };

test("a survivor is reported with its place, a killed mutant is not", () => {
  const report = formatScore(scoreMutants([killed, survivor], run));
  expect(report).toContain("Survivors (1):\nstory/lamp.ts:7: oil > 0 -> oil >= 0\n");
  expect(report).not.toContain("oil > 0 -> true");
});

test("a mutant that no test reaches is a survivor, one that never ends is not", () => {
  const score = scoreMutants(
    [
      { ...survivor, fate: "no coverage" },
      { ...killed, fate: "timeout" },
    ],
    run,
  );
  expect(score.total).toEqual({ killed: 0, timeout: 1, survived: 0, "no coverage": 1, explained: 0 });
  expect(formatScore(score)).toContain("story/lamp.ts:7: oil > 0 -> oil >= 0 (no test reaches it)\n");
});

test("what only the clock killed is named: the machine may have been busy", () => {
  const report = formatScore(scoreMutants([killed, { ...killed, change: "oil > 0 -> false", fate: "timeout" }], run));
  expect(report).toContain("Killed by the clock only (1):\nstory/lamp.ts:7: oil > 0 -> false\n\n");
  expect(report).toMatch(/^100\.0 % killed, 80 % wanted: ok$/m);
});

test("a sample says within which bounds the share of all lies, and leaves explanations alone", () => {
  const mutants = [...Array.from({ length: 179 }, () => killed), ...Array.from({ length: 21 }, () => survivor)];
  const stale = { ...explanation, change: "oil > 0 -> true" };
  const score = scoreMutants(mutants, { ...run, explanations: [stale], sampled: true });
  expect(score).toMatchObject({ stale: [], passed: true });
  expect(formatScore(score)).toMatch(
    /^89\.5 % killed in a sample of 200 \(84\.5 to 93\.0 % of all\), 80 % wanted: ok$/m,
  );
});

test("four of five are enough, three of four are not", () => {
  const kills = (count: number) => Array.from({ length: count }, () => killed);
  expect(scoreMutants([...kills(4), survivor], run).passed).toBe(true);
  expect(scoreMutants([...kills(3), survivor], run).passed).toBe(false);
  expect(formatScore(scoreMutants([...kills(3), survivor], run))).toMatch(/^75\.0 % killed, 80 % wanted: failed$/m);
});

test("an explained survivor neither counts nor is reported", () => {
  const score = scoreMutants([killed, survivor], { ...run, explanations: [explanation] });
  expect(score).toMatchObject({ survivors: [], stale: [], passed: true, total: { killed: 1, explained: 1 } });
  expect(formatScore(score)).toMatch(/^100\.0 % killed/m);
});

test.each([
  ["its mutant is killed", [{ ...survivor, fate: "killed" as const }], explanation],
  ["its line has changed", [killed], { ...explanation, line: "return oil > 1;" }],
  ["its file is gone", [killed], { ...explanation, file: "story/candle.ts" }],
])("an explanation fails the run when %s", (_, mutants, stale) => {
  const score = scoreMutants(mutants, { ...run, explanations: [stale] });
  expect(score).toMatchObject({ stale: [stale], passed: false });
  expect(formatScore(score)).toContain(`any more (1):\n${stale.file}: ${stale.change}, on the line: ${stale.line}\n`);
});

test("an explanation in a file that was not mutated this time waits", () => {
  const explanations = [{ ...explanation, file: "story/rope.ts" }];
  expect(scoreMutants([killed], { ...run, explanations })).toMatchObject({ stale: [], passed: true });
});

test("a file has a row of its own, also without mutants", () => {
  const files = ["story/rope.ts", "story/lamp.ts"];
  expect(
    formatScore(scoreMutants([killed, survivor], { ...run, files }))
      .split("\n")
      .slice(3, 7),
  ).toEqual([
    "file            killed   timeout   survived   no coverage   explained        %",
    "story/lamp.ts        1         0          1             0           0     50.0",
    "story/rope.ts        0         0          0             0           0    100.0",
    "all                  1         0          1             0           0     50.0",
  ]);
});

test("a change is one short line", () => {
  expect(printedChange("{\n  return 1;\n}", "{}")).toBe("{ return 1; } -> {}");
  expect(printedChange("x".repeat(71), "y".repeat(70))).toBe(
    `${"x".repeat(35)}...${"x".repeat(35)} -> ${"y".repeat(70)}`,
  );
});
