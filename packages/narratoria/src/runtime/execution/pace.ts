/**
 * Work in slices: whoever has much to do asks after each piece whether to rest, so that requests, timers and other
 * sessions have their turn of the event loop. There is one loop, so there is one pace for all that works on it.
 *
 * Invariants:
 * 1. Between two turns of the loop all who ask work `sliceMs` together, and no piece is begun after that.
 * 2. Who rests goes on in the order of coming, one in a turn of the loop: nobody is passed over for good.
 */
export interface Pace {
  /** A promise asks to wait for it before going on. */
  rest(): Promise<void> | undefined;
}

const SLICE_MS = 10;

export function createPace(sliceMs: number = SLICE_MS): Pace {
  /** When work began in this turn of the loop; null while there was none. */
  let began: number | null = null;
  const resting: (() => void)[] = [];

  function rest(): Promise<void> | undefined {
    if (began === null) begin();
    else if (performance.now() - began >= sliceMs) return new Promise((resume) => resting.push(resume));
    return undefined;
  }

  function begin(): void {
    began = performance.now();
    setImmediate(nextTurn);
  }

  function nextTurn(): void {
    began = null;
    const resume = resting.shift();
    if (resume === undefined) return;
    begin();
    resume();
  }
  return { rest };
}

export const PACE: Pace = createPace();
