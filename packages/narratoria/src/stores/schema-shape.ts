/**
 * Whether the tables of a file are those that `sqlite-schema.ts` makes. What SQLite keeps of them is text: a letter of it
 * may change, and the file pass every check of SQLite's, with a column or an index gone.
 */
import { DatabaseSync } from "node:sqlite";
import { createSchema } from "./sqlite-schema.ts";

export function hasOurShape(db: DatabaseSync): boolean {
  const made = new DatabaseSync(":memory:");
  try {
    createSchema(made);
    return shapeOf(db) === shapeOf(made);
  } finally {
    made.close();
  }
}

/** Columns and indexes, not their text: a migration may have written that differently. */
function shapeOf(db: DatabaseSync): string {
  const indexed = "pragma_index_list(tables.name) AS list, pragma_index_xinfo(list.name) AS part";
  const columns = `SELECT tables.name, cid, part.name, type, "notnull", pk FROM ${TABLES}, pragma_table_xinfo(tables.name) AS part`;
  const indexes = `SELECT tables.name, list.name, "unique", partial, seqno, part.name, "desc", coll FROM ${TABLES}, ${indexed}`;
  return JSON.stringify([columns, indexes].map((sql) => asLists(db, `${sql} ORDER BY 1, 2, 3, 4, 5`)));
}

const TABLES = "(SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%') AS tables";

function asLists(db: DatabaseSync, sql: string): unknown[] {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement.all();
}
