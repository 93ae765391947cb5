/**
 * Content-addressed asset storage in a folder: a file is kept once, under the SHA-256 of its bytes.
 * Whether a file may be read at all is decided by whoever opens it (`sandbox/open-asset.ts`).
 */
import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AssetSource, AssetStore, TakenAsset } from "../runtime/seams/assets.ts";
import { readMediaFacts, type MediaBytes } from "./media-facts.ts";
import { findMediaMismatch } from "./media-signature.ts";

const DEFAULT_MAX_ASSET_BYTES = 64 * 1024 * 1024;

export function createAssetFolder(folder: string, maxBytes: number = DEFAULT_MAX_ASSET_BYTES): AssetStore {
  async function take({ mediaType, open: openSource }: AssetSource): Promise<TakenAsset> {
    const opened = await openSource();
    if (opened.kind === "refused") return opened;
    const tooLarge = { kind: "refused", reason: `it is larger than ${maxBytes} bytes` } as const;
    const incoming = join(folder, "incoming", randomUUID());
    try {
      if (opened.size > maxBytes) return tooLarge;
      await mkdir(dirname(incoming), { recursive: true, mode: 0o700 });
      const copied = await copy(opened.bytes, incoming, maxBytes);
      if (copied === null) return tooLarge;
      const media = await readEnds(incoming, copied.bytes);
      const mismatch = mediaType === null ? null : findMediaMismatch(mediaType, media.head);
      if (mismatch !== null) return { kind: "refused", reason: mismatch };
      const place = assetPath(folder, copied.sha256);
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      await rename(incoming, place);
      return { kind: "stored", ...copied, ...readMediaFacts(mediaType ?? "", media) };
    } finally {
      await opened.close();
      await rm(incoming, { force: true });
    }
  }
  return { take };
}

/**
 * Removes what nobody refers to any more. All at once, without a pause in which a tool could bring the same bytes
 * again and find them stored.
 */
export function sweepAssetFolder(folder: string, stillUsed: ReadonlySet<string>): void {
  if (!existsSync(folder)) return;
  const shelves = readdirSync(folder, { withFileTypes: true });
  for (const shelf of shelves.filter((entry) => entry.isDirectory() && entry.name.length === 2)) {
    for (const sha256 of readdirSync(join(folder, shelf.name))) {
      if (!stillUsed.has(sha256)) rmSync(join(folder, shelf.name, sha256), { force: true });
    }
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
    return { sha256: hash.digest("hex"), bytes };
  } finally {
    await target.close();
  }
}
