import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createPace, type Pace } from "./pace.ts";

/** Does so many pieces of work, and keeps who did each. */
async function work(pace: Pace, pieces: number, done: string[], name = "it"): Promise<void> {
  for (let piece = 0; piece < pieces; piece++) {
    await pace.rest();
    done.push(name);
  }
}

describe("[Z1.7] work in slices", () => {
  test("what takes longer than a slice lets others have their turn after each piece", async () => {
    const done: string[] = [];
    const working = work(createPace(0), 5, done);
    const seen: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      await nextTurn();
      seen.push(done.length);
    }
    await working;
    expect(seen.toSorted((a, b) => a - b)).toEqual(seen);
    expect(new Set(seen).size).toBeGreaterThan(3);
  });

  test("what is short is not held up at all", () => {
    const pace = createPace(60_000);
    for (let piece = 0; piece < 100; piece++) expect(pace.rest()).toBeUndefined();
  });

  test("several take turns, and nobody is passed over", async () => {
    const pace = createPace(0);
    const done: string[] = [];
    await Promise.all(["a", "b", "c"].map((name) => work(pace, 20, done, name)));
    expect(done).toHaveLength(60);
    const early = done.slice(0, 30);
    for (const name of ["a", "b", "c"]) expect(early.filter((each) => each === name).length).toBeGreaterThan(5);
  });

  test("a slice begins anew with each turn of the loop", async () => {
    const pace = createPace(0);
    expect(pace.rest()).toBeUndefined();
    expect(pace.rest()).toBeInstanceOf(Promise);
    await nextTurn();
    await nextTurn();
    await nextTurn();
    expect(pace.rest()).toBeUndefined();
  });
});
