/**
 * How long each owner has had slots of late: what is long ago counts less and less. `slots.ts` asks who had little beside the
 * others that have one or want one.
 */

export interface SlotUse {
  /** From now until what it gives is called. */
  start(owner: string): () => void;
  /** How owners stand now beside those who have one, and these who want one. Looked at once for all who are asked about. */
  standing(wanting: Iterable<string>): Standing;
}

export interface Standing {
  /** Whether an owner had at most half of what the others had on average. */
  isModest(owner: string): boolean;
  hasOthers(owner: string): boolean;
}

/** After so long half of it is forgotten. */
const HALF_LIFE_MS = 30_000;
/** Who had less than this had nothing. */
const FORGOTTEN_MS = 1;

interface Used {
  /** Up to `at`. */
  ms: number;
  at: number;
  held: number;
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
    const used = settle(byOwner.get(owner) ?? { ms: 0, at: now(), held: 0 });
    used.held++;
    byOwner.set(owner, used);
    return () => {
      settle(used).held--;
      forgetIdle();
    };
  }

  /** Those of whom nothing is left. */
  function forgetIdle(): void {
    for (const [owner, used] of byOwner) if (used.held === 0 && settle(used).ms < FORGOTTEN_MS) byOwner.delete(owner);
  }

  function msOf(owner: string): number {
    const used = byOwner.get(owner);
    return used === undefined ? 0 : settle(used).ms;
  }

  function standing(wanting: Iterable<string>): Standing {
    const present = new Set(wanting);
    for (const [owner, { held }] of byOwner) if (held > 0) present.add(owner);
    let sum = 0;
    for (const owner of present) sum += msOf(owner);
    return {
      hasOthers: (owner) => present.size > (present.has(owner) ? 1 : 0),
      isModest(owner) {
        const own = msOf(owner);
        const others = present.size - (present.has(owner) ? 1 : 0);
        return others === 0 || own <= (present.has(owner) ? sum - own : sum) / others / 2;
      },
    };
  }
  return { start, standing };
}
