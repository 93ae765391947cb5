/**
 * Makes folders readable for the sandbox's user. As root we can read what that user cannot (root's home, a private
 * temporary folder): such a folder is copied to a place only that user can enter, and copied anew when it changed.
 * What no tool may see is not copied: an empty folder stands in its place.
 */
import { constants, existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { chmod, chown, cp, lstat, mkdir, rm } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import { hiddenWithin } from "./hidden-folders.ts";
import { makeOwnFolder } from "./own-folders.ts";
import { isReachable, isRoot, SANDBOX_GROUP } from "./sandbox-user.ts";

export interface ReadableCopies {
  /** A path of the same name and content that the sandbox's user can read: the folder itself whenever possible. */
  readable(folder: string): Promise<string>;
  close(): Promise<void>;
}

const NOTHING: ReadonlySet<string> = new Set();
const MOST_BYTES = 1024 * 1024 * 1024;
/** A walk through a large folder before every tool would be slow; a file made unreadable since is found soon enough. */
const STILL_READABLE_MS = 2_000;

/** `hidden`: folders no tool may see, wherever they lie. */
export function createStage(hidden: readonly string[]): ReadableCopies {
  let root: Promise<string> | null = null;
  const copies = new Map<string, { fingerprint: string; place: Promise<string> }>();
  /** Readable as they are, and when that was found. */
  const found = new Map<string, number>();
  let copyCount = 0;

  async function readable(folder: string): Promise<string> {
    if (!isRoot() || !existsSync(folder)) return folder;
    const foundAt = found.get(folder);
    if (foundAt !== undefined && performance.now() - foundAt < STILL_READABLE_MS) return folder;
    const left = new Set(hiddenWithin(folder, hidden));
    if (await isReadableThroughout(folder, left)) {
      found.set(folder, performance.now());
      return folder;
    }
    const fingerprint = await fingerprintOf(folder, left);
    const known = copies.get(folder);
    if (known?.fingerprint === fingerprint && (await isStillThere(known.place))) return known.place;
    const before = root;
    if (before !== null && !(await isStillThere(before)) && root === before) root = null;
    root ??= makeRoot();
    const place = copy(folder, join(await root, String(++copyCount), basename(folder)), left);
    copies.set(folder, { fingerprint, place });
    return place;
  }

  async function close(): Promise<void> {
    if (root !== null) await rm(await root, { recursive: true, force: true });
  }
  return { readable, close };
}

/** A copy may have failed for want of room, or been cleaned away from the temporary folder by the system. */
async function isStillThere(place: Promise<string>): Promise<boolean> {
  return place.then(existsSync, () => false);
}

async function isReadableThroughout(folder: string, left: ReadonlySet<string>): Promise<boolean> {
  if (!isReachable(statSync(folder).isDirectory() ? folder : dirname(folder))) return false;
  for await (const { mode, isFolder, isLink } of entriesBelow(folder, left)) {
    if (isLink) continue;
    const needed = isFolder ? constants.S_IROTH | constants.S_IXOTH : constants.S_IROTH;
    if ((mode & needed) !== needed) return false;
  }
  return true;
}

async function fingerprintOf(folder: string, left: ReadonlySet<string>): Promise<string> {
  const parts: string[] = [];
  let bytes = 0;
  for await (const { path, size, changedAt } of entriesBelow(folder, left)) {
    parts.push(`${path} ${size} ${changedAt}`);
    bytes += size;
    if (bytes > MOST_BYTES) throw new Error(`${folder} is not readable for everybody and too large to be copied`);
  }
  return parts.join("\n");
}

interface Entry {
  path: string;
  mode: number;
  size: number;
  /** Not when it was modified: copying and unpacking set that back. */
  changedAt: number;
  isFolder: boolean;
  isLink: boolean;
}

/** Through the pool of threads each look would take twenty times as long; so others get a turn now and then. */
const LOOKS_IN_A_ROW = 64;

/** Without those that are `left` out. */
async function* entriesBelow(path: string, left: ReadonlySet<string>): AsyncGenerator<Entry> {
  const pending = [path];
  let looks = 0;
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (left.has(at)) continue;
    if (++looks % LOOKS_IN_A_ROW === 0) await setImmediate();
    const stat = lstatSync(at);
    const { mode, size, ctimeMs: changedAt } = stat;
    yield { path: at, mode, size, changedAt, isFolder: stat.isDirectory(), isLink: stat.isSymbolicLink() };
    if (!stat.isDirectory()) continue;
    for (const name of readdirSync(at)) pending.push(join(at, name));
  }
}

/** Root's own, and open to nobody but the sandbox's group: a copy must not be easier to read than the original. */
async function makeRoot(): Promise<string> {
  const root = makeOwnFolder("stage");
  await chown(root, 0, SANDBOX_GROUP);
  await chmod(root, 0o750);
  return root;
}

async function copy(from: string, to: string, left: ReadonlySet<string>): Promise<string> {
  await mkdir(dirname(to));
  await chmod(dirname(to), 0o755);
  const isWanted = async (path: string): Promise<boolean> => !left.has(path) && (await isCopyable(path));
  await cp(from, to, { recursive: true, verbatimSymlinks: true, filter: isWanted });
  for (const place of left) await mkdir(join(to, relative(from, place)), { recursive: true });
  for await (const { path, mode, isFolder, isLink } of entriesBelow(to, NOTHING)) {
    if (isLink) continue;
    await chmod(path, isFolder || (mode & constants.S_IXUSR) !== 0 ? 0o755 : 0o644);
  }
  return to;
}

/** Sockets and pipes cannot be copied; a story has no business with them. */
async function isCopyable(path: string): Promise<boolean> {
  const stat = await lstat(path);
  return stat.isFile() || stat.isDirectory() || stat.isSymbolicLink();
}
