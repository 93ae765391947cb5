import { describe, expect, test } from "vitest";
import { createSlots, type Slot, type Slots } from "./slots.ts";

describe("[X1.1] slots shared by every plan of the host", () => {
  test("are had at once while there are some, and never more than there are", async () => {
    const slots = createSlots(2);
    const [first, second] = [now(slots, "a"), now(slots, "a")];
    const third = wait(slots, "a");
    await everything();
    expect(third.slot).toBeUndefined();
    second.release();
    await everything();
    expect(third.slot).not.toBeNull();
    const fourth = wait(slots, "a");
    await everything();
    expect(fourth.slot).toBeUndefined();
    first.release();
    await everything();
    expect(fourth.slot).toBeDefined();
  });

  test("of one owner are handed out in the order of asking", async () => {
    const slots = createSlots(1);
    const held = now(slots, "a");
    const waiting = [wait(slots, "a"), wait(slots, "a"), wait(slots, "a")];
    held.release();
    for (const [at, { slot: before }] of waiting.entries()) {
      expect(before).toBeUndefined();
      await everything();
      expect(waiting.map(({ slot }) => slot !== undefined)).toEqual(waiting.map((_, n) => n <= at));
      waiting[at]?.slot?.release();
    }
  });

  test("go round the owners: who has a hundred waiting goes on after each of the others", async () => {
    const slots = createSlots(1);
    const order: string[] = [];
    const held = now(slots, "busy");
    const run = async (owner: string): Promise<void> => {
      const slot = await slots.acquire(owner, never());
      order.push(owner);
      slot?.release();
    };
    const all = [
      ...Array.from({ length: 100 }, () => run("greedy")),
      ...Array.from({ length: 2 }, () => run("modest")),
      run("late"),
    ];
    held.release();
    await Promise.all(all);
    expect(order.slice(0, 5)).toEqual(["greedy", "modest", "late", "greedy", "modest"]);
    expect(order).toHaveLength(103);
  });

  test("go first to who has gone longest without, however many others have waited longer", async () => {
    const slots = createSlots(1);
    const greedy = Array.from({ length: 200 }, (_, n) => `greedy ${n}`);
    for (const owner of ["quiet", ...greedy]) now(slots, owner).release();
    const held = now(slots, "greedy 0");
    const crowd = greedy.map((owner) => wait(slots, owner));
    const quiet = wait(slots, "quiet");
    held.release();
    await everything();
    expect(quiet.slot).toBeDefined();
    expect(crowd.filter(({ slot }) => slot !== undefined)).toEqual([]);
  });

  test("are not waited for by who has stopped already", async () => {
    const slots = createSlots(1);
    expect(await slots.acquire("a", AbortSignal.abort())).toBeNull();
    now(slots, "a").release();
  });

  test("are left to the next by who gives up waiting", async () => {
    const slots = createSlots(1);
    const held = now(slots, "a");
    const stop = new AbortController();
    const givesUp = wait(slots, "b", stop.signal);
    const patient = wait(slots, "c");
    stop.abort();
    await everything();
    expect(givesUp.slot).toBeNull();
    expect(patient.slot).toBeUndefined();
    held.release();
    await everything();
    expect(patient.slot).toBeDefined();
  });

  test("come back once, however often they are given back", async () => {
    const slots = createSlots(1);
    const slot = now(slots, "a");
    slot.release();
    slot.release();
    now(slots, "a");
    const other = wait(slots, "a");
    await everything();
    expect(other.slot).toBeUndefined();
  });

  test("are as many as there were after thousands of uses by many owners", async () => {
    const slots = createSlots(3);
    let running = 0;
    let most = 0;
    const use = async (owner: string): Promise<void> => {
      const slot = await slots.acquire(owner, never());
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      slot?.release();
    };
    for (let wave = 0; wave < 3; wave++) {
      await Promise.all(Array.from({ length: 3_000 }, (_, n) => use(`owner ${n % 7}`)));
    }
    expect({ running, most }).toEqual({ running: 0, most: 3 });
  });
});

function now(slots: Slots, owner: string): Slot {
  const slot = slots.acquire(owner, never());
  if (slot instanceof Promise) throw new Error("no slot was free");
  return slot;
}

/** Undefined while it waits. */
function wait(slots: Slots, owner: string, signal = never()): { slot: Slot | null | undefined } {
  const waiting: { slot: Slot | null | undefined } = { slot: undefined };
  const coming = slots.acquire(owner, signal);
  if (!(coming instanceof Promise)) throw new Error("a slot was free");
  void coming.then((slot) => (waiting.slot = slot));
  return waiting;
}

/** Lets everything that follows happen. */
function everything(): Promise<void> {
  return new Promise((settled) => setImmediate(settled));
}

function never(): AbortSignal {
  return new AbortController().signal;
}

describe("[X1.1] a quarter of the slots", () => {
  const never = new AbortController().signal;
  let now = 0;
  const run = (slots: Slots, owner: string, ms: number): void => {
    const slot = slots.acquire(owner, never);
    if (slot instanceof Promise) throw new Error("none is free");
    now += ms;
    slot.release();
  };

  test("is kept for owners whose tools were short and few, however much the others want", async () => {
    const slots = createSlots(8, () => now);
    run(slots, "modest", 500);
    const greedy = Array.from({ length: 200 }, (_, n) => slots.acquire(`greedy ${n}`, never));
    expect(greedy.filter((slot) => !(slot instanceof Promise))).toHaveLength(6);
    expect(slots.acquire("modest", never)).toMatchObject({ haste: "seldom" });
    expect(slots.acquire("modest", never)).toMatchObject({ haste: "seldom" });
    expect(slots.acquire("modest", never)).toBeInstanceOf(Promise);
  });

  test("is not for who was modest once: tools that take long, or ever more of them", () => {
    const slots = createSlots(8, () => now);
    run(slots, "slow", 5_000);
    for (let n = 0; n < 12; n++) run(slots, "many", 1_500);
    for (let n = 0; n < 6; n++) void slots.acquire("hog", never);
    for (const owner of ["slow", "many", "new"]) expect(slots.acquire(owner, never)).toBeInstanceOf(Promise);
  });

  test("who was greedy is modest again after a while", () => {
    const slots = createSlots(8, () => now);
    for (let n = 0; n < 12; n++) run(slots, "many", 1_500);
    now += 120_000;
    expect(slots.acquire("many", never)).toMatchObject({ haste: "seldom" });
  });
});
