/** Questions to the player while a turn runs: who asks waits here until the answer comes, or the turn ends. */

export interface AskDesk {
  /** Null when the signal aborted first: no answer means no. */
  wait(askId: string, allowed: readonly string[], signal: AbortSignal): Promise<string | null>;
  /** False when nobody waits for this, or the answer is none of those offered. */
  answer(askId: string, value: string): boolean;
}

export function createAskDesk(): AskDesk {
  const waiting = new Map<string, { allowed: readonly string[]; settle: (value: string | null) => void }>();

  async function wait(askId: string, allowed: readonly string[], signal: AbortSignal): Promise<string | null> {
    if (signal.aborted) return null;
    let giveUp = (): void => {};
    try {
      return await new Promise<string | null>((settle) => {
        giveUp = () => settle(null);
        signal.addEventListener("abort", giveUp);
        waiting.set(askId, { allowed, settle });
      });
    } finally {
      signal.removeEventListener("abort", giveUp);
      waiting.delete(askId);
    }
  }

  function answer(askId: string, value: string): boolean {
    const asked = waiting.get(askId);
    if (asked === undefined || !asked.allowed.includes(value)) return false;
    asked.settle(value);
    return true;
  }
  return { wait, answer };
}
