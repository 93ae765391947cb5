/**
 * Time that can stand still, so that no limit runs out and no duration grows meanwhile. A turn has two such clocks, one
 * above the other: while a person is asked something both stand still; while a tool waits for a slot only that of the
 * plan and the turn does, for the tools that run are not to have longer because of it.
 */
import type { CallClock } from "./clock.ts";

export interface Deadlines extends CallClock {
  /** Runs the work with all limits standing still. */
  standStill<T>(work: () => Promise<T>): Promise<T>;
}

export interface TurnClocks {
  /** Of attempts, and everything that runs. */
  readonly attempts: Deadlines;
  /** Of the turn and its plans. */
  readonly plans: Deadlines;
}

export function createTurnClocks(clock: CallClock): TurnClocks {
  const attempts = createDeadlines(clock);
  return { attempts, plans: createDeadlines(attempts) };
}

interface Deadline {
  leftMs: number;
  startedAt: number;
  onExpiry: () => void;
  timer: { cancel(): void } | null;
}

export function createDeadlines(clock: CallClock): Deadlines {
  const active = new Set<Deadline>();
  let asking = 0;
  /** When the question came that is open now, and how long all those before it took. */
  let askedAt = 0;
  let stoodMs = 0;

  function after(ms: number, onExpiry: () => void): { cancel(): void } {
    const deadline: Deadline = { leftMs: ms, startedAt: 0, onExpiry, timer: null };
    active.add(deadline);
    if (asking === 0) run(deadline);
    return {
      cancel: () => {
        deadline.timer?.cancel();
        active.delete(deadline);
      },
    };
  }

  function run(deadline: Deadline): void {
    deadline.startedAt = clock.elapsed();
    deadline.timer = clock.after(deadline.leftMs, () => {
      active.delete(deadline);
      deadline.onExpiry();
    });
  }

  function pause(deadline: Deadline): void {
    deadline.timer?.cancel();
    deadline.timer = null;
    deadline.leftMs = Math.max(0, deadline.leftMs - (clock.elapsed() - deadline.startedAt));
  }

  async function standStill<T>(work: () => Promise<T>): Promise<T> {
    if (asking++ === 0) {
      askedAt = clock.elapsed();
      active.forEach(pause);
    }
    try {
      return await work();
    } finally {
      if (--asking === 0) {
        stoodMs += clock.elapsed() - askedAt;
        active.forEach(run);
      }
    }
  }
  return { after, elapsed: () => (asking === 0 ? clock.elapsed() : askedAt) - stoodMs, standStill };
}
