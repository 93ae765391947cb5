/**
 * Reads a session file to its end before anything is believed: format, hash, every line, and that it does not unpack to
 * more than a session can be. What was read lies in a folder afterwards, its records as lines and its assets as files,
 * and `import-session.ts` takes it from there.
 */
import { createHash, type Hash } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createZstdDecompress } from "node:zlib";
import { createLineSplitter, type Frame } from "@narratoria/tool/ndjson";
import { PACE } from "../execution/pace.ts";
import { FORMAT, FORMAT_VERSION, readLine, sealOf, type FileLine } from "./file-line.ts";
import { createRecordCheck } from "./session-record-check.ts";

export type CheckedFile =
  | ({ kind: "checked"; recordsFile: string } & CheckedAssets)
  | { kind: "wrong"; message: string };

interface CheckedAssets {
  assets: ReadonlySet<string>;
  assetsUsed: ReadonlySet<string>;
}

/** What a file may unpack to: a few bytes can be packed that unpack to a full disk. */
export interface UnpackingLimits {
  /** Any file may. */
  bytes: number;
  /** And for each of its own bytes so many more. */
  bytesPerByte: number;
  bytesInAll: number;
  records: number;
}

const LIMITS: UnpackingLimits = {
  bytes: 256 * 1024 * 1024,
  bytesPerByte: 100,
  bytesInAll: 2 * 1024 * 1024 * 1024,
  records: 1_000_000,
};

const MOST_LINE_BYTES = 64 * 1024 * 1024;
const SEAL_BYTES = sealOf("0".repeat(64)).length;
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const TOO_LARGE = "the file unpacks to more than a session can be";
const NOT_OURS = "this is no session that Narratoria exported";

export async function checkSessionFile(
  file: AsyncIterable<Uint8Array>,
  folder: string,
  limits: UnpackingLimits = LIMITS,
): Promise<CheckedFile> {
  const recordsFile = join(folder, "records");
  const reader = createFileReader(folder, openSync(recordsFile, "wx", 0o600), limits.records);
  try {
    const splitter = createLineSplitter({ maxLineBytes: MOST_LINE_BYTES });
    const size = createSizeCheck(limits);
    await decompress(size.packed(unsealed(file)), (bytes) => {
      size.unpacked(bytes);
      splitter.push(bytes).forEach((frame) => reader.take(frame));
    });
    for (const frame of splitter.end()) reader.take(frame);
    return { kind: "checked", recordsFile, ...reader.finish() };
  } catch (error) {
    if (error instanceof WrongFile) return { kind: "wrong", message: error.message };
    if (isCompressionError(error)) return { kind: "wrong", message: "the file is damaged" };
    throw error;
  } finally {
    reader.close();
  }
}

/** Thrown and caught in this file alone: reading ends at the first thing that is wrong. */
class WrongFile extends Error {}

interface FileReader {
  take(frame: Frame): void;
  finish(): CheckedAssets;
  close(): void;
}

function createFileReader(folder: string, records: number, mostRecords: number): FileReader {
  const assets = new Set<string>();
  const check = createRecordCheck();
  let asset: { sha256: string; file: number; hash: Hash } | null = null;
  let hasBegun = false;
  let count = 0;

  function take(frame: Frame): void {
    if (frame.kind === "bad_line" || !frame.terminated) throw new WrongFile("the file is damaged");
    const reading = readLine(frame.text);
    if (!hasBegun) return begin(reading.kind === "line" ? reading.line : null);
    if (reading.kind === "wrong") throw new WrongFile(reading.message);
    takeLine(reading.line, frame.text);
  }

  function begin(line: FileLine | null): void {
    if (line?.kind !== "header" || line.format !== FORMAT) throw new WrongFile(NOT_OURS);
    if (line.version !== FORMAT_VERSION) {
      throw new WrongFile("the file was written by a newer Narratoria; update this one to open it");
    }
    hasBegun = true;
  }

  function takeLine(line: FileLine, text: string): void {
    if (line.kind === "chunk") return takeChunk(line.base64);
    endAsset();
    if (line.kind === "asset") return beginAsset(line.sha256);
    if (line.kind === "header") throw new WrongFile("the file is damaged");
    if (++count > mostRecords) throw new WrongFile(TOO_LARGE);
    const problem = check.take(line);
    if (problem !== null) throw new WrongFile(`the file contradicts itself: ${problem}`);
    writeSync(records, `${text}\n`);
  }

  function beginAsset(sha256: string): void {
    if (assets.has(sha256)) throw new WrongFile("the file holds an asset twice");
    asset = { sha256, file: openSync(join(folder, sha256), "wx", 0o600), hash: createHash("sha256") };
  }

  function takeChunk(base64: string): void {
    if (asset === null) throw new WrongFile("the file is damaged");
    const bytes = Buffer.from(base64, "base64");
    asset.hash.update(bytes);
    writeSync(asset.file, bytes);
  }

  function endAsset(): void {
    if (asset === null) return;
    const { sha256, file, hash: assetHash } = asset;
    closeSync(file);
    asset = null;
    if (assetHash.digest("hex") !== sha256)
      throw new WrongFile("an asset in the file was changed: its hash does not fit");
    assets.add(sha256);
  }

  return {
    take,
    finish: () => {
      endAsset();
      if (!hasBegun) throw new WrongFile(NOT_OURS);
      const problem = check.finish();
      if (problem !== null) throw new WrongFile(`the file contradicts itself: ${problem}`);
      return { assets, assetsUsed: check.assets };
    },
    close: () => {
      closeSync(records);
      if (asset !== null) closeSync(asset.file);
    },
  };
}

/** Counted while it is unpacked: nothing of what is too much is kept. */
function createSizeCheck({ bytes, bytesPerByte, bytesInAll }: UnpackingLimits): {
  packed(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  unpacked(bytes: Uint8Array): void;
} {
  let before = 0;
  let after = 0;
  return {
    packed: async function* packed(file) {
      for await (const chunk of file) {
        before += chunk.length;
        yield chunk;
      }
    },
    unpacked: (chunk) => {
      after += chunk.length;
      if (after > Math.min(bytesInAll, bytes + before * bytesPerByte)) throw new WrongFile(TOO_LARGE);
    },
  };
}

/**
 * Not a pipeline: the decompressor is done at the end of its first frame, while what follows is still to be read and
 * checked.
 */
async function decompress(file: AsyncIterable<Uint8Array>, take: (bytes: Uint8Array) => void): Promise<void> {
  const plain = createZstdDecompress();
  const taking = (async () => {
    for await (const bytes of plain as AsyncIterable<Uint8Array>) {
      take(bytes);
      const resting = PACE.rest();
      if (resting !== undefined) await resting;
    }
  })();
  // Heard below; until then it must not count as unheard.
  taking.catch(() => {});
  try {
    for await (const bytes of file) {
      if (plain.writable && !plain.write(bytes)) await Promise.race([once(plain, "drain"), taking]);
    }
    if (plain.writable) plain.end();
    await taking;
  } finally {
    plain.destroy();
  }
}

/** The file without its last line, which is checked on the way. */
async function* unsealed(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let isFirst = true;
  let held = Buffer.alloc(0);
  for await (const chunk of file) {
    held = Buffer.concat([held, chunk]);
    const ready = held.subarray(0, Math.max(0, held.length - SEAL_BYTES));
    if (ready.length < (isFirst ? ZSTD_MAGIC.length : 1)) continue;
    if (isFirst && !ready.subarray(0, 4).equals(ZSTD_MAGIC)) throw new WrongFile(NOT_OURS);
    isFirst = false;
    hash.update(ready);
    held = held.subarray(ready.length);
    yield ready;
  }
  if (isFirst) throw new WrongFile(NOT_OURS);
  if (!held.equals(sealOf(hash.digest("hex")))) {
    throw new WrongFile("the file was changed or cut short: its hash does not fit");
  }
}

function isCompressionError(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code.startsWith("ZSTD_") || code.startsWith("Z_") || code === "ERR_ZLIB_INITIALIZATION_FAILED";
}
