/**
 * Takes out of a log what is not what was written, and all that was built on it: a state that lacks one patch would be
 * wrong without anybody noticing. What is left is whole turns on whole ground, and everything derived is made again.
 */
import type { DatabaseSync } from "node:sqlite";
import type { EventOf } from "../story/event.ts";
import { startOfChain } from "./chain.ts";
import { hiddenForNobody } from "./derived-damage.ts";
import { createChainCheck, follows, isFiledRight, ROWS_AFTER, type LogRow } from "./find-damage.ts";
import { rebuildSession } from "./rebuild-session.ts";
import { parseEvent } from "./stored-event.ts";
import { prepareNumbered } from "./prepare-numbered.ts";

export interface RepairedSession {
  sessionId: string;
  title: string;
  turnsKept: number;
  turnsLost: number;
  /** Blocks of log lines that are gone from turns which are kept. */
  logsLost: number;
}

/** Within a transaction. Tells of the sessions that lost something. */
export function repairLog(db: DatabaseSync, lastNumbers: ReadonlyMap<string, number>): RepairedSession[] {
  eraseHalves(db);
  const titles = titlesIn(db);
  const scans = sessionsIn(db).map((sessionId) => scan(db, sessionId));
  const hurt = spread(scans);
  const repaired: RepairedSession[] = [];
  const kept: string[] = [];
  for (const session of inOrder(scans)) {
    const { sessionId, turns, badRows, badBlocks } = session;
    const all = new Set([...turns.keys(), ...session.strays, ...session.hurt]);
    const lost = [...all].filter((turnId) => hurt.turns.has(turnId));
    const isLost = hurt.sessions.has(sessionId);
    if (isLost || lost.length + badRows.length + badBlocks.length > 0) {
      const turnsKept = isLost ? 0 : all.size - lost.length;
      const title = titles.get(sessionId) ?? "";
      repaired.push({ sessionId, title, turnsKept, turnsLost: all.size - turnsKept, logsLost: badBlocks.length });
    }
    takeOut(db, session, isLost ? null : lost);
    if (!isLost) kept.push(sessionId);
  }
  // All of them first: a row may be filed under another session than its own.
  db.exec("DELETE FROM turns; DELETE FROM asset_uses");
  for (const sessionId of kept) rebuildSession(db, sessionId, lastNumbers.get(sessionId) ?? 0);
  db.exec("DELETE FROM snapshots WHERE turn_id NOT IN (SELECT turn_id FROM turns)");
  for (const table of ["cuts", "unfinished"])
    db.exec(`DELETE FROM ${table} WHERE session_id NOT IN (SELECT session_id FROM sessions)`);
  // Whoever deletes a story leaves nothing that nobody needs: this one was never deleted.
  const show = db.prepare("UPDATE sessions SET removed = 0 WHERE session_id = ?");
  for (const sessionId of hiddenForNobody(db)) show.run(sessionId);
  return repaired;
}

/** Of what was being deleted or taken in, nothing is to be kept, unless forks begin with it. */
function eraseHalves(db: DatabaseSync): void {
  const halves = `(SELECT session_id FROM unfinished WHERE session_id NOT IN
    (SELECT parent_session FROM sessions WHERE parent_session IS NOT NULL))`;
  for (const table of ["events", "line_blocks", "sessions"])
    db.exec(`DELETE FROM ${table} WHERE session_id IN ${halves}`);
}

interface Scan {
  sessionId: string;
  parent: string | null;
  forkTurn: string | null;
  /** It begins as a session does. */
  isBegun: boolean;
  /** Each with the one before it. */
  turns: Map<string, string | null>;
  /** Turns of which something is left, but not how they began. */
  strays: Set<string>;
  hurt: Set<string>;
  badRows: number[];
  badBlocks: number[];
}

function scan(db: DatabaseSync, sessionId: string): Scan {
  const found: Scan = {
    ...{ sessionId, parent: null, forkTurn: null, isBegun: false },
    ...{ turns: new Map(), strays: new Set(), hurt: new Set(), badRows: [], badBlocks: [] },
  };
  const fits = createChainCheck(db);
  let chain = startOfChain(sessionId);
  let last: LogRow | null = null;
  let openTurn: string | null = null;
  for (const each of prepareNumbered(db, ROWS_AFTER).iterate(sessionId, 0, Number.MAX_SAFE_INTEGER)) {
    const row = each as object as LogRow;
    const isWhole = fits(sessionId, chain, row) && isFiledRight(row, sessionId);
    const isBlock = row.event_id === null;
    const isNext = follows(row, last);
    ({ chain } = row);
    last = row;
    if (!isWhole) {
      (isBlock ? found.badBlocks : found.badRows).push(row.seq);
      // A block that was changed is log lines and nothing else; what is missing before a row may be anything.
      if (!isBlock || !isNext) for (const turn of [openTurn, row.turn_id]) if (turn !== null) found.hurt.add(turn);
      continue;
    }
    if (isBlock) continue;
    const event = parseEvent(row.json);
    if (row.turn_id !== null && !found.turns.has(row.turn_id)) found.strays.add(row.turn_id);
    if (event.event === "session:start") found.isBegun = true;
    if (event.event === "session:fork") {
      found.isBegun = true;
      found.parent = event.data.parent;
      found.forkTurn = event.data.turnId ?? null;
    }
    if (event.event === "turn:start") {
      found.turns.set(event.data.turnId, event.data.parentTurnId ?? null);
      found.strays.delete(event.data.turnId);
    }
    openTurn = event.event === "turn:end" || event.event === "turn:interrupt" ? null : (row.turn_id ?? openTurn);
  }
  return found;
}

/** What stands on something that is hurt is hurt. */
function spread(scans: readonly Scan[]): { turns: Set<string>; sessions: Set<string> } {
  const known = new Set(scans.flatMap(({ turns }) => [...turns.keys()]));
  const turns = new Set(scans.flatMap(({ hurt, strays }) => [...hurt, ...strays]));
  const sessions = new Set(scans.filter(({ isBegun }) => !isBegun).map(({ sessionId }) => sessionId));
  const isHurt = (turnId: string | null): boolean => turnId !== null && (turns.has(turnId) || !known.has(turnId));
  for (let before = -1; before !== turns.size + sessions.size;) {
    before = turns.size + sessions.size;
    for (const scan of scans) {
      if (isHurt(scan.forkTurn) || (scan.parent !== null && sessions.has(scan.parent))) sessions.add(scan.sessionId);
      for (const [turnId, parent] of scan.turns) {
        if (sessions.has(scan.sessionId) || isHurt(parent)) turns.add(turnId);
      }
    }
  }
  return { turns, sessions };
}

/** Null: all of it. */
function takeOut(db: DatabaseSync, { sessionId, badRows, badBlocks }: Scan, turns: readonly string[] | null): void {
  const list = JSON.stringify(turns ?? []);
  const isTaken = turns === null ? "TRUE" : "turn_id IN (SELECT value FROM json_each(?2))";
  const values = turns === null ? [sessionId] : [sessionId, list];
  for (const table of turns === null ? ["events", "line_blocks", "sessions"] : ["events", "line_blocks"]) {
    prepareNumbered(db, `DELETE FROM ${table} WHERE session_id = ?1 AND ${isTaken}`).run(...values);
  }
  if (turns === null) return;
  const dropEvent = db.prepare("DELETE FROM events WHERE session_id = ? AND seq = ?");
  const dropBlock = db.prepare("DELETE FROM line_blocks WHERE session_id = ? AND first_seq = ?");
  for (const seq of [...badRows, ...pointersTo(db, sessionId, new Set(turns))]) dropEvent.run(sessionId, seq);
  for (const seq of badBlocks) dropBlock.run(sessionId, seq);
}

/** Heads and bookmarks at turns that are gone. */
function pointersTo(db: DatabaseSync, sessionId: string, turns: ReadonlySet<string>): number[] {
  const rows = db
    .prepare("SELECT seq, json FROM events WHERE session_id = ? AND name IN ('session:head', 'session:bookmark')")
    .all(sessionId) as { seq: number; json: string }[];
  return rows.flatMap(({ seq, json }) => {
    const { data } = parseEvent(json) as EventOf<"session:head" | "session:bookmark">;
    return turns.has(data.turnId ?? "") ? [seq] : [];
  });
}

function sessionsIn(db: DatabaseSync): string[] {
  const rows = db.prepare(
    "SELECT session_id FROM events UNION SELECT session_id FROM line_blocks UNION SELECT session_id FROM sessions",
  );
  return (rows.all() as { session_id: string }[]).map(({ session_id: sessionId }) => sessionId);
}

function titlesIn(db: DatabaseSync): Map<string, string> {
  const rows = db.prepare("SELECT session_id, title FROM sessions").all() as { session_id: string; title: string }[];
  return new Map(rows.map(({ session_id: sessionId, title }) => [sessionId, title]));
}

/** A parent before its forks: a fork's row is made from its parent's. */
function inOrder(scans: readonly Scan[]): Scan[] {
  const byId = new Map(scans.map((scan) => [scan.sessionId, scan]));
  const depthOf = ({ parent }: Scan): number => {
    const above = parent === null ? undefined : byId.get(parent);
    return above === undefined ? 0 : 1 + depthOf(above);
  };
  return scans.toSorted((a, b) => depthOf(a) - depthOf(b));
}
