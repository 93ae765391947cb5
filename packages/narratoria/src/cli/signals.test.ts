import { expect, test } from "vitest";
import { createCount, type EndingSignal } from "./signals.ts";

function counting(): { heard: ReturnType<typeof createCount>["heard"]; told: EndingSignal[] } {
  const told: EndingSignal[] = [];
  return { heard: createCount((signal) => told.push(signal)).heard, told };
}

test.each([
  ["directly", "passed on"],
  ["passed on", "directly"],
] as const)("a signal that came %s and %s is one", (first, second) => {
  const { heard, told } = counting();
  heard(first, "SIGTERM");
  heard(second, "SIGTERM");
  expect(told).toEqual(["SIGTERM"]);
  heard(second, "SIGTERM");
  heard(first, "SIGTERM");
  expect(told).toEqual(["SIGTERM", "SIGTERM"]);
});

test("two that came the same way are two, and so are two of different names", () => {
  const { heard, told } = counting();
  heard("directly", "SIGINT");
  heard("directly", "SIGINT");
  heard("passed on", "SIGHUP");
  expect(told).toEqual(["SIGINT", "SIGINT", "SIGHUP"]);
});
