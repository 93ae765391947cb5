/**
 * Reads what can be read of a file that SQLite itself finds damaged into a new one, row by row: a page that is spoilt
 * takes the rows on it and no others. `repair-log.ts` then looks at what the rows say.
 */
import { rmSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { createSchema } from "./sqlite-schema.ts";

/** The log, and of what is derived that which no event tells. */
const TABLES = ["events", "line_blocks", "sessions", "snapshots", "cuts", "unfinished"];

/** Throws when not even the list of tables can be read. */
export function salvageRows(from: DatabaseSync, to: string): void {
  // What a repair has left that was killed.
  for (const ending of ["", "-journal"]) rmSync(to + ending, { force: true });
  const target = new DatabaseSync(to);
  try {
    createSchema(target);
    target.exec("BEGIN");
    for (const table of TABLES) copyTable(from, target, table);
    target.exec("COMMIT");
  } finally {
    target.close();
  }
}

function copyTable(from: DatabaseSync, target: DatabaseSync, table: string): void {
  const columns = (target.prepare(`PRAGMA table_info(${table})`).all() as { name: string }[]).map(({ name }) => name);
  const insert = target.prepare(
    `INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
  );
  // Not by an index: that may be damaged where the rows are not.
  const next = from.prepare(`SELECT rowid, * FROM ${table} NOT INDEXED WHERE rowid >= ? ORDER BY rowid LIMIT 1`);
  // By their places: a name may be damaged where the cells are not.
  next.setReturnArrays(true);
  const last = lastRow(from, table);
  for (let at = 1; at <= last;) {
    try {
      const row = next.get(at) as object as SQLInputValue[] | undefined;
      if (row === undefined) return;
      const [found, ...cells] = row;
      at = Number(found);
      insert.run(...cells);
      at++;
    } catch {
      // This row cannot be read, or is no such row: perhaps the one after it.
      at++;
    }
  }
}

/** Where the last row cannot be found, more are tried than there can be on the pages of the file. */
function lastRow(from: DatabaseSync, table: string): number {
  try {
    const found = from.prepare(`SELECT max(rowid) AS last FROM ${table} NOT INDEXED`).get() as { last: number | null };
    return found.last ?? 0;
  } catch {
    return (from.prepare("PRAGMA page_count").get() as { page_count: number }).page_count * MOST_ROWS_ON_A_PAGE;
  }
}

const MOST_ROWS_ON_A_PAGE = 64;
