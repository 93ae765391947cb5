/**
 * Deletes a session, and of the sessions around it what nobody needs any more. What a fork begins with stays in its
 * parent, hidden, and nothing else of the parent does; `rebuild-session.ts` makes the rest whole again.
 */
import type { DatabaseSync } from "node:sqlite";
import type { Removal } from "../runtime/seams/store.ts";
import { HANDED_DOWN } from "../runtime/turns/ancestry.ts";
import type { EndsFile, End } from "./ends-file.ts";
import { rebuildSession } from "./rebuild-session.ts";
import { prepareNumbered } from "./prepare-numbered.ts";

export function createEraser(
  db: DatabaseSync,
  ends: EndsFile,
  transaction: (work: () => void) => void,
): (sessionId: string, isPurge: boolean) => Removal {
  return (sessionId, isPurge) => {
    const forks = descendantsOf(sessionId);
    const gone = isPurge ? [sessionId, ...forks] : [sessionId];
    const touched = withHiddenAncestors(gone);
    const assetsBefore = assetsOf(touched);
    const rebuilt = new Map<string, End>();
    // Before it happens: who dies in between has a session without a note, not a note without its session.
    const endsBefore = endsOf(touched);
    ends.forget(touched);
    try {
      transaction(() => {
        for (const each of gone) hide(each);
        // Forks first: a parent is needed by those that are left.
        for (const each of touched) {
          const children = childrenOf(each);
          if (children.length === 0) erase(each);
          else rebuilt.set(each, trim(each, children));
        }
      });
    } catch (error) {
      ends.note(endsBefore);
      throw error;
    }
    ends.note(rebuilt);
    emptyLog();
    const isStillUsed = db.prepare("SELECT 1 FROM asset_uses WHERE sha256 = ?");
    const assets = assetsBefore.filter((sha256) => isStillUsed.get(sha256) === undefined);
    const neededBy = isPurge ? [] : forks.filter((each) => !isHidden(each));
    return { sessions: gone, assets, keptTurns: rebuilt.has(sessionId) ? turnsOf(sessionId).length : 0, neededBy };
  };

  /** What was deleted would lie in the write-ahead log until it is written over. Nobody waits for another process that reads. */
  function emptyLog(): void {
    const { timeout } = db.prepare("PRAGMA busy_timeout").get() as { timeout: number };
    try {
      db.exec("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // It is deleted all the same, and written over a little later.
    } finally {
      db.exec(`PRAGMA busy_timeout = ${timeout}`);
    }
  }

  /** Those forked from it, and those forked from them; the youngest first. */
  function descendantsOf(sessionId: string): string[] {
    const children = childrenOf(sessionId).map((child) => child.session_id);
    return [...children.flatMap(descendantsOf), ...children];
  }

  /** From the youngest to the oldest: what was hidden before may be needed by nobody now. */
  function withHiddenAncestors(gone: readonly string[]): string[] {
    const byAge = gone.length > 1 ? [...gone.slice(1), ...gone.slice(0, 1)] : [...gone];
    for (let at = parentOf(gone[0] ?? ""); at !== null && isHidden(at); at = parentOf(at)) byAge.push(at);
    return byAge;
  }

  function childrenOf(sessionId: string): Child[] {
    const children = db.prepare("SELECT session_id, fork_turn, fork_seq FROM sessions WHERE parent_session = ?");
    return children.all(sessionId) as object[] as Child[];
  }

  function parentOf(sessionId: string): string | null {
    const found = db.prepare("SELECT parent_session AS id FROM sessions WHERE session_id = ?").get(sessionId);
    return (found as { id: string | null } | undefined)?.id ?? null;
  }

  function isHidden(sessionId: string): boolean {
    return db.prepare("SELECT 1 FROM sessions WHERE session_id = ? AND removed = 1").get(sessionId) !== undefined;
  }

  function endsOf(sessionIds: readonly string[]): Map<string, End> {
    const select = db.prepare("SELECT last_seq AS lastSeq, chain FROM sessions WHERE session_id = ?");
    return new Map(sessionIds.map((sessionId) => [sessionId, select.get(sessionId) as object as End]));
  }

  function hide(sessionId: string): void {
    db.prepare("UPDATE sessions SET removed = 1 WHERE session_id = ?").run(sessionId);
  }

  function turnsOf(sessionId: string): string[] {
    const rows = db.prepare("SELECT turn_id FROM turns WHERE session_id = ?").all(sessionId) as { turn_id: string }[];
    return rows.map((row) => row.turn_id);
  }

  function assetsOf(sessionIds: readonly string[]): string[] {
    const select = db.prepare("SELECT sha256 FROM asset_uses WHERE session_id = ?");
    const rows = sessionIds.flatMap((sessionId) => select.all(sessionId) as { sha256: string }[]);
    return [...new Set(rows.map(({ sha256 }) => sha256))];
  }

  function erase(sessionId: string): void {
    const own = "(SELECT turn_id FROM turns WHERE session_id = ?)";
    db.prepare(`DELETE FROM snapshots WHERE turn_id IN ${own}`).run(sessionId);
    for (const table of ["events", "line_blocks", "turns", "asset_uses", "sessions"]) {
      db.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(sessionId);
    }
  }

  /** Leaves what a fork has of its parent (`ancestry.ts`): the turns on the way to it, and what is handed down. */
  function trim(sessionId: string, children: readonly Child[]): End {
    const kept = JSON.stringify([...new Set(children.flatMap(({ fork_turn: turn }) => wayTo(turn)))]);
    const below = Math.max(...children.map(({ fork_seq: seq }) => seq ?? 0));
    const { last_seq: lastSeq } = db.prepare("SELECT last_seq FROM sessions WHERE session_id = ?").get(sessionId) as {
      last_seq: number;
    };
    const handedDown = JSON.stringify([...HANDED_DOWN, "session:fork"]);
    const isKeptTurn = "turn_id IN (SELECT value FROM json_each(?2))";
    prepareNumbered(
      db,
      `DELETE FROM snapshots WHERE turn_id IN
         (SELECT turn_id FROM turns WHERE session_id = ?1 AND NOT (${isKeptTurn}))`,
    ).run(sessionId, kept);
    prepareNumbered(
      db,
      `DELETE FROM events WHERE session_id = ?1 AND (seq >= ?3 OR CASE WHEN turn_id IS NULL
         THEN name NOT IN (SELECT value FROM json_each(?4)) ELSE NOT (${isKeptTurn}) END)`,
    ).run(sessionId, kept, below, handedDown);
    prepareNumbered(
      db,
      `DELETE FROM line_blocks WHERE session_id = ?1 AND (first_seq >= ?3 OR turn_id IS NULL OR NOT (${isKeptTurn}))`,
    ).run(sessionId, kept, below);
    return rebuildSession(db, sessionId, lastSeq);
  }

  function wayTo(turnId: string | null): string[] {
    const way: string[] = [];
    const parent = db.prepare("SELECT parent_turn FROM turns WHERE turn_id = ?");
    for (let at = turnId; at !== null;) {
      way.push(at);
      at = (parent.get(at) as { parent_turn: string | null } | undefined)?.parent_turn ?? null;
    }
    return way;
  }
}

interface Child {
  session_id: string;
  fork_turn: string | null;
  fork_seq: number | null;
}
