/**
 * `narratoria doctor --repair`: keeps what is whole of a damaged library. First everything is copied aside as it was
 * found; then what SQLite cannot read is left behind (`salvage-rows.ts`), what is not what was written is taken out with
 * all that stands on it (`repair-log.ts`), and the note of where sessions end begins anew.
 */
import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assetPath, sweepAssets } from "./asset-folder.ts";
import { createAssetHolds } from "./asset-holds.ts";
import { ASSETS, DAMAGED_PREFIX, DATA_FILES } from "./data-folder-check.ts";
import { endsFileOf, readEnds } from "./ends-file.ts";
import { isDamaged, isFromSqlite, type StoreFindings } from "./examine-store.ts";
import { migrate, versionOf } from "./migrations/migrate.ts";
import { StoreError } from "./open-database.ts";
import { repairLog, type RepairedSession } from "./repair-log.ts";
import { salvageRows } from "./salvage-rows.ts";
import { SCHEMA_VERSION } from "./sqlite-schema.ts";
import { openSqliteStore } from "./sqlite.ts";

export interface Repair {
  /** Where everything lies as it was found; null when nothing was changed. */
  copy: string | null;
  /** The sessions that lost something. */
  sessions: RepairedSession[];
  /** Files that no session referred to. */
  swept: number;
  /** Why it could not be done; null when it could. */
  refused: string | null;
}

const NOTHING_DONE: Repair = { copy: null, sessions: [], swept: 0, refused: null };

/** Whoever calls has the folder to itself (`host-lock.ts`). */
export function repairStore(dataDir: string, findings: StoreFindings, now: Date): Repair {
  const file = join(dataDir, DATA_FILES.store);
  // What cannot be looked at cannot be mended either, and need not be copied again whenever somebody tries.
  if (findings.unreadable !== null) return { ...NOTHING_DONE, refused: findings.unreadable };
  const { altered } = findings.assets;
  const isLogWhole = !isDamaged({ ...findings, assets: { missing: [], altered: [], unused: [] } });
  if (isLogWhole && altered.length === 0) return { ...NOTHING_DONE, swept: sweepUnused(dataDir, findings) };
  const copy = copyAside(dataDir, now);
  moveAside(join(dataDir, ASSETS), altered, copy);
  if (isLogWhole) return { ...NOTHING_DONE, copy };
  try {
    const { db, wasSalvaged } = openDamaged(file, findings);
    let sessions: RepairedSession[];
    try {
      sessions = mend(db, file);
    } finally {
      db.close();
    }
    if (wasSalvaged) takePlaceOf(file);
    // What it says was true of what is lost.
    rmSync(endsFileOf(file), { force: true });
    openSqliteStore(file).close();
    return { ...NOTHING_DONE, copy, sessions };
  } catch (error) {
    if (!isFromSqlite(error) && !(error instanceof StoreError)) throw error;
    rmSync(`${file}.new`, { force: true });
    return { ...NOTHING_DONE, copy, refused: (error as Error).message };
  }
}

/** As it lies there: the file, the log beside it, and the note. */
function copyAside(dataDir: string, now: Date): string {
  const named = join(dataDir, `${DAMAGED_PREFIX}${now.toISOString().slice(0, 19).replaceAll(":", "-")}`);
  let copy = named;
  for (let others = 1; existsSync(copy);) copy = `${named}-${++others}`;
  mkdirSync(copy, { mode: 0o700 });
  try {
    for (const name of readdirSync(dataDir).filter((each) => each.startsWith(DATA_FILES.store))) {
      copyFileSync(join(dataDir, name), join(copy, name), constants.COPYFILE_EXCL);
    }
    return copy;
  } catch (error) {
    // Half a copy is none, and takes the room that is missing.
    rmSync(copy, { recursive: true, force: true });
    throw error;
  }
}

/** Assets that are something else than was stored: from now on they answer as missing. */
function moveAside(folder: string, hashes: readonly string[], copy: string): void {
  for (const sha256 of hashes) renameSync(assetPath(folder, sha256), join(copy, sha256));
}

function openDamaged(file: string, { file: said }: StoreFindings): { db: DatabaseSync; wasSalvaged: boolean } {
  if (!existsSync(file)) throw new StoreError(`${file} is not there: only a backup can help`);
  const db = new DatabaseSync(file, { timeout: 5_000 });
  try {
    // A copy was made: a file of an older version that is damaged can be opened by nobody else.
    if (versionOf(db) < SCHEMA_VERSION) migrate(db);
    if (said.length === 0) return { db, wasSalvaged: false };
    salvageRows(db, `${file}.new`);
  } catch (error) {
    db.close();
    throw error;
  }
  db.close();
  return { db: new DatabaseSync(`${file}.new`), wasSalvaged: true };
}

function mend(db: DatabaseSync, file: string): RepairedSession[] {
  const rows = db.prepare("SELECT session_id, last_seq FROM sessions").all() as {
    session_id: string;
    last_seq: number;
  }[];
  const lastNumbers = new Map(rows.map((row) => [row.session_id, row.last_seq]));
  for (const [sessionId, { lastSeq }] of readEnds(file)) {
    lastNumbers.set(sessionId, Math.max(lastSeq, lastNumbers.get(sessionId) ?? 0));
  }
  db.exec("PRAGMA synchronous = FULL; BEGIN IMMEDIATE");
  try {
    const repaired = repairLog(db, lastNumbers);
    db.exec("COMMIT");
    return repaired;
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

function takePlaceOf(file: string): void {
  for (const ending of ["-wal", "-shm"]) rmSync(file + ending, { force: true });
  renameSync(`${file}.new`, file);
}

/** Only where all is well: what a damaged log seems not to refer to, its copy may. */
function sweepUnused(dataDir: string, { assets: { unused } }: StoreFindings): number {
  const hasCopies = readdirSync(dataDir).some((name) => name.startsWith(DAMAGED_PREFIX));
  if (hasCopies) return 0;
  sweepAssets(join(dataDir, ASSETS), unused, createAssetHolds());
  return unused.length;
}
