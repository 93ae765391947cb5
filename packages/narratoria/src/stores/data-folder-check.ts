/**
 * Holds a data folder to `private-folder.ts` before anything in it is opened: ours, no links, and nothing open to
 * others. What an older version left readable is made private; what somebody else made is refused in a sentence.
 */
import { chmodSync, existsSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  canBeReplacedIn,
  findObjection,
  isOpenToOthers,
  isWritableByOthers,
  makeFolders,
  touchPrivateFile,
} from "./private-folder.ts";
import { diskTroubleIn } from "../runtime/seams/disk-trouble.ts";
import { StoreError } from "./open-database.ts";

export const DATA_FILES = {
  store: "narratoria.db",
  lock: "host.lock",
  grants: "grants.json",
  token: "token",
  signIns: "sign-ins.json",
  /** Where the running host is: see `cli/running-host.ts`. */
  host: "host.json",
  /** Leads the browser to the app: see `cli/open-browser.ts`. */
  opening: "open.html",
} as const;
export const ASSETS = "assets";
/** Optional parts: see `add-ons.ts`. */
export const ADD_ON_FOLDER = "add-ons";
/** Copies of what was damaged: see `repair-store.ts`. */
export const DAMAGED_PREFIX = "damaged-";

/** SQLite's files beside a database, and ours while they are written. */
const BESIDE = /(?:-wal|-shm|-journal|-ends|-ends\.new|\.new)$/;
export const ELSEWHERE = "choose another with --data";

/** Makes the folder where there is none, and in it the files whose makers would go by the umask. */
export function makeDataFolder(dataDir: string): void {
  makeEmptyDataFolder(dataDir);
  // SQLite gives the files it makes beside a database that database's mode.
  for (const name of [DATA_FILES.store, DATA_FILES.lock]) {
    orInWords(dataDir, () => touchPrivateFile(join(dataDir, name)));
  }
}

/** The folder alone. Whatever speaks against it is thrown as a StoreError that says what to do. */
export function makeEmptyDataFolder(dataDir: string): void {
  orInWords(dataDir, () => {
    checkAbove(dataDir);
    makeFolders(dataDir);
    checkDataFolder(dataDir);
  });
}

/** What the system says no to, in words. */
export function orInWords<T>(dataDir: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const reason = REASONS.get((error as NodeJS.ErrnoException).code ?? "") ?? diskTroubleIn(error)?.message;
    const why = reason ?? `${(error as Error).message}; ${ELSEWHERE}`;
    throw new StoreError(`${dataDir} cannot be used to keep stories: ${why}`);
  }
}

const REASONS = new Map([
  ["EACCES", `this user may not write there; ${ELSEWHERE}`],
  ["EPERM", `this user may not write there; ${ELSEWHERE}`],
  ["EROFS", `the disk may only be read there; ${ELSEWHERE}`],
  ["ENOTDIR", `it lies in something that is no folder; ${ELSEWHERE}`],
  ["ENOENT", `nothing can be made there; ${ELSEWHERE}`],
  ["ENOSPC", `the disk is full; make some room, or ${ELSEWHERE}`],
]);

/** Throws a StoreError that says what is wrong. A folder that is not there is not wrong. */
export function checkDataFolder(dataDir: string): void {
  if (lstatSync(dataDir, { throwIfNoEntry: false }) === undefined) return;
  refuse(findObjection(dataDir, "folder"), ELSEWHERE);
  checkAbove(dataDir);
  const names = readdirSync(dataDir);
  // A folder with other things in it is somebody's own affair, as long as nobody else can write there.
  if (names.every(isKeptByUs)) close(dataDir, 0o700);
  else if (isWritableByOthers(dataDir)) refuse(`others may write to ${dataDir}`, ELSEWHERE);

  for (const name of names.filter(isKeptByUs)) {
    const place = join(dataDir, name);
    if (name === ASSETS) checkAssets(place);
    else if (name.startsWith(DAMAGED_PREFIX) || name === ADD_ON_FOLDER) check(place, "folder");
    else check(place, "file");
  }
}

/** As when root keeps the HOME of an ordinary user, who could then lead what root writes elsewhere. */
function checkAbove(dataDir: string): void {
  let above = dirname(resolve(dataDir));
  while (!existsSync(above)) above = dirname(above);
  if (canBeReplacedIn(realpathSync(above))) {
    refuse(`${dataDir} lies in a folder where another user could put something else in its place`, ELSEWHERE);
  }
}

function checkAssets(folder: string): void {
  check(folder, "folder");
  for (const shelf of readdirSync(folder)) check(join(folder, shelf), "folder");
}

function check(place: string, kind: "folder" | "file"): void {
  refuse(findObjection(place, kind), "remove it, or choose another folder with --data");
  close(place, kind === "folder" ? 0o700 : 0o600);
}

function close(place: string, mode: number): void {
  if (!isOpenToOthers(place)) return;
  chmodSync(place, mode);
  // Some file systems keep no modes.
  if (isOpenToOthers(place)) refuse(`${place} cannot be kept from others on this file system`, ELSEWHERE);
}

function refuse(objection: string | null, advice: string): void {
  if (objection !== null) throw new StoreError(`${objection}; ${advice}`);
}

function isKeptByUs(name: string): boolean {
  if (name === ASSETS || name === ADD_ON_FOLDER || name.startsWith(DAMAGED_PREFIX)) return true;
  return Object.values<string>(DATA_FILES).includes(name.replace(BESIDE, ""));
}
