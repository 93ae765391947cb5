/** A session of the server for a component: it is followed as long as the component is shown. */
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { api } from "./api.ts";
import { followSession } from "./event-stream.ts";
import { createSessionStore, type SessionSource, type StoreState, type SessionStore } from "./session-store.ts";

const SERVER: SessionSource = { fetch: (sessionId) => api.session(sessionId), follow: followSession };

export function useSession(sessionId: string): { state: StoreState; store: SessionStore } {
  const store = useMemo(() => createSessionStore(sessionId, SERVER), [sessionId]);
  useEffect(() => store.start(), [store]);
  return { state: useSyncExternalStore(store.subscribe, store.get), store };
}
