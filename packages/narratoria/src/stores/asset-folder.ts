/**
 * Content-addressed asset storage in a folder: a file is kept once, under the SHA-256 of its bytes.
 * Whether a file may be read at all is decided by whoever opens it (`sandbox/open-asset.ts`).
 */
import { createHash, randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DataGone, diskTroubleIn } from "../runtime/seams/disk-trouble.ts";
import type { AssetSource, AssetStore, TakenAsset } from "../runtime/seams/assets.ts";
import { createAssetHolds, type AssetHolds } from "./asset-holds.ts";
import { readMediaFacts, type MediaBytes } from "./media-facts.ts";
import { findMediaMismatch } from "./media-signature.ts";

/** Where copies lie until they are whole. */
const INCOMING = "incoming";
const DEFAULT_MAX_ASSET_BYTES = 64 * 1024 * 1024;

export function createAssetFolder(
  folder: string,
  maxBytes: number = DEFAULT_MAX_ASSET_BYTES,
  holds: AssetHolds = createAssetHolds(),
): AssetStore {
  async function take({ mediaType, open: openSource }: AssetSource): Promise<TakenAsset> {
    const opened = await openSource();
    if (opened.kind === "refused") return opened;
    const tooLarge = { kind: "refused", reason: `it is larger than ${maxBytes} bytes` } as const;
    const incoming = join(folder, INCOMING, randomUUID());
    try {
      if (opened.size > maxBytes) return tooLarge;
      await makeFolders(folder, dirname(incoming));
      const copied = await copy(opened.bytes, incoming, maxBytes);
      if (copied === null) return tooLarge;
      const media = await readEnds(incoming, copied.bytes);
      const mismatch = mediaType === null ? null : findMediaMismatch(mediaType, media.head);
      if (mismatch !== null) return { kind: "refused", reason: mismatch };
      await keep(incoming, copied.sha256);
      return { kind: "stored", ...copied, ...readMediaFacts(mediaType ?? "", media) };
    } finally {
      await opened.close();
      await rm(incoming, { force: true });
    }
  }

  /** Held from before it lies there until the event that refers to it is committed. */
  async function keep(incoming: string, sha256: string): Promise<void> {
    const place = assetPath(folder, sha256);
    holds.hold(sha256);
    try {
      await makeFolders(folder, dirname(place));
      await rename(incoming, place);
      await makeDurable(dirname(place));
    } catch (error) {
      holds.release(sha256);
      throw error;
    }
  }
  return { take };
}

/**
 * Removes those of these that nobody is about to refer to; that nobody refers to them now, the caller has just found
 * out. All at once, without a pause in which a tool could bring the same bytes again and find them stored.
 */
export function sweepAssets(folder: string, hashes: Iterable<string>, holds: AssetHolds): void {
  for (const sha256 of hashes) {
    if (!holds.isHeld(sha256)) rmSync(assetPath(folder, sha256), { force: true });
  }
}

/** Removes what never became whole. */
export function sweepIncoming(folder: string): void {
  try {
    rmSync(join(folder, INCOMING), { recursive: true, force: true });
  } catch (error) {
    // A disk that takes nothing more is met by whoever writes next.
    if (diskTroubleIn(error) === null) throw error;
  }
}

/** Each in the one before it. Not what they lie in: who deletes all that is kept must not find a part of it again. */
async function makeFolders(...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    try {
      await mkdir(path, { mode: 0o700 });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") throw new DataGone(`${dirname(path)}, where assets are kept, is not there any more.`);
      if (code !== "EEXIST") throw error;
    }
  }
}

/** A new name in a folder. */
async function makeDurable(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function assetPath(folder: string, sha256: string): string {
  return join(folder, sha256.slice(0, 2), sha256);
}

/** As much of the copy as says what it is. */
async function readEnds(file: string, bytes: number): Promise<MediaBytes> {
  const handle = await open(file);
  try {
    const head = Buffer.alloc(Math.min(bytes, 256 * 1024));
    const tail = Buffer.alloc(Math.min(bytes, 64 * 1024));
    await handle.read(head, 0, head.length, 0);
    await handle.read(tail, 0, tail.length, bytes - tail.length);
    return { head, tail, bytes };
  } finally {
    await handle.close();
  }
}

/** Null when there turns out to be more than there may be: a file can grow while it is read. */
async function copy(
  from: AsyncIterable<Uint8Array>,
  to: string,
  maxBytes: number,
): Promise<{ sha256: string; bytes: number } | null> {
  const hash = createHash("sha256");
  const target = await open(to, "wx", 0o600);
  try {
    let bytes = 0;
    for await (const chunk of from) {
      bytes += chunk.length;
      if (bytes > maxBytes) return null;
      hash.update(chunk);
      // Not `write`, which may write less than it was given when the disk fills up.
      await target.writeFile(chunk);
    }
    // A turn that ended outlasts the loss of power, and so do its pictures.
    await target.sync();
    return { sha256: hash.digest("hex"), bytes };
  } finally {
    await target.close();
  }
}
