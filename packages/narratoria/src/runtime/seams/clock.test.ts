import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";

const A_DAY = 24 * 60 * 60 * 1000;

test("[X1.6] a sleep ends early, and without an error, when the signal aborts", async () => {
  const stop = new AbortController();
  const sleeping = systemClock.sleep(A_DAY, stop.signal);
  stop.abort();
  await expect(sleeping).resolves.toBeUndefined();
  await expect(systemClock.sleep(A_DAY, AbortSignal.abort())).resolves.toBeUndefined();
});

test("a sleep lasts as long as it should, and time goes forward", async () => {
  const before = systemClock.elapsed();
  await systemClock.sleep(20, new AbortController().signal);
  // Timers count whole milliseconds, the clock counts fractions.
  expect(systemClock.elapsed() - before).toBeGreaterThanOrEqual(19);
});

test("a callback comes after a while, unless it was cancelled", async () => {
  const called: string[] = [];
  systemClock.after(1, () => called.push("cancelled")).cancel();
  await new Promise<void>((done) => {
    systemClock.after(20, () => {
      called.push("called");
      done();
    });
  });
  expect(called).toEqual(["called"]);
});
