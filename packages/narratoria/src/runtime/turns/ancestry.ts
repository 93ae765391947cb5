/**
 * Everything a session has of those it was forked from, decided here alone. A fork's log begins with its ancestors'
 * events: those numbered below its own beginning which belong to a turn on the way to the fork, or to the session as a
 * whole and are handed down. `state-after.ts` says what the state is at the end of such a way.
 *
 * Every session gives its own numbers from where its parent had come to, so an ancestor's part of a stream is a range
 * of numbers, and the ranges follow each other. After the fork none of them changes any more.
 */
import type { JsonObject } from "@narratoria/tool/json";
import type { EventName, EventOf } from "../../story/event.ts";
import { initialStateOf } from "../../story/fold-state.ts";
import type { LogDetail, LogRecord, SessionRow, Store, StoredEvent, TurnRow } from "../seams/store.ts";

export interface Ancestry {
  /** The next page of a session's stream after a number; at most `limit` events, perhaps none though more follow. */
  stream(sessionId: string, after: number, limit: number, logs: LogDetail): StreamPage;
  /** All of a session's records, as if it had had all those turns itself. */
  records(sessionId: string): Iterable<LogRecord>;
  /** In order, what happened to a session outside of turns. */
  sessionEvents<Name extends EventName>(sessionId: string, ...names: Name[]): EventOf<Name>[];
  /** A turn that lies in the session's tree: its own, or one it inherited. */
  turnIn(sessionId: string, turnId: string): TurnRow | null;
  /** Every turn of the session's tree: those it inherited, then its own, oldest first. */
  turns(sessionId: string): TurnRow[];
  /** The takes of a moment in the session's tree, oldest first: the one it inherited, and its own. */
  takes(sessionId: string, parentTurnId: string | null): string[];
  /** The story's state before the first turn. */
  initialState(sessionId: string): JsonObject;
  /** The turns that led to forks are not what they were. */
  forget(): void;
}

export interface StreamPage {
  events: StoredEvent[];
  /** The number after which to go on. */
  next: number;
  /** Nothing follows for now. */
  isLast: boolean;
}

/** What belongs to a session as a whole and goes to its forks. Titles, heads, bookmarks and ends are a session's own. */
export const HANDED_DOWN: readonly EventName[] = [
  "session:start",
  "mount:add",
  "mount:remove",
  "hook:register",
  "context:set",
];

/** Part of a lineage: what an ancestor did below a number. */
interface Ancestor {
  sessionId: string;
  below: number;
}

interface Lineage {
  /** Oldest first. */
  ancestors: readonly Ancestor[];
  /** The turns that led to the fork. */
  way: ReadonlySet<string>;
}

const NO_LINEAGE: Lineage = { ancestors: [], way: new Set() };
const MOST_LINEAGES = 50;

export function createAncestry(store: Store): Ancestry {
  const lineages = new Map<string, Lineage>();

  function lineageOf(sessionId: string): Lineage {
    const known = lineages.get(sessionId);
    if (known !== undefined) return known;
    const session = store.session(sessionId);
    if (session === null || session.parentSessionId === null) return NO_LINEAGE;
    const way = new Set(store.pathTo(session.forkTurnId ?? "", Number.MAX_SAFE_INTEGER).map(({ turnId }) => turnId));
    const lineage = { ancestors: ancestorsOf(session), way };
    const [oldest] = lineages.keys();
    if (oldest !== undefined && lineages.size >= MOST_LINEAGES) lineages.delete(oldest);
    lineages.set(sessionId, lineage);
    return lineage;
  }

  function ancestorsOf(session: SessionRow): Ancestor[] {
    const ancestors: Ancestor[] = [];
    for (let at: SessionRow | null = session; at !== null && at.parentSessionId !== null;) {
      ancestors.push({ sessionId: at.parentSessionId, below: at.forkSeq ?? 0 });
      at = store.session(at.parentSessionId);
    }
    return ancestors.toReversed();
  }

  function stream(sessionId: string, after: number, limit: number, logs: LogDetail): StreamPage {
    const { ancestors, way } = lineageOf(sessionId);
    const ancestor = ancestors.find(({ below }) => after < below - 1);
    if (ancestor === undefined) {
      const events = store.eventsAfter(sessionId, after, limit, logs);
      const next = events.at(-1)?.seq ?? after;
      // Of a session from an old file, or one that was repaired, the last numbers given may have no events any more.
      return { events, next, isLast: events.length === 0 || next >= store.lastSeq(sessionId) };
    }
    const { below } = ancestor;
    const found = store.eventsAfter(ancestor.sessionId, after, limit, logs);
    const last = found.at(-1)?.seq ?? below;
    const events = found.filter(({ seq, turnId, name }) => seq < below && isHandedDown(way, turnId, name));
    return { events, next: Math.min(last, below - 1), isLast: false };
  }

  function* records(sessionId: string): Generator<LogRecord> {
    const { ancestors, way } = lineageOf(sessionId);
    for (const { sessionId: ancestor, below } of ancestors) {
      for (const record of store.records(ancestor, below - 1)) {
        const { turn_id = null, event } = record.kind === "event" ? record.event : record.first;
        if (isHandedDown(way, turn_id, event)) yield record;
      }
    }
    yield* store.records(sessionId);
  }

  function sessionEvents<Name extends EventName>(sessionId: string, ...names: Name[]): EventOf<Name>[] {
    const handedDown = names.filter((name) => HANDED_DOWN.includes(name));
    const inherited = lineageOf(sessionId).ancestors.flatMap(({ sessionId: ancestor, below }) =>
      handedDown.flatMap((name) => store.sessionEvents(ancestor, name).filter(({ seq }) => (seq ?? 0) < below)),
    );
    const own = names.flatMap((name) => store.sessionEvents(sessionId, name));
    return [...inherited, ...own].toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
  }

  function turnIn(sessionId: string, turnId: string): TurnRow | null {
    const turn = store.turn(turnId);
    if (turn === null || turn.sessionId === sessionId) return turn;
    return inheritedAt(sessionId, turn.number)?.turnId === turnId ? turn : null;
  }

  /** The turn with that number on the way to the fork. No longer a way back than that is walked. */
  function inheritedAt(sessionId: string, number: number): TurnRow | null {
    const forkTurnId = store.session(sessionId)?.forkTurnId ?? null;
    const fork = forkTurnId === null ? null : store.turn(forkTurnId);
    if (fork === null || fork.number < number) return null;
    return store.pathTo(fork.turnId, fork.number - number + 1)[0] ?? null;
  }

  function takes(sessionId: string, parentTurnId: string | null): string[] {
    const own = store.takes(sessionId, parentTurnId).map(({ turnId }) => turnId);
    const number = parentTurnId === null ? 0 : (store.turn(parentTurnId)?.number ?? 0) + 1;
    const inherited = inheritedAt(sessionId, number);
    return inherited?.parentTurnId === parentTurnId ? [inherited.turnId, ...own] : own;
  }

  function turns(sessionId: string): TurnRow[] {
    const forkTurnId = store.session(sessionId)?.forkTurnId ?? null;
    const inherited = forkTurnId === null ? [] : store.pathTo(forkTurnId, Number.MAX_SAFE_INTEGER);
    return [...inherited, ...store.turnsOf(sessionId)];
  }

  function initialState(sessionId: string): JsonObject {
    const [start] = sessionEvents(sessionId, "session:start");
    return start === undefined ? {} : initialStateOf(start.data);
  }

  return { stream, records, sessionEvents, turnIn, turns, takes, initialState, forget: () => lineages.clear() };
}

function isHandedDown(way: ReadonlySet<string>, turnId: string | null, name: EventName): boolean {
  return turnId === null ? HANDED_DOWN.includes(name) : way.has(turnId);
}
