/** What lies beside the file of a store and tells of a library that was there: then an empty file is none to begin with. */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readEnds } from "./ends-file.ts";
import { counted } from "./lost-ends.ts";

/** Null, or in words what is there. */
export function findLibraryBeside(storeFile: string): string | null {
  const folder = dirname(storeFile);
  const stories = readEnds(storeFile).size;
  if (stories > 0) return `${counted(stories, "story")} ${stories === 1 ? "was" : "were"} kept in it`;
  const assets = countAssets(join(folder, "assets"));
  if (assets > 0) return `${counted(assets, "file")} of stories ${assets === 1 ? "lies" : "lie"} in its assets folder`;
  const copy = findCopy(folder, basename(storeFile));
  return copy === null ? null : `${copy} lies beside it`;
}

function countAssets(folder: string): number {
  const shelves = readFolder(folder).filter((name) => /^[0-9a-f]{2}$/.test(name));
  return shelves.reduce((sum, shelf) => sum + readFolder(join(folder, shelf)).length, 0);
}

/** Not what SQLite and the host themselves put beside a store that is being made. */
const MADE_FIRST = /^(?:-wal|-shm|-journal|-ends|-ends\.new)?$/;

function findCopy(folder: string, store: string): string | null {
  const isCopy = (name: string): boolean =>
    (name.startsWith(store) && !MADE_FIRST.test(name.slice(store.length))) || existsSync(join(folder, name, store));
  return readFolder(folder).find(isCopy) ?? null;
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
