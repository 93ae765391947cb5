import { expect, test } from "vitest";
import { createFakeClock } from "../../../test/fake-clock.ts";
import { createDeadlines } from "./deadlines.ts";

test("[K1.9] limits stand still while somebody is asked, and go on with what was left", async () => {
  const clock = createFakeClock();
  const deadlines = createDeadlines(clock);
  const expired: number[] = [];
  deadlines.after(100, () => expired.push(clock.elapsed()));
  await clock.runUntil(clock.sleep(60, new AbortController().signal));
  await clock.runUntil(deadlines.standStill(() => clock.sleep(1_000, new AbortController().signal)));
  expect(expired).toEqual([]);
  await clock.runUntil(clock.sleep(39, new AbortController().signal));
  expect(expired).toEqual([]);
  await clock.runUntil(clock.sleep(1, new AbortController().signal));
  expect(expired).toEqual([1_100]);
});

test("[K1.9] two questions at once: the clocks go on after the last answer; a limit set meanwhile waits too", async () => {
  const clock = createFakeClock();
  const deadlines = createDeadlines(clock);
  const expired: string[] = [];
  const asking = [500, 800].map((ms) => deadlines.standStill(() => clock.sleep(ms, new AbortController().signal)));
  deadlines.after(10, () => expired.push(`late ${clock.elapsed()}`));
  const cancelled = deadlines.after(10, () => expired.push("cancelled"));
  await clock.runUntil(Promise.all(asking));
  cancelled.cancel();
  await clock.runUntil(clock.sleep(10, new AbortController().signal));
  expect(expired).toEqual(["late 810"]);
});

test("[K1.9] durations leave out the time in which somebody was asked", async () => {
  const clock = createFakeClock();
  const pass = (ms: number): Promise<void> => clock.runUntil(clock.sleep(ms, new AbortController().signal));
  await pass(5);
  const deadlines = createDeadlines(clock);
  const began = deadlines.elapsed();
  await pass(10);
  const asking = [500, 800].map((ms) => deadlines.standStill(() => clock.sleep(ms, new AbortController().signal)));
  expect(deadlines.elapsed() - began).toBe(10);
  await clock.runUntil(Promise.all(asking));
  expect(deadlines.elapsed() - began).toBe(10);
  await pass(7);
  await clock.runUntil(deadlines.standStill(() => clock.sleep(90, new AbortController().signal)));
  expect(deadlines.elapsed() - began).toBe(17);
});

test("[K1.9] the clocks go on also when asking failed", async () => {
  const clock = createFakeClock();
  const deadlines = createDeadlines(clock);
  let expired = false;
  deadlines.after(10, () => (expired = true));
  await expect(deadlines.standStill(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  await clock.runUntil(clock.sleep(10, new AbortController().signal));
  expect(expired).toBe(true);
});
