/**
 * Copies a data folder while its host may be running: the store as it is at one moment, then the assets that this copy
 * refers to. The copy appears whole or not at all, and is a data folder like any other. Keys of this machine (the token,
 * sign-ins) are left out.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assetPath } from "./asset-folder.ts";
import { ASSETS, checkDataFolder, DATA_FILES } from "./data-folder-check.ts";
import { examineStore, isDamaged, usedAssets } from "./examine-store.ts";
import { StoreError } from "./open-database.ts";
import { makeFolders, touchPrivateFile } from "./private-folder.ts";
import { openSqliteStore } from "./sqlite.ts";

export type BackUp =
  | {
      kind: "done";
      folder: string;
      sessions: number;
      assets: number;
      /** Assets that were not there or not whole: a story that was deleted meanwhile, or damage. */
      missing: number;
      isDamaged: boolean;
    }
  | { kind: "refused"; message: string };

export async function backUp(dataDir: string, folder: string): Promise<BackUp> {
  checkDataFolder(dataDir);
  const source = join(dataDir, DATA_FILES.store);
  if (!existsSync(source)) return { kind: "refused", message: `there is nothing to back up in ${dataDir}` };
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    return { kind: "refused", message: `${folder} is there already and not empty; a backup wants a folder of its own` };
  }
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  makeFolders(partial);
  try {
    const counts = copyAll(dataDir, partial);
    const { assets, ...found } = await examineStore(partial);
    // Whoever only reads makes these, and leaves them empty.
    for (const ending of ["-wal", "-shm"]) rmSync(join(partial, DATA_FILES.store + ending), { force: true });
    makeDurable(partial);
    rmSync(folder, { recursive: true, force: true });
    renameSync(partial, folder);
    makeDurable(dirname(folder));
    return { kind: "done", folder, ...counts, isDamaged: isDamaged({ ...found, assets: { ...assets, missing: [] } }) };
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

function copyAll(dataDir: string, target: string): { sessions: number; assets: number; missing: number } {
  const file = join(target, DATA_FILES.store);
  copyStore(join(dataDir, DATA_FILES.store), file);
  const grants = join(dataDir, DATA_FILES.grants);
  if (existsSync(grants)) copyFileSync(grants, join(target, DATA_FILES.grants));
  // Opened once, it has its own note of where sessions end.
  const store = openSqliteStore(file);
  const sessions = store.sessions().length;
  store.close();
  const db = new DatabaseSync(file, { readOnly: true });
  const used = [...usedAssets(db)];
  db.close();
  const copied = used.filter((sha256) => copyAsset(join(dataDir, ASSETS), join(target, ASSETS), sha256));
  return { sessions, assets: copied.length, missing: used.length - copied.length };
}

/** All of one moment, whatever is being written. */
function copyStore(source: string, target: string): void {
  // Refuses what has lost its end: a backup must not be the place where that is forgotten.
  openSqliteStore(source, { readOnly: true }).close();
  const db = new DatabaseSync(source, { readOnly: true, timeout: 5_000 });
  try {
    touchPrivateFile(target);
    db.prepare("VACUUM INTO ?").run(target);
  } catch (error) {
    throw new StoreError(`${source} cannot be copied: ${(error as Error).message}`);
  } finally {
    db.close();
  }
  makeDurable(target);
}

/** False when it is not there, or not what its name says. */
function copyAsset(from: string, to: string, sha256: string): boolean {
  const [source, target] = [assetPath(from, sha256), assetPath(to, sha256)];
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  try {
    copyFileSync(source, target, constants.COPYFILE_FICLONE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
  makeDurable(target);
  if (createHash("sha256").update(readFileSync(target)).digest("hex") === sha256) return true;
  rmSync(target);
  return false;
}

function makeDurable(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
