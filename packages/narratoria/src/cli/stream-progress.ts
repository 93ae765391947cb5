/** How far a reader of a session's stream has come, for whoever must wait until it has come so far. */
export interface StreamProgress {
  seq(): number;
  advance(seq: number): void;
  /** It comes no further: nobody waits any longer. */
  stop(): void;
  /** Settles when the reader has come to this number, or comes no further. */
  reached(seq: number): Promise<void>;
}

export function trackProgress(from: number): StreamProgress {
  let at = from;
  let isStopped = false;
  const waiting: { seq: number; go: () => void }[] = [];

  function settle(): void {
    const over = waiting.filter(({ seq }) => isStopped || seq <= at);
    for (const each of over) {
      waiting.splice(waiting.indexOf(each), 1);
      each.go();
    }
  }

  return {
    seq: () => at,
    advance: (seq) => {
      at = seq;
      settle();
    },
    stop: () => {
      isStopped = true;
      settle();
    },
    reached: (seq) =>
      new Promise((go) => {
        waiting.push({ seq, go });
        settle();
      }),
  };
}
