/** What the derived tables make of what is appended: run in the same transaction. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { NarratoriaEvent } from "../story/event.ts";

export interface RowDeriver {
  /** Once for every event. */
  event(event: NarratoriaEvent): void;
  /** Where a session's log now ends. */
  end(sessionId: string, lastSeq: number, chain: string): void;
}

export function createRowDeriver(db: DatabaseSync): RowDeriver {
  const prepared = new Map<string, StatementSync>();
  function run(sql: string, ...values: (string | number | null)[]): number | bigint {
    const statement = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, statement);
    return statement.run(...values).changes;
  }

  function derive(event: NarratoriaEvent): void {
    const { ts } = event;
    const sessionId = event.session_id ?? "";
    switch (event.event) {
      case "session:start": {
        const { title, story } = event.data;
        run(
          "INSERT INTO sessions (session_id, title, story_dir, story_title, created_at, updated_at) VALUES (?,?,?,?,?,?)",
          ...[sessionId, title ?? "", story?.dir ?? "", story?.title ?? "", ts, ts],
        );
        return;
      }
      case "session:fork": {
        const { title, turnId = null, parent } = event.data;
        run(
          `INSERT INTO sessions (session_id, title, story_dir, story_title, parent_session, fork_turn, head_turn,
             created_at, updated_at, fork_seq)
           SELECT ?, ?, story_dir, story_title, session_id, ?, ?, ?, ?, ? FROM sessions WHERE session_id = ?`,
          ...[sessionId, title ?? "", turnId, turnId, ts, ts, event.seq ?? 0, parent],
        );
        return;
      }
      case "session:title":
        run("UPDATE sessions SET title = ? WHERE session_id = ?", event.data.title, sessionId);
        return;
      case "session:head":
        moveHead(sessionId, event.data.turnId ?? null, ts);
        return;
      case "session:end":
        run("UPDATE sessions SET ended = 1 WHERE session_id = ?", sessionId);
        return;
      case "turn:start": {
        const { turnId, parentTurnId = null, number } = event.data;
        run(
          `INSERT INTO turns (turn_id, session_id, parent_turn, number, status, start_seq, started_at)
           VALUES (?, ?, ?, ?, 'running', ?, ?)`,
          ...[turnId, sessionId, parentTurnId, number ?? 0, event.seq ?? 0, ts],
        );
        moveHead(sessionId, turnId, ts);
        return;
      }
      case "turn:interrupt":
        run("UPDATE turns SET status = 'interrupted' WHERE turn_id = ?", event.turn_id ?? "");
        return;
      case "turn:resume":
        run("UPDATE turns SET status = 'running' WHERE turn_id = ?", event.turn_id ?? "");
        return;
      case "turn:end": {
        const { status, data, turn_id } = event;
        run("UPDATE turns SET status = ?, ending = ? WHERE turn_id = ?", status, data.ending ?? null, turn_id ?? "");
        run("UPDATE sessions SET updated_at = ? WHERE session_id = ?", ts, sessionId);
        return;
      }
      case "tool:event": {
        const sha256 = event.data.asset?.sha256;
        if (sha256 !== undefined) run("INSERT OR IGNORE INTO asset_uses VALUES (?, ?)", sessionId, sha256);
        return;
      }
      default:
        return;
    }
  }

  function moveHead(sessionId: string, turnId: string | null, ts: number): void {
    run("UPDATE sessions SET head_turn = ?, updated_at = ? WHERE session_id = ?", turnId, ts, sessionId);
  }

  function end(sessionId: string, lastSeq: number, chain: string): void {
    const found = run("UPDATE sessions SET last_seq = ?, chain = ? WHERE session_id = ?", lastSeq, chain, sessionId);
    if (found === 0) throw new Error(`nothing can be appended to session ${sessionId}: it was never begun`);
  }
  return { event: derive, end };
}
