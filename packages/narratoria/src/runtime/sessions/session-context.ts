/** What a session was told to remember, by key: the latest `context:set` of it, or of what it was forked from. */
import type { Json } from "@narratoria/tool/json";
import type { SessionRow, Store } from "../seams/store.ts";

/** Undefined where nothing was ever set. */
export function readContext(store: Store, session: SessionRow, key: string): Json | undefined {
  let before = Infinity;
  for (let at: SessionRow | null = session; at !== null;) {
    const { sessionId, parentSessionId }: SessionRow = at;
    const sets = store.sessionEvents(sessionId, "context:set");
    const latest = sets.findLast(({ seq, data }) => (seq ?? 0) < before && data?.["key"] === key);
    if (latest !== undefined) return latest.data?.["value"] ?? null;
    // Of its parent a fork has what was set before it began.
    before = store.sessionEvents(sessionId, "session:fork")[0]?.seq ?? before;
    at = parentSessionId === null ? null : store.session(parentSessionId);
  }
  return undefined;
}
