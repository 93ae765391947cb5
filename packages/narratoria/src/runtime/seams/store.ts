/**
 * The seam to what outlives the process: the append-only log, and what can be looked up in it. `stores/sqlite.ts`
 * implements it. Everything but the log itself is derived from it and could be built again. A store knows of a session
 * what happened in it; what a fork has of its parent is put together in `turns/ancestry.ts`.
 */
import type { JsonObject } from "@narratoria/tool/json";
import type { EventName, EventOf, LineEnvelope, NarratoriaEvent } from "../../story/event.ts";
import type { TurnStatus } from "../../story/session-state.ts";

export interface Store {
  /** The last number given in a session: what comes next has the one after it. 0 when the session is not known. */
  lastSeq(sessionId: string): number;
  /**
   * All or nothing, and durable when it returns. Throws when a number does not follow the session's last, or when a
   * session does not begin with its start or fork: then two have been writing.
   */
  append(records: readonly LogRecord[]): void;
  /** The same for a session that comes piece by piece: hidden until it is shown, and erased by the next who opens the store. */
  takeIn(records: readonly LogRecord[]): void;
  /** What was taken in is whole. Durable when it returns. */
  show(sessionId: string): void;
  /** A session's own records in order, up to a number or to what is there now. For export. */
  records(sessionId: string, until?: number): Iterable<LogRecord>;
  /** What was done to a session's own records behind the store's back; nothing when they are as they were written. */
  findDamage(sessionId: string): Damage[];
  /** The same, a piece at a time: others may have their turn in between. */
  searchDamage(sessionId: string): Generator<undefined, Damage[], undefined>;

  /** Without the removed ones. */
  sessions(): SessionRow[];
  session(sessionId: string): SessionRow | null;
  turn(turnId: string): TurnRow | null;
  /** Of all sessions: what a host that died has left running. */
  runningTurns(): TurnRow[];
  /** The turns of a session's own. */
  turnsOf(sessionId: string): TurnRow[];
  /** The latest of them, the very latest first. */
  latestTurns(sessionId: string, limit: number): TurnRow[];
  /** The turns of a session with that parent, oldest first. */
  takes(sessionId: string, parentId: string | null): TurnRow[];
  /** How a turn began. However much happened in it, this is found at once. */
  startOf(turn: TurnRow): EventOf<"turn:start"> | null;
  promptOf(turn: TurnRow): string;
  /** The way to a turn: its last `limit` turns, the turn itself last. */
  pathTo(turnId: string, limit: number): TurnRow[];

  /** What happened in a turn, without log lines; all of it, or what has one of these names. */
  turnEvents<Name extends EventName>(turnId: string, names?: readonly Name[]): EventOf<Name>[];
  /** The next of them after a number, as many as are read at once; none when there are no more. */
  turnPage<Name extends EventName>(turnId: string, after: number, names?: readonly Name[]): EventOf<Name>[];
  /** The events of one name that belong to the session itself rather than to a turn. */
  sessionEvents<Name extends EventName>(sessionId: string, name: Name): EventOf<Name>[];
  event(eventId: string): NarratoriaEvent | null;
  /** A session's own events after a number, log lines included: at most `limit`, and fewer when they are large. */
  eventsAfter(sessionId: string, after: number, limit: number, logs?: LogDetail): StoredEvent[];
  /** Log lines of one attempt from the `from`th on. */
  logLines(spanId: string, from: number, count: number): Iterable<EventOf<"tool:event">>;
  countLogLines(spanId: string): number;
  /** The last log line of an attempt, and the last progress it told; null when it logged nothing. */
  latestLog(spanId: string): { line: EventOf<"tool:event">; progress: number | null } | null;
  /** Whether a turn has children, or a session was forked from it: then it may not change any more. */
  isBuiltOn(turnId: string): boolean;

  /** The state after a turn, where it was kept. */
  snapshot(turnId: string): JsonObject | null;
  saveSnapshot(turnId: string, state: JsonObject): void;

  /** Those that were forked from a session, or from one that was; without the removed ones. */
  forksOf(sessionId: string): SessionRow[];
  /** The turns that something was forked from in a session, be it removed or not. */
  forkTurnsOf(sessionId: string): string[];
  /**
   * Hides a session, durably: `finishRemoval` deletes it and whatever no other session needs. What those that were forked
   * from it begin with stays, hidden. Until then it is among the unfinished, also for whoever opens the store next.
   */
  beginRemoval(sessionId: string, isPurge: boolean): void;
  /** Deletes a slice at a time. In the end: the hidden parent of which less is needed now, to be finished too; or null. */
  finishRemoval(sessionId: string, sweep: Sweep): Generator<undefined, string | null, undefined>;
  /** Sessions that are half deleted, or half taken in. */
  unfinished(): UnfinishedRemoval[];
  /** Of a session that is being purged: the turns that forks begin with become these few events, in one step. */
  replaceTurns(sessionId: string, firsts: readonly NarratoriaEvent[], replacements: readonly TurnReplacement[]): void;
  close(): void;
}

/** Removes the files of assets that no session refers to any more. */
export type Sweep = (hashes: readonly string[]) => void;

export interface UnfinishedRemoval {
  sessionId: string;
  isPurge: boolean;
}

export interface TurnReplacement {
  turnId: string;
  /** The turns that led to it since the last that is replaced: they go, and it has the room of their events. */
  way: readonly string[];
  parentTurnId: string | null;
  /** From its start to its end; they are numbered here. */
  events: readonly NarratoriaEvent[];
}

/** An event as it was stored: who passes it on needs only its text. */
export interface StoredEvent {
  readonly seq: number;
  readonly turnId: string | null;
  readonly name: EventName;
  /** One line. */
  readonly json: string;
  /** Parsed when it is first asked for. */
  event(): NarratoriaEvent;
}

export type LogRecord =
  /** `json` is the event, encoded once for all who read it. */
  | { kind: "event"; event: NarratoriaEvent; json: string }
  /** Log lines of one attempt as the tool printed them; `first` is the envelope of the first of them. */
  | { kind: "lines"; first: LineEnvelope; number: number; lines: readonly string[]; progress: number | null };

export type Damage =
  /** The record with this number is not what was written. */
  | { kind: "altered"; seq: number }
  /** Between these two, something is gone. */
  | { kind: "missing"; after: number; before: number }
  /** The end is gone. */
  | { kind: "cut"; after: number };

/** "each": every log line is an event. "runs": of a run of lines only the last, which tells of the run (`LineRun`). */
export type LogDetail = "each" | "runs";

export interface SessionRow {
  sessionId: string;
  title: string;
  storyDir: string;
  storyTitle: string;
  parentSessionId: string | null;
  forkTurnId: string | null;
  /** The number of its own `session:fork`: all it inherits has lower ones. Null when it is no fork. */
  forkSeq: number | null;
  lastSeq: number;
  headTurnId: string | null;
  createdAt: number;
  updatedAt: number;
  ended: boolean;
  /** Deleted by its player, and kept only because others were forked from it. */
  removed: boolean;
}

export interface TurnRow {
  turnId: string;
  sessionId: string;
  parentTurnId: string | null;
  number: number;
  status: TurnStatus;
  startSeq: number;
  startedAt: number;
  ending: string | null;
}

export function recordOf(event: NarratoriaEvent): LogRecord {
  return { kind: "event", event, json: JSON.stringify(event) };
}
