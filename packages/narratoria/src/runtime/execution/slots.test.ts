import { describe, expect, test } from "vitest";
import { createSlots } from "./slots.ts";

describe("[X1.1] slots shared by every plan of the runtime", () => {
  test("never more at once than there are; first come, first served", async () => {
    const slots = createSlots(2);
    const works = ["a", "b", "c", "d"].map(controllable);
    const uses = works.map((work) => slots.use(work.run, never()));
    const started = (): string[] => works.filter((work) => work.started).map((work) => work.name);
    expect(started()).toEqual(["a", "b"]);
    await finish(works[1]);
    expect(started()).toEqual(["a", "b", "c"]);
    await finish(works[2]);
    expect(started()).toEqual(["a", "b", "c", "d"]);
    works[0]?.finish();
    works[3]?.finish();
    expect(await Promise.all(uses)).toEqual(["a", "b", "c", "d"]);
  });

  test("a slot comes back, also from work that throws", async () => {
    const slots = createSlots(1);
    await expect(slots.use(() => Promise.reject(new Error("broken")), never())).rejects.toThrow("broken");
    expect(await slots.use(() => Promise.resolve("next"), never())).toBe("next");
    expect(await slots.use(() => Promise.resolve("and next"), never())).toBe("and next");
  });

  test("a signal that was aborted before gives null and runs nothing", async () => {
    const work = controllable("never");
    expect(await createSlots(1).use(work.run, AbortSignal.abort())).toBeNull();
    expect(work.started).toBe(false);
  });

  test("who gives up waiting gets null at once and leaves its place to the next", async () => {
    const slots = createSlots(1);
    const first = controllable("first");
    const givesUp = controllable("gives up");
    const patient = controllable("patient");
    const stop = new AbortController();
    const uses = [slots.use(first.run, never()), slots.use(givesUp.run, stop.signal), slots.use(patient.run, never())];
    stop.abort();
    expect(await uses[1]).toBeNull();
    expect(patient.started).toBe(false);
    await finish(first);
    expect([givesUp.started, patient.started]).toEqual([false, true]);
    patient.finish();
    expect(await Promise.all(uses)).toEqual(["first", null, "patient"]);
  });

  test("aborting work that already runs is the work's own business", async () => {
    const slots = createSlots(1);
    const work = controllable("stubborn");
    const stop = new AbortController();
    const use = slots.use(work.run, stop.signal);
    stop.abort();
    work.finish();
    expect(await use).toBe("stubborn");
  });

  test("thousands of uses, wave after wave, leave exactly as many slots as there were", async () => {
    const slots = createSlots(3);
    let running = 0;
    let most = 0;
    const one = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
    };
    for (let wave = 0; wave < 3; wave++) {
      await Promise.all(Array.from({ length: 3_000 }, () => slots.use(one, never())));
    }
    expect({ running, most }).toEqual({ running: 0, most: 3 });
  });
});

interface Work {
  readonly name: string;
  readonly started: boolean;
  run: () => Promise<string>;
  finish: () => void;
}

function controllable(name: string): Work {
  let started = false;
  const { promise, resolve } = Promise.withResolvers<string>();
  return {
    name,
    get started() {
      return started;
    },
    run: () => {
      started = true;
      return promise;
    },
    finish: () => resolve(name),
  };
}

/** Ends the work and lets everything that follows from it happen. */
async function finish(work: Work | undefined): Promise<void> {
  work?.finish();
  await new Promise((settled) => setImmediate(settled));
}

function never(): AbortSignal {
  return new AbortController().signal;
}
