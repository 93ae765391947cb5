/**
 * Deletes a session, and of the sessions around it what nobody needs any more: hidden at once, then erased a slice at a
 * time, so that others have their turn in between. What a fork begins with stays in its parent, hidden, and nothing else
 * of the parent does (`trim-session.ts`).
 *
 * Invariants:
 * 1. From `begin` on nobody sees the session; until `finish` is through, `unfinished` says that something is left to do.
 * 2. After every slice the log is whole for those that are left: rows go from the end, or leave a cut (`cuts.ts`).
 */
import type { DatabaseSync } from "node:sqlite";
import type { Sweep, UnfinishedRemoval } from "../runtime/seams/store.ts";
import type { EndsFile, End } from "./ends-file.ts";
import { prepareNumbered } from "./prepare-numbered.ts";
import { createSessionTrimmer, type Child } from "./trim-session.ts";

export interface Eraser {
  /** Within a transaction: hides a session that is half there. */
  mark(sessionId: string, isPurge: boolean): void;
  /** Within a transaction: it is whole. */
  unmark(sessionId: string): void;
  begin(sessionId: string, isPurge: boolean): void;
  unfinished(): UnfinishedRemoval[];
  /** Yields between two slices. In the end it gives the hidden parent of which less is needed now, and which was begun. */
  finish(sessionId: string, sweep: Sweep): Generator<undefined, string | null, undefined>;
}

/** How a piece of work is committed: with what must outlast the loss of power, or later with something else that must. */
export interface Commits {
  transaction(work: () => void): void;
  durably(work: () => void): void;
}

const ROWS = 200;
const BLOCKS = 20;
const TURNS = 50;
const ASSETS = 50;
/** A few rows may be as large as many. */
const MOST_BYTES = 1024 * 1024;

export function createEraser(db: DatabaseSync, ends: EndsFile, { transaction, durably }: Commits): Eraser {
  const trim = createSessionTrimmer(db, transaction);

  function begin(sessionId: string, isPurge: boolean): void {
    forgetEnd(sessionId, childrenOf(sessionId).length === 0, () => mark(sessionId, isPurge));
  }

  /** Before it happens: who dies in between has a session without a note, not a note without its session. */
  function forgetEnd(sessionId: string, isToGo: boolean, work: () => void): void {
    const before = isToGo ? endOf(sessionId) : new Map<string, End>();
    ends.forget(before.keys());
    try {
      durably(() => transaction(work));
    } catch (error) {
      ends.note(before);
      throw error;
    }
  }

  function mark(sessionId: string, isPurge: boolean): void {
    db.prepare("UPDATE sessions SET removed = 1 WHERE session_id = ?").run(sessionId);
    db.prepare(
      `INSERT INTO unfinished VALUES (?, ?) ON CONFLICT (session_id) DO UPDATE SET is_purge = max(is_purge, excluded.is_purge)`,
    ).run(sessionId, isPurge ? 1 : 0);
  }

  function* finish(sessionId: string, sweep: Sweep): Generator<undefined, string | null, undefined> {
    const children = childrenOf(sessionId);
    if (children.length > 0) {
      const { turns, assets, settle } = yield* trim(sessionId, children);
      yield* dropTurns(sessionId, turns);
      yield* dropAssets(sessionId, sweep, assets);
      durably(() => transaction(() => (settle(), forgetMark(sessionId))));
      ends.note(endOf(sessionId));
      emptyLog();
      return null;
    }
    yield* dropTurns(sessionId, turnsOf(sessionId));
    for (let isMore = true; isMore;) {
      transaction(() => void (isMore = dropLastRows(sessionId)));
      yield;
    }
    yield* dropAssets(sessionId, sweep, assetsOf(sessionId));
    const parent = hiddenParentOf(sessionId);
    const isParentToGo = parent !== null && childrenOf(parent).every((child) => child.session_id === sessionId);
    forgetEnd(parent ?? "", isParentToGo, () => {
      for (const table of ["cuts", "sessions"]) db.prepare(`DELETE FROM ${table} WHERE session_id = ?`).run(sessionId);
      forgetMark(sessionId);
      if (parent !== null) mark(parent, false);
    });
    emptyLog();
    return parent;
  }

  function unmark(sessionId: string): void {
    db.prepare("UPDATE sessions SET removed = 0 WHERE session_id = ?").run(sessionId);
    forgetMark(sessionId);
  }

  function forgetMark(sessionId: string): void {
    db.prepare("DELETE FROM unfinished WHERE session_id = ?").run(sessionId);
  }

  function* dropTurns(sessionId: string, turnIds: readonly string[]): Generator<undefined, void, undefined> {
    const dropSnapshot = db.prepare("DELETE FROM snapshots WHERE turn_id = ?");
    const dropTurn = db.prepare("DELETE FROM turns WHERE turn_id = ? AND session_id = ?");
    for (const some of batches(turnIds, TURNS)) {
      transaction(() => {
        for (const turnId of some) {
          dropSnapshot.run(turnId);
          dropTurn.run(turnId, sessionId);
        }
      });
      yield;
    }
  }

  /** From the end: what is left fits its checksums all the time. */
  function dropLastRows(sessionId: string): boolean {
    const from = Math.max(
      fromRow("SELECT seq, octet_length(json) AS bytes FROM events WHERE session_id = ? ORDER BY seq DESC", ROWS),
      fromRow(
        "SELECT first_seq AS seq, octet_length(lines) AS bytes FROM line_blocks WHERE session_id = ? ORDER BY first_seq DESC",
        BLOCKS,
      ),
    );
    if (from < 0) return false;
    db.prepare("DELETE FROM events WHERE session_id = ? AND seq >= ?").run(sessionId, from);
    db.prepare("DELETE FROM line_blocks WHERE session_id = ? AND first_seq >= ?").run(sessionId, from);
    return true;

    /** The first of so many rows at the end, or of as many as are not too large; -1 when there are none. */
    function fromRow(sql: string, most: number): number {
      let seq = -1;
      let bytes = 0;
      for (const found of db.prepare(`${sql} LIMIT ${most}`).iterate(sessionId)) {
        const row = found as { seq: number; bytes: number };
        if (seq >= 0 && bytes + row.bytes > MOST_BYTES) break;
        seq = row.seq;
        bytes += row.bytes;
      }
      return seq;
    }
  }

  /** File and mention go in one step: what nobody refers to now, somebody may refer to a moment later. */
  function* dropAssets(
    sessionId: string,
    sweep: Sweep,
    hashes: readonly string[],
  ): Generator<undefined, void, undefined> {
    const selectUsed = prepareNumbered(
      db,
      "SELECT DISTINCT sha256 FROM asset_uses WHERE session_id <> ?1 AND sha256 IN (SELECT value FROM json_each(?2))",
    );
    const drop = db.prepare("DELETE FROM asset_uses WHERE session_id = ? AND sha256 = ?");
    for (const some of batches(hashes, ASSETS)) {
      const used = selectUsed.all(sessionId, JSON.stringify(some)) as { sha256: string }[];
      sweep(some.filter((sha256) => !used.some((each) => each.sha256 === sha256)));
      transaction(() => {
        for (const sha256 of some) drop.run(sessionId, sha256);
      });
      yield;
    }
  }

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

  function childrenOf(sessionId: string): Child[] {
    const children = db.prepare("SELECT session_id, fork_turn, fork_seq FROM sessions WHERE parent_session = ?");
    return children.all(sessionId) as object[] as Child[];
  }

  /** What was hidden before may be needed by nobody now. */
  function hiddenParentOf(sessionId: string): string | null {
    const found = db
      .prepare(
        `SELECT session_id AS id FROM sessions WHERE removed = 1 AND session_id =
           (SELECT parent_session FROM sessions WHERE session_id = ?)`,
      )
      .get(sessionId);
    return (found as { id: string } | undefined)?.id ?? null;
  }

  function endOf(sessionId: string): Map<string, End> {
    const found = db.prepare("SELECT last_seq AS lastSeq, chain FROM sessions WHERE session_id = ?").get(sessionId);
    return new Map(found === undefined ? [] : [[sessionId, found as object as End]]);
  }

  function turnsOf(sessionId: string): string[] {
    const rows = db.prepare("SELECT turn_id FROM turns WHERE session_id = ?").all(sessionId) as { turn_id: string }[];
    return rows.map((row) => row.turn_id);
  }

  function assetsOf(sessionId: string): string[] {
    const rows = db.prepare("SELECT sha256 FROM asset_uses WHERE session_id = ?").all(sessionId);
    return (rows as { sha256: string }[]).map(({ sha256 }) => sha256);
  }

  function unfinished(): UnfinishedRemoval[] {
    const rows = db.prepare("SELECT session_id, is_purge FROM unfinished").all() as object[];
    return (rows as { session_id: string; is_purge: number }[]).map((row) => ({
      sessionId: row.session_id,
      isPurge: row.is_purge === 1,
    }));
  }
  return { mark, unmark, begin, unfinished, finish };
}

function* batches<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}
