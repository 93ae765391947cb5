import path from "node:path";
import { expect, test } from "vitest";
import { isInSample } from "./mutation-sample.ts";

const places = Array.from({ length: 10_000 }, (_, index) => ({
  fileName: path.resolve("story/lamp.ts"),
  location: { start: { line: 1 + Math.floor(index / 10), column: index % 10 } },
  replacement: "true",
}));
const sampleOf = (percent: number, seed: string) => places.filter((place) => isInSample(place, { percent, seed }));

test("about so many of a hundred are in it, all or none where that is asked", () => {
  // Four standard deviations of ten thousand draws.
  expect(Math.abs(sampleOf(20, "1").length - 2000)).toBeLessThan(160);
  expect(sampleOf(100, "1")).toHaveLength(10_000);
  expect(sampleOf(0, "1")).toHaveLength(0);
});

test("a seed gives the same sample again, another seed another one", () => {
  expect(sampleOf(20, "1")).toEqual(sampleOf(20, "1"));
  expect(sampleOf(20, "2").filter((place) => isInSample(place, { percent: 20, seed: "1" })).length).toBeLessThan(600);
});

test("each change at one place is drawn by itself", () => {
  const changes = places.slice(0, 100).map((place, index) => ({
    ...place,
    location: { start: { line: 1, column: 1 } },
    replacement: `${index}`,
  }));
  const drawn = changes.filter((change) => isInSample(change, { percent: 50, seed: "1" })).length;
  expect(drawn).toBeGreaterThan(25);
  expect(drawn).toBeLessThan(75);
});
