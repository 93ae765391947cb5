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
  test("is kept for owners who had little of late, however much the others want", async () => {
    let now = 0;
    const slots = createSlots(8, () => now);
    const never = new AbortController().signal;
    const greedy = Array.from({ length: 20 }, (_, n) => `greedy ${n % 10}`);
    const first = greedy.map((owner) => slots.acquire(owner, never));
    now = 10_000;
    for (const slot of first.slice(0, 8)) if (!(slot instanceof Promise)) slot.release();
    now = 20_000;
    const modest = slots.acquire("modest", never);
    expect(modest).toMatchObject({ haste: "seldom" });
    const again = first.slice(8).filter((slot) => slot instanceof Promise);
    const handed = await Promise.all(again.map((slot) => Promise.race([slot, Promise.resolve(null)])));
    // Those that never had one are as modest as anybody, and took what was free before.
    expect(handed.filter((slot) => slot !== null).length).toBeGreaterThanOrEqual(6);
  });

  test("is everybody's when nobody has had more than others", () => {
    const slots = createSlots(8, () => 0);
    const never = new AbortController().signal;
    const taken = Array.from({ length: 8 }, (_, n) => slots.acquire(`${n}`, never));
    expect(taken.filter((slot) => slot instanceof Promise)).toEqual([]);
    expect(slots.acquire("one more", never)).toBeInstanceOf(Promise);
  });

  test("an owner alone has them all, and the usual haste", () => {
    let now = 0;
    const slots = createSlots(8, () => now++);
    const never = new AbortController().signal;
    const taken = Array.from({ length: 8 }, () => slots.acquire("alone", never));
    expect(taken).toMatchObject(Array.from({ length: 8 }, () => ({ haste: "usual" })));
  });

  test("who has had them all the time is greedy beside who wants one now and then", () => {
    let now = 0;
    const slots = createSlots(8, () => now);
    const never = new AbortController().signal;
    for (let n = 0; n < 6; n++) void slots.acquire("hog", never);
    now = 5_000;
    expect(slots.acquire("modest", never)).toMatchObject({ haste: "seldom" });
    expect(slots.acquire("hog", never)).toBeInstanceOf(Promise);
    now = 6_000;
    expect(slots.acquire("another", never)).toMatchObject({ haste: "seldom" });
  });
});
