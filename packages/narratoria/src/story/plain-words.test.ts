import { expect, test } from "vitest";
import { wordsForDuration, wordsForRetry } from "./plain-words.ts";
import type { ToolView } from "./session-view.ts";

test.each<[ms: number, words: string]>([
  [0, "0 ms"],
  [0.6, "1 ms"],
  [999, "999 ms"],
  [999.5, "1.0 s"],
  [1_000, "1.0 s"],
  [1_449, "1.4 s"],
  [59_949, "59.9 s"],
  [59_950, "1 min 0 s"],
  [60_000, "1 min 0 s"],
  [61_400, "1 min 1 s"],
  [119_499, "1 min 59 s"],
  [119_500, "2 min 0 s"],
  [3_725_000, "62 min 5 s"],
])("%d ms are %s", (ms, words) => {
  expect(wordsForDuration(ms)).toBe(words);
});

test.each<[attempt: number, maxAttempts: number, words: string | null]>([
  [0, 4, null],
  [1, 4, null],
  [2, 4, "retry 1 of 3"],
  [4, 4, "retry 3 of 3"],
])("[U1.5] attempt %d of %d is %j: the first is no retry", (attempt, maxAttempts, words) => {
  expect(wordsForRetry({ attempt, maxAttempts } as ToolView)).toBe(words);
});
