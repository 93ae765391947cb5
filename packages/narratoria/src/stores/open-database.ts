/**
 * Opens the file of a store, or refuses it in words and leaves it as it was. A file of an older version is brought up to
 * date by `migrations/`; one that is only to be read is copied first.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { migrate, versionOf } from "./migrations/migrate.ts";
import { createSchema, SCHEMA_VERSION } from "./sqlite-schema.ts";

export class StoreError extends Error {}

export interface OpenDatabase {
  db: DatabaseSync;
  close(): void;
}

export function openDatabase(file: string, readOnly: boolean): OpenDatabase {
  let db: DatabaseSync | null = null;
  try {
    if (file !== ":memory:" && !readOnly) mkdirSync(dirname(file), { recursive: true });
    db = new DatabaseSync(file, { timeout: 5_000, readOnly });
    const version = versionOf(db);
    if (version > SCHEMA_VERSION) {
      throw new StoreError(`${file} was written by a newer Narratoria; update this one to open it`);
    }
    if (version === 0 && (readOnly || db.prepare("SELECT name FROM sqlite_schema LIMIT 1").get() !== undefined)) {
      throw new StoreError(`${file} is no library of Narratoria's. Nothing was changed.`);
    }
    checkWhileSmall(db, file);
    if (version < SCHEMA_VERSION && readOnly) return openCopy(db);
    // Only now: everything above leaves the file as it was.
    if (!readOnly) db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    if (version === 0) createSchema(db);
    else if (version < SCHEMA_VERSION) migrate(db);
    const opened = db;
    return { db, close: () => opened.close() };
  } catch (error) {
    if (db?.isOpen) db.close();
    if (error instanceof StoreError) throw error;
    throw new StoreError(
      `${file} cannot be opened: ${(error as Error).message}. Nothing was changed. Put a backup in its place, or move ` +
        "the file away to begin with an empty library.",
    );
  }
}

/** The old version may still be the host of this file, and a reader may not change it: it reads what is there now. */
function openCopy(old: DatabaseSync): OpenDatabase {
  const folder = mkdtempSync(join(tmpdir(), "narratoria-old-"));
  const forget = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    old.prepare("VACUUM INTO ?").run(join(folder, "copy.db"));
    old.close();
    const writable = new DatabaseSync(join(folder, "copy.db"));
    migrate(writable);
    writable.close();
    const db = new DatabaseSync(join(folder, "copy.db"), { readOnly: true });
    return { db, close: () => (db.close(), forget()) };
  } catch (error) {
    forget();
    throw error;
  }
}

const MOST_BYTES_TO_CHECK = 2 * 1024 * 1024;

/** Looking at every page of a large file would make opening slower with every story told. */
function checkWhileSmall(db: DatabaseSync, file: string): void {
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size > MOST_BYTES_TO_CHECK) return;
  const [check] = Object.values(db.prepare("PRAGMA quick_check(1)").get() ?? {});
  if (check !== "ok") throw new Error(`it is damaged (${String(check)})`);
}
