/**
 * Leaves of a deleted session what its forks begin with (`runtime/turns/ancestry.ts`): the turns on the way to them, and
 * what is handed down. Rows are looked at from the first to the last, a page at a time; those that go leave cuts, so that
 * forks can be played meanwhile. `replaceTurns` makes of whole turns the few events that are left after a purge.
 */
import { DatabaseSync } from "node:sqlite";
import type { TurnReplacement } from "../runtime/seams/store.ts";
import { HANDED_DOWN } from "../runtime/turns/ancestry.ts";
import type { NarratoriaEvent } from "../story/event.ts";
import { chainEvent } from "./chain.ts";
import { createCuts } from "./cuts.ts";
import { createRowDeriver } from "./derive-rows.ts";
import { prepareNumbered } from "./prepare-numbered.ts";
import { createSchema } from "./sqlite-schema.ts";
import { parseEvent } from "./stored-event.ts";
import { createChainLookup } from "./verify-rows.ts";

export interface Child {
  session_id: string;
  fork_turn: string | null;
  fork_seq: number | null;
}

/** What is left to take out once the log is trimmed. */
export interface Trimmed {
  turns: readonly string[];
  assets: readonly string[];
  /** Makes the session's row say what the log says now. Within a transaction. */
  settle(): void;
}

interface Row {
  seq: number;
  chain: string;
  turn_id: string | null;
  /** Null: a block of log lines. */
  name: string | null;
  /** Of events from which something is derived. */
  json: string | null;
}

const PAGE = 200;

const PAGE_OF_ROWS = `
  SELECT seq, chain, turn_id, name,
    CASE WHEN name <> 'tool:event' OR instr(json, '"sha256"') > 0 THEN json END AS json
    FROM events WHERE session_id = ?1 AND seq > ?2
  UNION ALL
  SELECT first_seq, chain, turn_id, NULL, NULL FROM line_blocks WHERE session_id = ?1 AND first_seq > ?2
  ORDER BY seq LIMIT ${PAGE}`;

const STAYING: readonly string[] = [...HANDED_DOWN, "session:fork"];

export function createSessionTrimmer(
  db: DatabaseSync,
  transaction: (work: () => void) => void,
): (sessionId: string, children: readonly Child[]) => Generator<undefined, Trimmed, undefined> {
  return function* trim(sessionId, children) {
    const rowsAfter = prepareNumbered(db, PAGE_OF_ROWS);
    const cuts = createCuts(db);
    const drop = createDropper(db, sessionId);
    const kept = new Set(children.flatMap(({ fork_turn: turn }) => wayTo(db, turn)));
    const below = Math.max(...children.map(({ fork_seq: seq }) => seq ?? 0));
    const stays = ({ seq, turn_id: turnId, name }: Row): boolean =>
      seq < below && (turnId === null ? STAYING.includes(name ?? "") : kept.has(turnId));
    const derived = deriveAnew(db, sessionId);
    try {
      let lastKept = 0;
      for (let at = 0; ;) {
        const page = rowsAfter.all(sessionId, at) as object[] as Row[];
        if (page.length === 0) break;
        transaction(() => {
          for (const row of page) {
            if (!stays(row)) {
              cuts.cut(sessionId, row, lastKept);
              drop(row);
            } else {
              lastKept = row.seq;
              if (row.json !== null) derived.event(parseEvent(row.json));
            }
          }
        });
        at = page.at(-1)?.seq ?? at;
        yield;
      }
      return derived.compared();
    } finally {
      derived.close();
    }
  };
}

function createDropper(db: DatabaseSync, sessionId: string): (row: Row) => void {
  const dropEvent = db.prepare("DELETE FROM events WHERE session_id = ? AND seq = ?");
  const dropBlock = db.prepare("DELETE FROM line_blocks WHERE session_id = ? AND first_seq = ?");
  return ({ name, seq }) => void (name === null ? dropBlock : dropEvent).run(sessionId, seq);
}

function wayTo(db: DatabaseSync, turnId: string | null): string[] {
  const way: string[] = [];
  const parent = db.prepare("SELECT parent_turn FROM turns WHERE turn_id = ?");
  for (let at = turnId; at !== null;) {
    way.push(at);
    at = (parent.get(at) as { parent_turn: string | null } | undefined)?.parent_turn ?? null;
  }
  return way;
}

interface DerivedAnew {
  event(event: NarratoriaEvent): void;
  compared(): Trimmed;
  close(): void;
}

/** The derived rows of one session, made beside those that are there. */
function deriveAnew(db: DatabaseSync, sessionId: string): DerivedAnew {
  const again = new DatabaseSync(":memory:");
  createSchema(again);
  // A fork's row is made from its parent's.
  again.exec(
    "INSERT INTO sessions (session_id, title, story_dir, story_title, created_at, updated_at) VALUES ('', '', '', '', 0, 0)",
  );
  const parent = db
    .prepare(
      "SELECT session_id FROM sessions WHERE session_id = (SELECT parent_session FROM sessions WHERE session_id = ?)",
    )
    .get(sessionId) as { session_id: string } | undefined;
  if (parent !== undefined) again.prepare("UPDATE sessions SET session_id = ?").run(parent.session_id);
  const derive = createRowDeriver(again);
  return {
    event: derive.event,
    close: () => again.close(),
    compared() {
      const only = (table: string, column: string): string[] => {
        const sql = `SELECT ${column} AS id FROM ${table} WHERE session_id = ?`;
        const [here, there] = [db, again].map((each) =>
          (each.prepare(sql).all(sessionId) as { id: string }[]).map(({ id }) => id),
        );
        const stay = new Set(there);
        return (here ?? []).filter((id) => !stay.has(id));
      };
      const cells = again
        .prepare("SELECT title, head_turn, updated_at, ended, session_id FROM sessions WHERE session_id = ?")
        .get(sessionId) as Record<string, string | number | null> | undefined;
      if (cells === undefined) throw new Error(`nothing is left of session ${sessionId}, though it has forks`);
      return {
        turns: only("turns", "turn_id"),
        assets: only("asset_uses", "sha256"),
        settle: () =>
          void db
            .prepare("UPDATE sessions SET title = ?, head_turn = ?, updated_at = ?, ended = ? WHERE session_id = ?")
            .run(...Object.values(cells)),
      };
    },
  };
}

/**
 * Puts a few events in the place of whole turns, each group with numbers that its turn had, or the turns that led to it.
 * Within a transaction. What is left of those turns goes when the session is trimmed.
 */
export function replaceTurns(
  db: DatabaseSync,
  sessionId: string,
  firsts: readonly NarratoriaEvent[],
  replacements: readonly TurnReplacement[],
): void {
  const cuts = createCuts(db);
  const chainBelow = createChainLookup(db);
  const list = "SELECT value FROM json_each(?2)";
  const rowsOf = prepareNumbered(
    db,
    `SELECT seq, chain, turn_id, name, NULL AS json FROM events WHERE session_id = ?1 AND turn_id IN (${list})
     UNION ALL
     SELECT first_seq, chain, turn_id, NULL, NULL FROM line_blocks WHERE session_id = ?1 AND turn_id IN (${list})
     ORDER BY seq`,
  );
  const selectRow = db.prepare("SELECT seq, chain FROM events WHERE session_id = ? AND seq = ?");
  const update = db.prepare(
    "UPDATE events SET event_id = ?, turn_id = ?, name = ?, json = ?, chain = ? WHERE session_id = ? AND seq = ?",
  );
  for (const event of firsts) {
    const seq = event.seq ?? 0;
    cuts.cut(sessionId, selectRow.get(sessionId, seq) as object as Row, seq);
    writeAnew(event);
  }
  for (const { turnId, way, parentTurnId, events } of replacements) {
    const rows = rowsOf.all(sessionId, JSON.stringify([...way, turnId])) as object[] as Row[];
    const places = rows.filter(({ name }) => name !== null).slice(-events.length);
    if (places.length < events.length) throw new Error(`turn ${turnId} has no room for what is left of it`);
    const isTaken = new Set(places.map(({ seq }) => seq));
    const going = rows.filter((row) => row.turn_id === turnId || isTaken.has(row.seq));
    for (const [index, row] of going.entries()) {
      // Those that follow each other need one cut.
      if (going[index + 1]?.seq !== row.seq + 1) cuts.cut(sessionId, row, row.seq);
    }
    const drop = createDropper(db, sessionId);
    for (const row of going) if (!isTaken.has(row.seq)) drop(row);
    // In their places: a row that comes later in the file would count as having happened later.
    for (const [index, event] of events.entries()) writeAnew({ ...event, seq: places[index]?.seq ?? 0 });
    const end = events.at(-1);
    db.prepare("UPDATE turns SET parent_turn = ?, start_seq = ?, status = ?, ending = NULL WHERE turn_id = ?").run(
      ...[parentTurnId, places[0]?.seq ?? 0, end?.status ?? "completed", turnId],
    );
  }

  function writeAnew(event: NarratoriaEvent): void {
    const seq = event.seq ?? 0;
    const json = JSON.stringify(event);
    const chain = chainEvent(chainBelow(sessionId, seq), seq, json);
    update.run(event.id, event.turn_id ?? null, event.event, json, chain, sessionId, seq);
  }
}
