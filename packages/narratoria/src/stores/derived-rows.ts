/**
 * Reads the rows of sessions and turns. They are derived from the log, and believed only when they say what it says: a turn
 * is held against its beginning whenever it is read, a session against its own events when it is first asked for.
 */
import type { DatabaseSync } from "node:sqlite";
import { DamagedLog } from "../runtime/seams/disk-trouble.ts";
import type { SessionRow, TurnRow } from "../runtime/seams/store.ts";
import type { EventOf } from "../story/event.ts";
import { TURN_STATUSES, type TurnStatus } from "../story/session-state.ts";
import { parseEvent } from "./stored-event.ts";
import { EVENT_COLUMNS, type EventRow, type RowVerifier } from "./verify-rows.ts";

export interface DerivedRows {
  /** Believed; later, who has the store to himself need not look again. */
  session(found: object): SessionRow;
  turn(found: object): TurnRow;
  /** The rows on the way to a turn, so many at most: where it stops, the story begins. */
  path(turnId: string, limit: number, found: object[]): TurnRow[];
}

/** Every select of turns begins with this. */
export const TURNS = `SELECT turns.*, start.json AS start FROM turns
  LEFT JOIN events AS start ON start.session_id = turns.session_id AND start.seq = turns.start_seq`;

type Cells = Record<string, string | number | null>;

export function createDerivedRows(db: DatabaseSync, verify: Pick<RowVerifier, "events">): DerivedRows {
  const held = new Set<string>();
  const selectLast = db.prepare(
    `SELECT ${EVENT_COLUMNS} FROM events INDEXED BY events_by_name
     WHERE session_id = ? AND name = ? AND turn_id IS NULL ORDER BY seq DESC LIMIT 1`,
  );
  const selectUnfinished = db.prepare("SELECT 1 FROM unfinished WHERE session_id = ?");
  const selectEnd = db.prepare("SELECT max(seq) AS seq FROM events WHERE session_id = ?");
  const selectLatestTurn = db.prepare(
    "SELECT turn_id, start_seq FROM turns WHERE session_id = ? ORDER BY start_seq DESC LIMIT 1",
  );

  function session(found: object): SessionRow {
    const row = toSession(found);
    const { sessionId } = row;
    // Half of it is in the log, and its row says no more than that it is hidden.
    if (row.removed && selectUnfinished.get(sessionId) !== undefined) return row;
    if (!held.has(sessionId) && !isSaid(row)) throw new DamagedLog(sessionId, null);
    held.add(sessionId);
    return row;
  }

  function isSaid(row: SessionRow): boolean {
    const { sessionId } = row;
    const { seq: lastSeq } = selectEnd.get(sessionId) as { seq: number | null };
    const fork = lastOf(sessionId, "session:fork");
    const begun = fork ?? lastOf(sessionId, "session:start");
    if (begun === null || lastSeq === null || lastSeq > row.lastSeq) return false;
    const title = lastOf(sessionId, "session:title")?.data.title ?? begun.data.title ?? "";
    const ended = lastOf(sessionId, "session:end") !== null;
    const headTurnId = headOf(sessionId, fork?.data.turnId ?? null);
    const forked = [fork?.data.parent ?? null, fork?.data.turnId ?? null, fork?.seq ?? null];
    const told = [title, ended, headTurnId, begun.ts, ...forked];
    const kept = [row.title, row.ended, row.headTurnId, row.createdAt];
    return told.every((each, index) => each === [...kept, row.parentSessionId, row.forkTurnId, row.forkSeq][index]);
  }

  /** Where it was put last, or the turn that was begun since. */
  function headOf(sessionId: string, forkTurnId: string | null): string | null {
    const moved = lastOf(sessionId, "session:head");
    const latest = selectLatestTurn.get(sessionId) as { turn_id: string; start_seq: number } | undefined;
    if (latest !== undefined && latest.start_seq > (moved?.seq ?? 0)) return latest.turn_id;
    return moved === null ? forkTurnId : (moved.data.turnId ?? null);
  }

  function lastOf<Name extends SessionEventName>(sessionId: string, name: Name): EventOf<Name> | null {
    const row = selectLast.get(sessionId, name) as EventRow | undefined;
    if (row === undefined) return null;
    verify.events([row]);
    return parseEvent(row.json) as EventOf<Name>;
  }

  function turn(found: object): TurnRow {
    const row = toTurn(found);
    if (!isTold(row, (found as Cells)["start"])) throw new DamagedLog(row.sessionId, row.startSeq);
    return row;
  }

  function path(turnId: string, limit: number, found: object[]): TurnRow[] {
    const rows = found.map(turn);
    const first = rows[0];
    const isWhole = rows.length === limit || first?.parentTurnId === null;
    if (!isWhole && turnId !== "") throw new DamagedLog(first?.sessionId ?? "", null);
    return rows;
  }
  return { session, turn, path };
}

type SessionEventName = "session:start" | "session:fork" | "session:title" | "session:head" | "session:end";

/** Whether a turn began as its row says. What became of it is told by other events, and only its kind is looked at. */
function isTold(row: TurnRow, start: unknown): boolean {
  if (typeof start !== "string" || !TURN_STATUSES.includes(row.status)) return false;
  try {
    const { event, ts, data } = parseEvent(start) as EventOf<"turn:start">;
    const told = [event, data.turnId, data.parentTurnId ?? null, data.number ?? 0, ts];
    return told.every(
      (each, index) => each === ["turn:start", row.turnId, row.parentTurnId, row.number, row.startedAt][index],
    );
  } catch {
    return false;
  }
}

/** Not looked at: for lists, in which a damaged story must not hide the others. */
export function toSession(found: object): SessionRow {
  const cells = found as Cells;
  return {
    sessionId: String(cells["session_id"]),
    title: String(cells["title"]),
    storyDir: String(cells["story_dir"]),
    storyTitle: String(cells["story_title"]),
    parentSessionId: cells["parent_session"] as string | null,
    forkTurnId: cells["fork_turn"] as string | null,
    forkSeq: cells["fork_seq"] as number | null,
    lastSeq: Number(cells["last_seq"]),
    headTurnId: cells["head_turn"] as string | null,
    createdAt: Number(cells["created_at"]),
    updatedAt: Number(cells["updated_at"]),
    ended: cells["ended"] === 1,
    removed: cells["removed"] === 1,
  };
}

export function toTurn(found: object): TurnRow {
  const cells = found as Cells;
  return {
    turnId: String(cells["turn_id"]),
    sessionId: String(cells["session_id"]),
    parentTurnId: cells["parent_turn"] as string | null,
    number: Number(cells["number"]),
    status: cells["status"] as TurnStatus,
    startSeq: Number(cells["start_seq"]),
    startedAt: Number(cells["started_at"]),
    ending: cells["ending"] as string | null,
  };
}
