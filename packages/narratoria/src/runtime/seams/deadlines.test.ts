import { expect, test } from "vitest";
import { createFakeClock } from "../../../test/fake-clock.ts";
import { createDeadlines, createTurnClocks } from "./deadlines.ts";

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

test("[X1.1] [K1.9] waiting for a slot stops the plans' clock alone, a question both", async () => {
  const clock = createFakeClock();
  const { attempts, plans } = createTurnClocks(clock);
  const expired: string[] = [];
  attempts.after(100, () => expired.push(`attempt ${clock.elapsed()}`));
  plans.after(100, () => expired.push(`plan ${clock.elapsed()}`));
  await clock.runUntil(plans.standStill(() => clock.sleep(30, new AbortController().signal)));
  await clock.runUntil(attempts.standStill(() => clock.sleep(500, new AbortController().signal)));
  expect([attempts.elapsed(), plans.elapsed()]).toEqual([30, 0]);
  await clock.runUntil(clock.sleep(1_000, new AbortController().signal));
  expect(expired).toEqual(["attempt 600", "plan 630"]);
});
