/** How much lies in folders a tool may write to. What cannot be read counts as too much: it could be anything. */
import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

const MOST_FILES = 10_000;
const AT_ONCE = 64;

/** Whether more lies in the folders than there is room for, in bytes or in files. */
export async function isFuller(folders: readonly string[], roomBytes: number): Promise<boolean> {
  const used = await measure(folders, { bytes: roomBytes, files: MOST_FILES });
  return used.isUnreadable || used.bytes > roomBytes || used.files > MOST_FILES;
}

/** A folder of somebody else's in which the tool may write. */
export interface GrownFolder {
  path: string;
  bytesBefore: number;
  /** The last look and what it cost: large folders are looked at less often. */
  grown: number;
  lookAgainAt: number;
}

const LOOK_AT_MOST_EVERY_MS = 500;
const IDLE_FOR_EACH_MS_OF_LOOKING = 20;
const MOST_FILES_OF_OTHERS = 100_000;

export async function measureBefore(path: string): Promise<GrownFolder> {
  const { bytes } = await measure([path], { bytes: Infinity, files: MOST_FILES_OF_OTHERS });
  return { path, bytesBefore: bytes, grown: 0, lookAgainAt: 0 };
}

export async function grownBytes(folders: readonly GrownFolder[]): Promise<number> {
  let grown = 0;
  for (const folder of folders) {
    const began = performance.now();
    if (began >= folder.lookAgainAt) {
      const { bytes } = await measure([folder.path], { bytes: Infinity, files: MOST_FILES_OF_OTHERS });
      const took = performance.now() - began;
      folder.grown = Math.max(0, bytes - folder.bytesBefore);
      folder.lookAgainAt = began + Math.max(LOOK_AT_MOST_EVERY_MS, took * IDLE_FOR_EACH_MS_OF_LOOKING);
    }
    grown += folder.grown;
  }
  return grown;
}

interface Used {
  bytes: number;
  files: number;
  isUnreadable: boolean;
}

/** Stops as soon as there is more than `most`. */
async function measure(folders: readonly string[], most: { bytes: number; files: number }): Promise<Used> {
  const used: Used = { bytes: 0, files: 0, isUnreadable: false };
  const pending = [...folders];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const files: string[] = [];
    try {
      for await (const entry of await opendir(folder, { bufferSize: 256 })) {
        if (++used.files > most.files) return used;
        if (entry.isDirectory()) pending.push(join(folder, entry.name));
        else if (entry.isFile()) files.push(join(folder, entry.name));
      }
    } catch (error) {
      used.isUnreadable ||= hidesSomething(error as NodeJS.ErrnoException);
    }
    for (let first = 0; first < files.length; first += AT_ONCE) {
      await Promise.all(files.slice(first, first + AT_ONCE).map((file) => addFile(file, used)));
      if (used.bytes > most.bytes) return used;
    }
  }
  return used;
}

async function addFile(file: string, used: Used): Promise<void> {
  try {
    const { blocks } = await lstat(file);
    used.bytes += blocks * 512;
  } catch (error) {
    used.isUnreadable ||= hidesSomething(error as NodeJS.ErrnoException);
  }
}

/** A folder we may not enter, or one deeper than a path can be. What is merely gone hides nothing. */
function hidesSomething({ code }: NodeJS.ErrnoException): boolean {
  return code === "EACCES" || code === "EPERM" || code === "ENAMETOOLONG" || code === "ELOOP";
}
