/**
 * A signal that is aborted with another one, or by itself, until it is let go. `AbortSignal.any` would do the same, but
 * what listens to a signal it made is kept for good.
 */
export interface FollowingSignal {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** The other one has no more to say. */
  letGo(): void;
}

export function followSignal(...others: readonly AbortSignal[]): FollowingSignal {
  const own = new AbortController();
  const abort = (reason: unknown): void => {
    letGo();
    own.abort(reason);
  };
  const followers = others.map((other) => ({ other, follow: () => abort(other.reason) }));
  function letGo(): void {
    for (const { other, follow } of followers) other.removeEventListener("abort", follow);
  }
  const aborted = others.find((other) => other.aborted);
  if (aborted !== undefined) own.abort(aborted.reason);
  else for (const { other, follow } of followers) other.addEventListener("abort", follow);
  return { signal: own.signal, abort, letGo };
}
