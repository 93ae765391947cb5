/**
 * Looks at everything that is kept and says what is not as it was written: the file itself, every session's chain, what
 * was lost at its end, what is derived from the log, and the bytes of assets. `repair-store.ts` mends what can be.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { DatabaseSync } from "node:sqlite";
import type { Damage } from "../runtime/seams/store.ts";
import { assetPath } from "./asset-folder.ts";
import { ASSETS, checkDataFolder, DATA_FILES } from "./data-folder-check.ts";
import { findDerivedDamage, unfinishedIn } from "./derived-damage.ts";
import { createDamageFinder } from "./find-damage.ts";
import type { LostEnd } from "./lost-ends.ts";
import { lostEndsOf, openToExamine, StoreError } from "./open-database.ts";
import { hasOurShape } from "./schema-shape.ts";

export interface StoreFindings {
  /** Why nothing could be looked at; null when it could. */
  unreadable: string | null;
  /** What SQLite says of its file. */
  file: string[];
  damage: ({ sessionId: string; title: string } & Damage)[];
  lost: LostEnd[];
  /** The sessions of which lists and trees show something else than their log says. */
  derived: string[];
  assets: {
    /** Hashes that some session refers to, and their files are not there, or are something else. */
    missing: string[];
    altered: string[];
    /** Files that no session refers to: they take room, and do no harm. */
    unused: string[];
  };
}

const NOTHING: StoreFindings = {
  unreadable: null,
  file: [],
  damage: [],
  lost: [],
  derived: [],
  assets: { missing: [], altered: [], unused: [] },
};

export function isDamaged({ unreadable, file, damage, lost, derived, assets }: StoreFindings): boolean {
  const found = [file, damage, lost, derived, assets.missing, assets.altered];
  return unreadable !== null || found.some((list) => list.length > 0);
}

/** Works beside a running host, and changes nothing. */
export async function examineStore(dataDir: string): Promise<StoreFindings> {
  try {
    checkDataFolder(dataDir);
    const file = join(dataDir, DATA_FILES.store);
    if (!existsSync(file) && !existsSync(`${file}-ends`)) return NOTHING;
    const { db, close } = openToExamine(file);
    try {
      return { ...examineLog(db, file), assets: await examineAssets(db, join(dataDir, ASSETS)) };
    } finally {
      close();
    }
  } catch (error) {
    if (error instanceof StoreError || isFromSqlite(error)) return { ...NOTHING, unreadable: (error as Error).message };
    throw error;
  }
}

function examineLog(db: DatabaseSync, file: string): Omit<StoreFindings, "assets"> {
  const findings = { ...NOTHING, file: askSqlite(db) };
  try {
    const findDamage = createDamageFinder(db);
    const sessions = db.prepare("SELECT session_id, title FROM sessions").all() as {
      session_id: string;
      title: string;
    }[];
    const halfThere = unfinishedIn(db);
    const whole = sessions.filter(({ session_id: sessionId }) => !halfThere.has(sessionId));
    const damage = whole.flatMap(({ session_id: sessionId, title }) =>
      findDamage(sessionId).map((each) => ({ sessionId, title, ...each })),
    );
    const damaged = new Set(damage.map(({ sessionId }) => sessionId));
    const derived = findDerivedDamage(db).filter((sessionId) => !damaged.has(sessionId));
    return { ...findings, damage, derived, lost: lostEndsOf(db, file) };
  } catch (error) {
    if (!isFromSqlite(error)) throw error;
    return { ...findings, file: [...findings.file, (error as Error).message] };
  }
}

const MOST_SAID = 20;

function askSqlite(db: DatabaseSync): string[] {
  try {
    const rows = db.prepare(`PRAGMA integrity_check(${MOST_SAID})`).all() as object[];
    const said = rows.map((row) => String(Object.values(row)[0])).filter((each) => each !== "ok");
    return hasOurShape(db) ? said : [...said, "its tables are not those that were made"];
  } catch (error) {
    if (!isFromSqlite(error)) throw error;
    return [(error as Error).message];
  }
}

async function examineAssets(db: DatabaseSync, folder: string): Promise<StoreFindings["assets"]> {
  const used = usedAssets(db);
  const stored = storedAssets(folder);
  const missing = [...used].filter((sha256) => !stored.has(sha256));
  const altered: string[] = [];
  for (const sha256 of used) {
    if (stored.has(sha256) && (await hashOf(assetPath(folder, sha256))) !== sha256) altered.push(sha256);
  }
  return { missing, altered, unused: [...stored].filter((sha256) => !used.has(sha256)) };
}

export function usedAssets(db: DatabaseSync): Set<string> {
  const rows = db.prepare("SELECT DISTINCT sha256 FROM asset_uses").all() as { sha256: string }[];
  return new Set(rows.map(({ sha256 }) => sha256));
}

export function storedAssets(folder: string): Set<string> {
  if (!existsSync(folder)) return new Set();
  const shelves = readdirSync(folder).filter((name) => /^[0-9a-f]{2}$/.test(name));
  return new Set(shelves.flatMap((shelf) => readdirSync(join(folder, shelf))));
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

export function isFromSqlite(error: unknown): boolean {
  return error instanceof Error && "errcode" in error;
}
