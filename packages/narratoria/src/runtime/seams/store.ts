/**
 * The seam to what outlives the process: the append-only log, and what can be looked up in it. `stores/sqlite.ts`
 * implements it. Everything but the log itself is derived from it and could be built again.
 */
import type { JsonObject } from "@narratoria/tool/json";
import type { EventName, NarratoriaEvent } from "../../story/event.ts";
import type { TurnStatus } from "../../story/session-view.ts";

export interface Store {
  lastSeq(): number;
  /** All or nothing, and durable when it returns. */
  append(records: Iterable<LogRecord>): void;
  /** All of a session, in order; a fork's begins with what led to it. For export. */
  records(sessionId: string): Iterable<LogRecord>;

  /** Without the removed ones. */
  sessions(): SessionRow[];
  session(sessionId: string): SessionRow | null;
  turn(turnId: string): TurnRow | null;
  /** Of all sessions: what a host that died has left running. */
  runningTurns(): TurnRow[];
  /** The turns of a session's own. */
  turnsOf(sessionId: string): TurnRow[];
  /** The turns of a session with that parent, oldest first. */
  takes(sessionId: string, parentId: string | null): TurnRow[];
  promptOf(turn: TurnRow): string;
  /** The way to a turn: its last `limit` turns, the turn itself last. */
  pathTo(turnId: string, limit: number): TurnRow[];

  /** What happened in a turn, without log lines. */
  turnEvents(turnId: string): NarratoriaEvent[];
  /** The events of one name that belong to the session itself rather than to a turn. */
  sessionEvents(sessionId: string, name: EventName): NarratoriaEvent[];
  event(eventId: string): NarratoriaEvent | null;
  /** A session's stream after a number, log lines included: a fork's begins with its ancestors' events. */
  eventsAfter(sessionId: string, after: number, limit: number, logs?: LogDetail): NarratoriaEvent[];
  /** Log lines of one attempt from the `from`th on. */
  logLines(spanId: string, from: number, count: number): Iterable<NarratoriaEvent>;
  countLogLines(spanId: string): number;
  /** The last log line of an attempt, and the last progress it told; null when it logged nothing. */
  latestLog(spanId: string): { line: NarratoriaEvent; progress: number | null } | null;
  /** Whether a turn has children, or a session was forked from it: then it may not change any more. */
  isBuiltOn(turnId: string): boolean;

  /** The state after a turn, where it was kept. */
  snapshot(turnId: string): JsonObject | null;
  saveSnapshot(turnId: string, state: JsonObject): void;

  remove(sessionId: string): void;
  /** The hashes of all assets that some session still refers to. */
  assetHashes(): Set<string>;
  close(): void;
}

export type LogRecord =
  | { kind: "event"; event: NarratoriaEvent }
  /** Log lines of one attempt as the tool printed them; `first` is the envelope of the first of them. */
  | { kind: "lines"; first: NarratoriaEvent; number: number; lines: readonly string[]; progress: number | null };

/** "each": every log line is an event. "runs": of a run of lines only the last, which tells of the run (`LineRun`). */
export type LogDetail = "each" | "runs";

export interface SessionRow {
  sessionId: string;
  title: string;
  storyDir: string;
  storyTitle: string;
  parentSessionId: string | null;
  forkTurnId: string | null;
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
