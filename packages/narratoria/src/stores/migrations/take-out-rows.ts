/** Version 2 to 3: rows can be taken out of a log without making its chain anew, and half of a session is known as that. */
import type { DatabaseSync } from "node:sqlite";

export function takeOutRows(db: DatabaseSync): void {
  db.exec(`
    CREATE TABLE cuts (
      session_id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      chain TEXT NOT NULL,
      PRIMARY KEY (session_id, seq)
    ) STRICT;
    CREATE TABLE unfinished (
      session_id TEXT PRIMARY KEY,
      is_purge INTEGER NOT NULL DEFAULT 0
    ) STRICT;
  `);
}
