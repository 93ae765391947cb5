/** Deletes a session of a store, to its end: what the service does in slices (`removals.ts`). Gives the assets it swept. */
import type { Store } from "../src/runtime/seams/store.ts";

export function removeNow(store: Store, sessionId: string): string[] {
  const swept: string[] = [];
  store.beginRemoval(sessionId, false);
  for (let at: string | null = sessionId; at !== null;) {
    const work = store.finishRemoval(at, (hashes) => void swept.push(...hashes));
    let step = work.next();
    while (step.done !== true) step = work.next();
    at = step.value;
  }
  return swept;
}
