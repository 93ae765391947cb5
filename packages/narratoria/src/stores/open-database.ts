/**
 * Opens the file of a store, or refuses it in words and leaves it as it was. It is looked at first without writing:
 * SQLite silently drops the damaged end of a write-ahead log as soon as something is written after it. A file of an
 * older version is brought up to date by `migrations/`; one that is only to be read is copied first.
 */
import { accessSync, closeSync, constants, fsyncSync, mkdtempSync, openSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { diskTroubleIn } from "../runtime/seams/disk-trouble.ts";
import { readEnds } from "./ends-file.ts";
import { findLibraryBeside } from "./library-beside.ts";
import { findLostEnds, wordsForLostEnds, type LostEnd } from "./lost-ends.ts";
import { migrate, versionOf } from "./migrations/migrate.ts";
import { makeFolders } from "./private-folder.ts";
import { hasOurShape } from "./schema-shape.ts";
import { createSchema, SCHEMA_VERSION } from "./sqlite-schema.ts";

export class StoreError extends Error {}

export interface OpenDatabase {
  db: DatabaseSync;
  close(): void;
}

export function openDatabase(file: string, readOnly: boolean): OpenDatabase {
  if (file === ":memory:") return openNew(file);
  let db: DatabaseSync | null = null;
  try {
    if (!readOnly) makeFolders(dirname(file));
    if (isEmpty(file)) {
      refuseBeside(file);
      if (!readOnly) return openNew(file);
    }
    db = new DatabaseSync(file, { timeout: WAIT_MS, readOnly: true });
    const version = look(db, file, readOnly);
    if (version === 0) {
      db.close();
      return openNew(file);
    }
    if (readOnly) return version < SCHEMA_VERSION ? openCopy(db) : closing(db);
    db.close();
    db = new DatabaseSync(file, { timeout: WAIT_MS });
    // Only now: everything above leaves the file as it was.
    db.exec(WRITING);
    if (version < SCHEMA_VERSION) migrate(db);
    makeDurable(db, file);
    return closing(db);
  } catch (error) {
    if (db?.isOpen) db.close();
    if (error instanceof StoreError) throw error;
    if ((error as { errcode?: number }).errcode === CANNOT_OPEN && !mayWriteTo(dirname(file)))
      throw notWhereWritten(file);
    const trouble = diskTroubleIn(error);
    // Damage has its own advice, below.
    if (trouble !== null && trouble.code !== "log_damaged")
      throw new StoreError(`${file} cannot be opened. ${trouble.message}`);
    throw new StoreError(
      `${file} cannot be opened: ${(error as Error).message}. Nothing was changed. ${WHAT_TO_DO}, or move ` +
        "the file away, and its folder of assets with it, to begin with an empty library.",
    );
  }
}

/** Only to be read, and whatever is wrong with it: for `examine-store.ts`. What is no library of ours is refused. */
export function openToExamine(file: string): OpenDatabase {
  if (isEmpty(file)) refuseBeside(file);
  const db = new DatabaseSync(file, { timeout: WAIT_MS, readOnly: true });
  try {
    return checkVersion(db, file) < SCHEMA_VERSION ? openCopy(db) : closing(db);
  } catch (error) {
    if (db.isOpen) db.close();
    throw error;
  }
}

const CANNOT_OPEN = 14;

/** Who reads such a file has to write beside it. */
function notWhereWritten(file: string): StoreError {
  return new StoreError(
    `${file} cannot be read where nothing may be written. Copy its folder to another place, and name that with --data.`,
  );
}

function mayWriteTo(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const WAIT_MS = 5_000;
const WHAT_TO_DO =
  "Put a backup in its place, or let narratoria doctor --repair keep what is left (it makes a copy first)";
/** What is deleted is overwritten: a story that somebody deletes must not be found in the file. */
const WRITING = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;";

function openNew(file: string): OpenDatabase {
  const db = new DatabaseSync(file, { timeout: WAIT_MS });
  try {
    db.exec(WRITING);
    createSchema(db);
  } catch (error) {
    db.close();
    throw error;
  }
  return closing(db);
}

function closing(db: DatabaseSync): OpenDatabase {
  return { db, close: () => db.close() };
}

/** Throws unless the file is a library of ours, whole as far as a look can tell; gives its version, 0 when it has yet to be made. */
function look(db: DatabaseSync, file: string, readOnly: boolean): number {
  const isNew = versionOf(db) === 0 && db.prepare("SELECT name FROM sqlite_schema LIMIT 1").get() === undefined;
  if (isNew && !readOnly) {
    refuseBeside(file);
    return 0;
  }
  const version = checkVersion(db, file);
  checkLength(db, file);
  checkWhileSmall(db, file);
  if (version === SCHEMA_VERSION) {
    if (!hasOurShape(db)) throw new Error("its tables are not those that were made");
    refuseLostEnds(db, file);
  }
  return version;
}

function checkVersion(db: DatabaseSync, file: string): number {
  const version = versionOf(db);
  if (version > SCHEMA_VERSION) {
    throw new StoreError(`${file} was written by a newer Narratoria; update this one to open it`);
  }
  if (version === 0) throw new StoreError(`${file} is no library of Narratoria's. Nothing was changed.`);
  return version;
}

function isEmpty(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** An empty file is a new library only where nothing of an old one lies. */
function refuseBeside(file: string): void {
  const beside = findLibraryBeside(file);
  if (beside === null) return;
  throw new StoreError(
    `${file} is empty or not there, but ${beside}: this was a library, and its file is lost. Nothing was changed. Put ` +
      "a backup in its place, or move what is left away to begin with an empty library.",
  );
}

/** Twice when something seems lost: a host that is running may have deleted a story between the two looks. */
function refuseLostEnds(db: DatabaseSync, file: string): void {
  if (lostEndsOf(db, file).length === 0) return;
  const lost = lostEndsOf(db, file);
  if (lost.length === 0) return;
  throw new StoreError(
    `${file} has lost something: ${wordsForLostEnds(lost)}. Nothing was changed. ${WHAT_TO_DO} and go on with that.`,
  );
}

export function lostEndsOf(db: DatabaseSync, file: string): LostEnd[] {
  // Read before the store is: a host that is running notes an end only after its commit.
  const remembered = readEnds(file);
  return findLostEnds(db, remembered);
}

/** A commit of the host before this one may lie in the system's cache alone: `ends-file.ts` is about to vouch for it. */
function makeDurable(db: DatabaseSync, file: string): void {
  // Reading makes the write-ahead log where there is none yet.
  db.prepare("SELECT count(*) FROM sqlite_schema").get();
  const log = openSync(`${file}-wal`, "r+");
  try {
    fsyncSync(log);
  } finally {
    closeSync(log);
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

/** While there is a write-ahead log the file may be shorter than it says: the rest lies there. */
function checkLength(db: DatabaseSync, file: string): void {
  if (!isEmpty(`${file}-wal`)) return;
  const { page_count: count } = db.prepare("PRAGMA page_count").get() as { page_count: number };
  const { page_size: bytes } = db.prepare("PRAGMA page_size").get() as { page_size: number };
  const { size } = statSync(file);
  if (size < count * bytes) throw new Error(`it is cut off (${size} of ${count * bytes} bytes are there)`);
}

const MOST_BYTES_TO_CHECK = 2 * 1024 * 1024;

/**
 * Looking at every page of a large file would make opening slower with every story told: `check-part.ts` looks at some,
 * rows are held against their checksums when they are read, and `narratoria doctor` looks at all.
 */
function checkWhileSmall(db: DatabaseSync, file: string): void {
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size > MOST_BYTES_TO_CHECK) return;
  const [check] = Object.values(db.prepare("PRAGMA integrity_check(1)").get() ?? {});
  if (check !== "ok") throw new Error(`it is damaged (${String(check)})`);
}
