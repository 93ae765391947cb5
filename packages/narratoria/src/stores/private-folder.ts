/**
 * What is kept is the owner's alone: folders 0700, files 0600, both owned by whoever runs this, and no links, which
 * would lead what is written elsewhere. `data-folder-check.ts` holds a whole data folder to it, `cli/compile-cache.ts`
 * the one folder whose content is run.
 */
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

/** Null where the system has no owners and modes. */
const OWN_UID = process.getuid?.() ?? null;
const FOR_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;

/** Null, or in words why this is not the owner's alone. */
export function findObjection(path: string, kind: "folder" | "file"): string | null {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return `${path} is a link, and Narratoria follows none where it keeps things`;
  if (kind === "folder" && !stat.isDirectory()) return `${path} is no folder`;
  if (kind === "file" && !stat.isFile()) return `${path} is no ordinary file`;
  if (!isOurs(stat)) return `${path} belongs to another user (uid ${stat.uid})`;
  return null;
}

export function isOpenToOthers(path: string): boolean {
  return OWN_UID !== null && (lstatSync(path).mode & FOR_OTHERS) !== 0;
}

export function isWritableByOthers(path: string): boolean {
  return OWN_UID !== null && (lstatSync(path).mode & WRITABLE_BY_OTHERS) !== 0;
}

/**
 * Whether another user may put something else in the place of what lies in this folder. Its group is trusted: many
 * systems give every user one of their own, and folders that it may write to.
 */
export function canBeReplacedIn(folder: string): boolean {
  const stat = lstatSync(folder);
  if (OWN_UID === null) return false;
  if (stat.uid !== 0 && stat.uid !== OWN_UID) return true;
  if ((stat.mode & STICKY) !== 0) return false;
  return (stat.mode & WRITABLE_BY_ALL) !== 0;
}

/** Step by step: Node's own way never ends where the system says that all is missing and makes nothing, as /proc does. */
export function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Somebody else was quicker.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Null when there is none, or none that is ours. */
export function readPrivateFile(file: string): string | null {
  let descriptor: number;
  try {
    // O_NONBLOCK: opening a FIFO without a writer would wait for ever.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(descriptor);
    return stat.isFile() && isOurs(stat) ? readFileSync(descriptor, "utf8") : null;
  } finally {
    closeSync(descriptor);
  }
}

/** Written beside and renamed: a crash leaves the old file or the new one, never half of one, and no link is followed. */
export function writePrivateFile(file: string, text: string): void {
  const beside = `${file}.new`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const descriptor = openSync(beside, flags, 0o600);
  try {
    // The mode above counts only for a new file.
    if (OWN_UID !== null) fchmodSync(descriptor, 0o600);
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
  renameSync(beside, file);
}

/** An empty file for its owner alone, unless there is one already: what makes it otherwise would go by the umask. */
export function touchPrivateFile(file: string): void {
  closeSync(openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
}

function isOurs(stat: Stats): boolean {
  return OWN_UID === null || stat.uid === OWN_UID;
}
