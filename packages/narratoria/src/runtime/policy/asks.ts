/** Questions to the player while a turn runs: who asks waits here until the answer comes, or the turn ends. */

export interface AskDesk {
  /** Null when the signal aborted first: no answer means no. */
  wait(ask: Ask, signal: AbortSignal): Promise<string | null>;
  /** False when nobody in that session waits for this, or the answer is none of those offered. */
  answer(sessionId: string, askId: string, value: string): boolean;
}

export interface Ask {
  readonly sessionId: string;
  readonly askId: string;
  /** The values of the answers that are offered. */
  readonly allowed: readonly string[];
}

export function createAskDesk(): AskDesk {
  const waiting = new Map<string, Ask & { settle: (value: string | null) => void }>();

  async function wait(ask: Ask, signal: AbortSignal): Promise<string | null> {
    if (signal.aborted) return null;
    let giveUp = (): void => {};
    try {
      return await new Promise<string | null>((settle) => {
        giveUp = () => settle(null);
        signal.addEventListener("abort", giveUp);
        waiting.set(ask.askId, { ...ask, settle });
      });
    } finally {
      signal.removeEventListener("abort", giveUp);
      waiting.delete(ask.askId);
    }
  }

  function answer(sessionId: string, askId: string, value: string): boolean {
    const asked = waiting.get(askId);
    if (asked === undefined || asked.sessionId !== sessionId || !asked.allowed.includes(value)) return false;
    asked.settle(value);
    return true;
  }
  return { wait, answer };
}
