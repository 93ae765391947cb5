/**
 * What a fork has of the session it was forked from, put together from sessions' own streams: of its parent the events
 * numbered below its own beginning which belong to a turn on the way to the fork, or to the session as a whole.
 */
import type { EventName } from "../../story/event.ts";
import type { LogDetail, LogRecord, SessionRow, Store, StoredEvent } from "../seams/store.ts";

/** A session's stream after a number: before its own events those of the way that led to it. */
export function streamAfter(
  store: Store,
  sessionId: string,
  after: number,
  limit: number,
  logs: LogDetail = "each",
): StoredEvent[] {
  const session = store.session(sessionId);
  const inherited = session === null ? [] : inheritedAfter(store, session, after, limit, logs);
  if (inherited.length >= limit) return inherited.slice(0, limit);
  return [...inherited, ...store.eventsAfter(sessionId, after, limit - inherited.length, logs)];
}

/** All of a session's records in order, a fork's beginning with what led to it. */
export function* recordsOf(store: Store, sessionId: string, until?: number): Generator<LogRecord> {
  const session = store.session(sessionId);
  if (session?.parentSessionId && session.forkSeq !== null) {
    const belongs = inheritance(store, session);
    for (const record of recordsOf(store, session.parentSessionId, session.forkSeq - 1)) {
      const { turn_id = null, event } = record.kind === "event" ? record.event : record.first;
      // What observed the parent is not told of in a file.
      if (event !== "hook:register" && belongs(turn_id, event)) yield record;
    }
  }
  yield* store.records(sessionId, until);
}

function inheritedAfter(
  store: Store,
  session: SessionRow,
  after: number,
  limit: number,
  logs: LogDetail,
): StoredEvent[] {
  const { parentSessionId, forkSeq } = session;
  if (parentSessionId === null || forkSeq === null) return [];
  const belongs = inheritance(store, session);
  const found: StoredEvent[] = [];
  for (let at = after; at < forkSeq && found.length < limit;) {
    const page = streamAfter(store, parentSessionId, at, PAGE, logs);
    found.push(...page.filter(({ seq, turnId, name }) => seq < forkSeq && belongs(turnId, name)));
    at = page.at(-1)?.seq ?? forkSeq;
  }
  return found;
}

const PAGE = 1000;
const INHERITED: readonly EventName[] = ["session:start", "mount:add", "mount:remove", "hook:register"];

/** A turn that others build on does not change any more: all of it happened before the fork. */
function inheritance(store: Store, session: SessionRow): (turnId: string | null, name: EventName) => boolean {
  const way = new Set(store.pathTo(session.forkTurnId ?? "", Number.MAX_SAFE_INTEGER).map(({ turnId }) => turnId));
  return (turnId, name) => (turnId === null ? INHERITED.includes(name) : way.has(turnId));
}
