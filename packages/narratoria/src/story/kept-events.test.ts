import type { ToolEvent } from "@narratoria/tool/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keepEvents } from "./kept-events.ts";

const KIB = 1024;

describe("[R1.1] the events of a result", () => {
  test("none", () => {
    expect(keepEvents().summary()).toEqual({ events: [], eventCount: 0, eventsOmitted: 0 });
  });

  test.each<[name: string, sizes: number[]]>([
    ["a thousand", Array<number>(1_000).fill(10)],
    ["one of exactly 1 MiB", [1024 * KIB]],
    ["one larger than half of that", [600 * KIB, 1]],
    ["three that do not divide into halves", [400 * KIB, 200 * KIB, 400 * KIB]],
  ])("all of them: %s", (_, sizes) => {
    expect(numbersKept(sizes)).toEqual({ numbers: sizes.map((_size, index) => index), omitted: 0 });
  });

  test("of more than a thousand the first and the last five hundred", () => {
    const { numbers, omitted } = numbersKept(Array<number>(12_345).fill(10));
    expect(numbers).toEqual([...range(0, 500), ...range(12_345 - 500, 12_345)]);
    expect(omitted).toBe(11_345);
  });

  test("of more than 1 MiB the first and the last half", () => {
    expect(numbersKept(Array<number>(40).fill(100 * KIB)).numbers).toEqual([0, 1, 2, 3, 4, 35, 36, 37, 38, 39]);
  });

  test("what is exactly half of it belongs to the first half", () => {
    expect(numbersKept([512 * KIB, 512 * KIB, 1])).toEqual({ numbers: [0, 2], omitted: 1 });
  });

  test("one larger than 1 MiB is left out, those around it stay", () => {
    expect(numbersKept([10, 2_000 * KIB, 10])).toEqual({ numbers: [0, 2], omitted: 1 });
    expect(numbersKept([2_000 * KIB])).toEqual({ numbers: [], omitted: 1 });
  });

  test("whatever their sizes: in order, within the bounds, and none is left out without need", () => {
    const size = fc.oneof(fc.nat(100), fc.nat(300 * KIB), fc.nat(1_100 * KIB));
    const sizes = fc.oneof(
      fc.array(size, { maxLength: 30 }),
      fc.array(fc.nat(2_000), { minLength: 990, maxLength: 2_200 }),
    );
    fc.assert(
      fc.property(sizes, (all) => {
        const { numbers, omitted } = numbersKept(all);
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        expect(numbers.length).toBeLessThanOrEqual(1_000);
        expect(sum(numbers.map((index) => all[index] ?? 0))).toBeLessThanOrEqual(1024 * KIB);
        expect(omitted).toBe(all.length - numbers.length);
        expect(omitted === 0).toBe(all.length <= 1_000 && sum(all) <= 1024 * KIB);
      }),
    );
  });
});

function numbersKept(sizes: readonly number[]): { numbers: number[]; omitted: number } {
  const kept = keepEvents();
  sizes.forEach((bytes, index) => kept.add(event(index), bytes));
  const { events, eventCount, eventsOmitted } = kept.summary();
  expect(eventCount).toBe(sizes.length);
  return { numbers: events.map((one) => (one.type === "log" ? Number(one.message) : -1)), omitted: eventsOmitted };
}

function event(index: number): ToolEvent {
  return { version: "0", type: "log", level: "info", message: String(index) };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
