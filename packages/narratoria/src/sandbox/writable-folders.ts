/**
 * Folders a tool may write to because it was granted `fs.write`. Where the sandbox's user may not write (we are root,
 * the folder is ours), the tool works on a copy and what it changed is written back when it has ended.
 */
import { chown, copyFile, cp, lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { constants } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sandboxOwner } from "./sandbox-user.ts";
import { isReachable } from "./stage.ts";

export interface WritableFolder {
  place: string;
  source: string;
  giveBack(): Promise<void>;
}

export async function openWritableFolders(folders: readonly string[]): Promise<WritableFolder[]> {
  const opened: WritableFolder[] = [];
  for (const place of folders) {
    await mkdir(place, { recursive: true });
    opened.push(sandboxOwner() === null ? direct(place) : await throughCopy(place));
  }
  return opened;
}

function direct(place: string): WritableFolder {
  return { place, source: place, giveBack: () => Promise.resolve() };
}

async function throughCopy(place: string): Promise<WritableFolder> {
  const root = await mkdtemp(join(isReachable(tmpdir()) ? tmpdir() : "/tmp", "narratoria-write-"));
  const source = join(root, "copy");
  await cp(place, source, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  await giveToSandboxUser(root);
  return {
    place,
    source,
    giveBack: async () => {
      await writeBack(source, place);
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function giveToSandboxUser(path: string): Promise<void> {
  const owner = sandboxOwner();
  const stat = await lstat(path);
  if (owner === null || stat.isSymbolicLink()) return;
  await chown(path, owner.uid, owner.gid);
  if (stat.isDirectory()) for (const name of await readdir(path)) await giveToSandboxUser(join(path, name));
}

/** Plain files and folders only: a link the tool made could lead anywhere. What it removed is removed. */
async function writeBack(from: string, to: string): Promise<void> {
  const made = await readdir(from, { withFileTypes: true });
  const names = new Set(made.map(({ name }) => name));
  for (const name of await readdir(to)) {
    if (!names.has(name)) await rm(join(to, name), { recursive: true, force: true });
  }
  for (const entry of made) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    const old = await lstat(target).catch(() => null);
    if (entry.isDirectory()) {
      if (old !== null && !old.isDirectory()) await rm(target, { force: true });
      await mkdir(target, { recursive: true });
      await writeBack(source, target);
    } else if (entry.isFile() && (await lstat(source)).nlink === 1) {
      if (old !== null && !old.isFile()) await rm(target, { recursive: true, force: true });
      await copyFile(source, target, constants.COPYFILE_FICLONE);
    }
  }
}
