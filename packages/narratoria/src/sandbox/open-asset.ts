/**
 * Opens a file that an untrusted tool named, so that what was checked is what is read: every check is made on the open
 * descriptor, because a path can be swapped at any moment. `stores/asset-folder.ts` copies from it.
 */
import { constants } from "node:fs";
import { open, readlink, realpath, type FileHandle } from "node:fs/promises";
import type { NamedFile, AssetOpening, AssetSource } from "../runtime/seams/assets.ts";
import { HAS_PROC } from "../runtime/seams/proc.ts";
import { isInside } from "../runtime/mounts/real-location.ts";

export function fileSource(file: NamedFile, mediaType: string | null): AssetSource {
  return { mediaType, open: () => openAsset(file) };
}

async function openAsset(file: NamedFile): Promise<AssetOpening> {
  let place: FileHandle | undefined;
  let handle: FileHandle | undefined;
  try {
    // Some devices and pipes act on being opened alone: so first only the place is taken hold of.
    place = await open(file.path, O_PATH | constants.O_NOFOLLOW);
    const reason = await findObjection(place, file);
    if (reason !== null) return { kind: "refused", reason };
    handle = await open(O_PATH === 0 ? file.path : `/proc/self/fd/${place.fd}`, constants.O_RDONLY);
    const { size } = await handle.stat();
    const opened = handle;
    return { kind: "open", size, bytes: readAll(opened), close: () => opened.close() };
  } catch (error) {
    await handle?.close();
    return { kind: "refused", reason: explain(error as NodeJS.ErrnoException) };
  } finally {
    await place?.close();
  }
}

/** Of Linux alone, and so not among Node's constants. Elsewhere no tool is confined, and nothing is to be guarded. */
const O_PATH = HAS_PROC ? 0o10000000 : 0;

async function* readAll(handle: FileHandle): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(256 * 1024);
  for (let at = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function findObjection(handle: FileHandle, file: NamedFile): Promise<string | null> {
  const stat = await handle.stat();
  if (stat.isSymbolicLink()) return "it is a symbolic link";
  if (!stat.isFile()) return "it is not a regular file";
  if (stat.nlink > 1) return "it is a hard link to another file";
  if (file.within === null) return null;
  // O_NOFOLLOW guards the last component only: a linked parent folder is found out here.
  const where = await readlink(`/proc/self/fd/${handle.fd}`);
  const [within, hidden] = await Promise.all([file.within, file.hidden].map(realPaths));
  // What is hidden in one folder may be what was granted as another: a story that lies in the data folder.
  const isSeenIn = (folder: string): boolean =>
    isInside(where, folder) &&
    !hidden?.some((covered) => covered !== folder && isInside(covered, folder) && isInside(where, covered));
  return within?.some(isSeenIn) ? null : "it lies outside the folders the tool may use";
}

function realPaths(folders: readonly string[]): Promise<string[]> {
  return Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
}

function explain(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "ENOENT":
    case "ENOTDIR":
      return "there is no such file";
    case "ELOOP":
      return "it is a symbolic link";
    case "EACCES":
    case "EPERM":
      return "it cannot be read";
    case "ENXIO":
      return "it is not a regular file";
    default:
      return `it cannot be opened (${error.code ?? error.message})`;
  }
}
