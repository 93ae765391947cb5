/**
 * Folders a tool may write to because it was granted `fs.write`. Where the sandbox's user may not write (we are root,
 * the folder is ours), the tool works on a copy and what it changed is written back when it has ended.
 */
import { chmod, chown, copyFile, cp, lstat, mkdir, readdir, rm } from "node:fs/promises";
import { constants } from "node:fs";
import { join } from "node:path";
import { findPlace } from "../runtime/mounts/find-place.ts";
import { measureBefore, type GrownFolder } from "./disk-usage.ts";
import { makeOwnFolder, removeTree } from "./own-folders.ts";
import type { SandboxUser } from "./sandbox-user.ts";

export interface WritableFolder {
  place: string;
  source: string;
  usage: GrownFolder;
  giveBack(): Promise<void>;
}

type Owner = SandboxUser["owner"];

export async function openWritableFolders(folders: readonly string[], owner: Owner): Promise<WritableFolder[]> {
  const opened: WritableFolder[] = [];
  for (const place of folders) {
    await mkdir(place, { recursive: true });
    opened.push(owner === null ? await direct(place) : await throughCopy(place, owner));
  }
  return opened;
}

async function direct(place: string): Promise<WritableFolder> {
  return { place, source: place, usage: await measureBefore(place), giveBack: () => Promise.resolve() };
}

async function throughCopy(place: string, owner: NonNullable<Owner>): Promise<WritableFolder> {
  const root = makeOwnFolder("write");
  const source = join(root, "copy");
  await cp(place, source, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  const before = await versionsBelow(source);
  await giveTo(owner, root);
  return {
    place,
    source,
    usage: await measureBefore(source),
    giveBack: async () => {
      try {
        // Somebody may have put a link in its place meanwhile, and we may write where that leads.
        if (findPlace(place).kind === "place") await writeBack(source, place, before);
      } finally {
        await removeTree(root);
      }
    },
  };
}

async function giveTo(owner: NonNullable<Owner>, path: string): Promise<void> {
  const stat = await lstat(path);
  if (stat.isSymbolicLink()) return;
  await chown(path, owner.uid, owner.gid);
  if (stat.isDirectory()) for (const name of await readdir(path)) await giveTo(owner, join(path, name));
}

/** What lies below a folder, by its path from there; a file with what changes when it is written to. */
type Versions = ReadonlyMap<string, string>;

async function versionsBelow(folder: string, way = "", found = new Map<string, string>()): Promise<Versions> {
  for (const name of await readdir(join(folder, way))) {
    const path = join(way, name);
    const stat = await lstat(join(folder, path));
    found.set(path, stat.isFile() ? `${stat.size} ${stat.mtimeMs}` : "");
    if (stat.isDirectory()) await versionsBelow(folder, path, found);
  }
  return found;
}

/**
 * Only what the tool itself changed or removed: another tool may have written to the same folder meanwhile. Plain files
 * and folders only: a link the tool made could lead anywhere.
 */
async function writeBack(from: string, to: string, before: Versions): Promise<void> {
  const after = await versionsBelow(from);
  for (const path of before.keys()) {
    if (!after.has(path)) await rm(join(to, path), { recursive: true, force: true });
  }
  for (const [path, version] of after) {
    const source = join(from, path);
    const target = join(to, path);
    const made = await lstat(source);
    const old = await lstat(target).catch(() => null);
    if (made.isDirectory()) {
      if (old !== null && !old.isDirectory()) await rm(target, { force: true });
      await mkdir(target, { recursive: true });
    } else if (made.isFile() && made.nlink === 1 && version !== before.get(path)) {
      if (old !== null && !old.isFile()) await rm(target, { recursive: true, force: true });
      // Copied with its mode by root, a program with the set-user-id bit would run as root for everybody.
      await chmod(source, made.mode & 0o777);
      await copyFile(source, target, constants.COPYFILE_FICLONE);
    }
  }
}
