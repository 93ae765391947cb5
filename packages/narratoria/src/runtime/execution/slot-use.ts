/**
 * What owners have made of their slots of late: whose tools were short and few is modest, whose were long or many is greedy.
 * What is long ago counts less and less. `slots.ts` asks.
 */
import type { Haste } from "../seams/sandbox.ts";

export interface SlotUse {
  /** From now until what it gives is called. */
  start(owner: string): () => void;
  hasteOf(owner: string): Haste;
}

/** After so long half of it is forgotten. */
const HALF_LIFE_MS = 30_000;
/** A tool that somebody waits for. */
const SHORT_MS = 2_000;
/** About a quarter of one slot, all the time. */
const LITTLE_MS = 10_000;
/** Who had less than this had nothing. */
const FORGOTTEN_MS = 1;

interface Used {
  /** Up to `at`. */
  ms: number;
  at: number;
  held: number;
  /** How long its tools take, the latest counting most; null before one has ended. */
  usualMs: number | null;
}

export function createSlotUse(now: () => number): SlotUse {
  const byOwner = new Map<string, Used>();

  /** Brings it up to now. */
  function settle(used: Used): Used {
    const at = now();
    const passed = at - used.at;
    used.ms = used.ms * 0.5 ** (passed / HALF_LIFE_MS) + passed * used.held;
    used.at = at;
    return used;
  }

  function start(owner: string): () => void {
    const began = now();
    const used = settle(byOwner.get(owner) ?? { ms: 0, at: began, held: 0, usualMs: null });
    used.held++;
    byOwner.set(owner, used);
    return () => {
      settle(used).held--;
      const took = now() - began;
      used.usualMs = used.usualMs === null ? took : (used.usualMs + took) / 2;
      forgetOldest();
    };
  }

  /** Who began first is looked at; so each of those of whom nothing is left goes in time. */
  function forgetOldest(): void {
    const [oldest] = byOwner;
    if (oldest === undefined) return;
    const [owner, used] = oldest;
    byOwner.delete(owner);
    if (used.held > 0 || settle(used).ms >= FORGOTTEN_MS) byOwner.set(owner, used);
  }

  function hasteOf(owner: string): Haste {
    const used = byOwner.get(owner);
    if (used === undefined) return "usual";
    const { ms, usualMs } = settle(used);
    if (ms > LITTLE_MS || (usualMs ?? 0) > SHORT_MS) return "greedy";
    return usualMs === null ? "usual" : "seldom";
  }
  return { start, hasteOf };
}
