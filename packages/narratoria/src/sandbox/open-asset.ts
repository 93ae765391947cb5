/**
 * Opens a file that an untrusted tool named, so that what was checked is what is read: every check is made on the open
 * descriptor, because a path can be swapped at any moment. `stores/asset-folder.ts` copies from it.
 */
import { constants } from "node:fs";
import { lstat, open, readlink, realpath, type FileHandle } from "node:fs/promises";
import type { AssetFile, AssetOpening, AssetSource } from "../runtime/seams/assets.ts";
import { isInside } from "../runtime/mounts/real-location.ts";

export function fileSource(file: AssetFile, mediaType: string | null): AssetSource {
  return { mediaType, open: () => openAsset(file) };
}

async function openAsset(file: AssetFile): Promise<AssetOpening> {
  let handle: FileHandle;
  try {
    // Some devices act on being opened alone. What is swapped in after this look is found out on the descriptor.
    const stat = await lstat(file.path);
    if (stat.isSymbolicLink()) return { kind: "refused", reason: "it is a symbolic link" };
    if (!stat.isFile()) return { kind: "refused", reason: "it is not a regular file" };
    // O_NONBLOCK: opening a FIFO without a writer would wait for ever.
    handle = await open(file.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return { kind: "refused", reason: explain(error as NodeJS.ErrnoException) };
  }
  const reason = await findObjection(handle, file);
  if (reason === null) {
    const { size } = await handle.stat();
    return { kind: "open", size, bytes: readAll(handle), close: () => handle.close() };
  }
  await handle.close();
  return { kind: "refused", reason };
}

async function* readAll(handle: FileHandle): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(256 * 1024);
  for (let at = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function findObjection(handle: FileHandle, file: AssetFile): Promise<string | null> {
  const stat = await handle.stat();
  if (!stat.isFile()) return "it is not a regular file";
  if (stat.nlink > 1) return "it is a hard link to another file";
  if (file.within === null) return null;
  // O_NOFOLLOW guards the last component only: a linked parent folder is found out here.
  const where = await readlink(`/proc/self/fd/${handle.fd}`);
  const folders = await Promise.all(file.within.map((folder) => realpath(folder).catch(() => folder)));
  return folders.some((folder) => isInside(where, folder)) ? null : "it lies outside the folders the tool may use";
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
