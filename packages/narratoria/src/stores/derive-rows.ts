/** What the derived tables make of what is appended: run in the same transaction. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
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

  function end(sessionId: string, lastSeq: number, chain: string): void {
    const found = run("UPDATE sessions SET last_seq = ?, chain = ? WHERE session_id = ?", lastSeq, chain, sessionId);
    if (found === 0) throw new Error(`nothing can be appended to session ${sessionId}: it was never begun`);
  }

  function derive(event: NarratoriaEvent): void {
    const data = event.data ?? {};
    const sessionId = event.session_id ?? "";
    switch (event.event) {
      case "session:start":
        run(
          "INSERT INTO sessions (session_id, title, story_dir, story_title, created_at, updated_at) VALUES (?,?,?,?,?,?)",
          sessionId,
          text(data["title"]) ?? "",
          text(part(data, "story")["dir"]) ?? "",
          text(part(data, "story")["title"]) ?? "",
          event.ts,
          event.ts,
        );
        return;
      case "session:fork":
        run(
          `INSERT INTO sessions (session_id, title, story_dir, story_title, parent_session, fork_turn, head_turn,
             created_at, updated_at, fork_seq)
           SELECT ?, ?, story_dir, story_title, session_id, ?, ?, ?, ?, ? FROM sessions WHERE session_id = ?`,
          sessionId,
          text(data["title"]) ?? "",
          text(data["turnId"]),
          text(data["turnId"]),
          event.ts,
          event.ts,
          event.seq ?? 0,
          text(data["parent"]),
        );
        return;
      case "session:title":
        run("UPDATE sessions SET title = ? WHERE session_id = ?", text(data["title"]), sessionId);
        return;
      case "session:head":
        run(
          "UPDATE sessions SET head_turn = ?, updated_at = ? WHERE session_id = ?",
          text(data["turnId"]),
          event.ts,
          sessionId,
        );
        return;
      case "session:end":
        run("UPDATE sessions SET ended = 1 WHERE session_id = ?", sessionId);
        return;
      case "turn:start": {
        const turnId = text(data["turnId"]);
        run(
          `INSERT INTO turns (turn_id, session_id, parent_turn, number, status, start_seq, started_at)
           VALUES (?, ?, ?, ?, 'running', ?, ?)`,
          turnId,
          sessionId,
          text(data["parentTurnId"]),
          Number(data["number"] ?? 0),
          event.seq ?? 0,
          event.ts,
        );
        run("UPDATE sessions SET head_turn = ?, updated_at = ? WHERE session_id = ?", turnId, event.ts, sessionId);
        return;
      }
      case "turn:interrupt":
        run("UPDATE turns SET status = 'interrupted' WHERE turn_id = ?", event.turn_id ?? "");
        return;
      case "turn:resume":
        run("UPDATE turns SET status = 'running' WHERE turn_id = ?", event.turn_id ?? "");
        return;
      case "turn:end":
        run(
          "UPDATE turns SET status = ?, ending = ? WHERE turn_id = ?",
          event.status ?? "completed",
          text(data["ending"]),
          event.turn_id ?? "",
        );
        run("UPDATE sessions SET updated_at = ? WHERE session_id = ?", event.ts, sessionId);
        return;
      case "tool:event": {
        const sha256 = text(part(data, "asset")["sha256"]);
        if (sha256 !== null) run("INSERT OR IGNORE INTO asset_uses VALUES (?, ?)", sessionId, sha256);
        return;
      }
      default:
        return;
    }
  }
  return { event: derive, end };
}

function part(data: JsonObject, key: string): JsonObject {
  const value = data[key];
  return isJsonObject(value) ? value : {};
}

function text(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}
