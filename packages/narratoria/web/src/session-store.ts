/**
 * What this tab knows of one session: the view, folded from events by the server's own code, and how the connection
 * is. `event-stream.ts` brings the events, components read through `use-session.ts`. What does not follow on what is known
 * (`stream-continuity.ts`) is not folded: the whole picture is asked for instead.
 */
import type { NarratoriaEvent } from "../../src/story/event.ts";
import { foldView, leavesTheView } from "../../src/story/fold-view.ts";
import type { SessionView } from "../../src/story/session-view.ts";
import type { ApiAnswer } from "./api.ts";
import type { followSession } from "./event-stream.ts";
import { continuityOf } from "./stream-continuity.ts";

/** "back" is shown for a moment after "lost". */
export type Connection = "connecting" | "live" | "lost" | "back";

export type StoreState =
  | { kind: "loading"; connection: Connection }
  | { kind: "gone"; message: string }
  | { kind: "ready"; view: SessionView; connection: Connection };

export interface SessionStore {
  get: () => StoreState;
  subscribe: (changed: () => void) => () => void;
  /** A picture from the server: taken unless this tab already knows more. */
  accept: (view: SessionView) => void;
  start: () => () => void;
}

/** Where a session's picture and its events come from. */
export interface SessionSource {
  fetch: (sessionId: string) => Promise<ApiAnswer<SessionView>>;
  follow: typeof followSession;
}

const SHOW_BACK_MS = 4000;

export function createSessionStore(sessionId: string, source: SessionSource): SessionStore {
  let state: StoreState = { kind: "loading", connection: "connecting" };
  let backTimer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();

  const set = (next: StoreState): void => {
    state = next;
    for (const listener of listeners) listener();
  };

  const accept = (view: SessionView): void => {
    if (state.kind === "gone" || (state.kind === "ready" && state.view.seq > view.seq)) return;
    set({ kind: "ready", view, connection: state.connection });
  };

  let hasBegunAnew = false;
  /** The server's word: of a log that has begun anew a lower number is the newer one. */
  const replace = (view: SessionView): void => {
    if (hasBegunAnew && state.kind !== "gone") set({ kind: "ready", view, connection: state.connection });
    else accept(view);
    hasBegunAnew = false;
  };

  const fetchView = async (): Promise<boolean> => {
    const answer = await source.fetch(sessionId);
    if (answer.kind === "ok" && answer.isKept) {
      // Better than nothing, and no more than that: the server was not reached.
      if (state.kind === "loading") accept(answer.value);
      return false;
    }
    if (answer.kind === "ok") replace(answer.value);
    else if (answer.code === "not_found") set({ kind: "gone", message: "There is no such story here any more." });
    else if (answer.code === "unauthorized") set({ kind: "gone", message: answer.message });
    return answer.kind === "ok";
  };

  let fetching: Promise<boolean> | null = null;
  let isStale = false;
  /** One request at a time; a call while one is under way may know of events that it missed, so another follows. */
  const refresh = (): Promise<boolean> => {
    isStale = true;
    fetching ??= (async () => {
      let reached = true;
      while (isStale && reached) {
        isStale = false;
        reached = await fetchView();
      }
      fetching = null;
      return reached;
    })();
    return fetching;
  };

  const fold = (after: number, events: NarratoriaEvent[]): void => {
    if (state.kind !== "ready") return;
    hasBegunAnew ||= continuityOf(after, events) === "began anew";
    if (hasBegunAnew) return void refresh();
    // The answer to something this tab did may have told of them before they came.
    const fresh = events.filter(({ seq }) => (seq ?? Infinity) > seqOf(state));
    if (fresh.length === 0) return;
    // What the head moved to lies outside this view; until the answer comes, the old one stays in place.
    if (fresh.some(leavesTheView) || continuityOf(state.view.seq, fresh) !== "goes on") return void refresh();
    set({ ...state, view: foldView(state.view, fresh) });
  };

  const connect = (connection: "live" | "lost"): void => {
    if (state.kind === "gone") return;
    const before = state.connection;
    if (connection === before || (connection === "live" && before === "back")) return;
    clearTimeout(backTimer);
    if (connection === "live" && before === "lost") {
      backTimer = setTimeout(() => state.kind !== "gone" && set({ ...state, connection: "live" }), SHOW_BACK_MS);
      return set({ ...state, connection: "back" });
    }
    set({ ...state, connection });
  };

  return {
    get: () => state,
    subscribe: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    accept,
    start: () => {
      const stopping = new AbortController();
      const begin = async (): Promise<void> => {
        while (!(await refresh()) && state.kind !== "gone" && !stopping.signal.aborted) {
          connect("lost");
          await new Promise((settle) => setTimeout(settle, 1000));
        }
        if (state.kind !== "ready" || stopping.signal.aborted) return;
        const stop = source.follow(sessionId, {
          seq: () => seqOf(state),
          events: fold,
          connection: connect,
          refresh,
        });
        stopping.signal.addEventListener("abort", stop);
      };
      void begin();
      // A tab that slept may have missed what the reading tab passed on.
      const wake = (): void => void (document.hidden || state.kind !== "ready" || refresh());
      document.addEventListener("visibilitychange", wake, { signal: stopping.signal });
      return () => stopping.abort();
    },
  };
}

function seqOf(state: StoreState): number {
  return state.kind === "ready" ? state.view.seq : 0;
}
