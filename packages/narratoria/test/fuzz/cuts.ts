/** Cuts bytes into chunks in several ways, always the same ones for the same bytes. */
import { createHash } from "node:crypto";

/** Whole, and in pieces whose sizes hang on the bytes. */
export function cutsOf(bytes: Buffer): Buffer[][] {
  return [[bytes], cutUnevenly(bytes)];
}

export function cutByByte(bytes: Buffer): Buffer[] {
  return Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
}

function cutUnevenly(bytes: Buffer): Buffer[] {
  const sizes = createHash("sha256").update(bytes).digest();
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 0;
    // Mostly small, now and then a long one, so that large inputs do not become a million chunks.
    const length = 1 + (size % 4 === 0 ? Math.ceil(bytes.length / 4) : size % 23);
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return chunks;
}
