/** Keeps the last 64 KiB a tool wrote to stderr: free text for people, never parsed. */
import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";

const TAIL_BYTES = 64 * 1024;

export function keepTail(stream: Readable): { text(): string } {
  let tail = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]);
    // Cutting only at twice the size keeps the copying linear.
    if (tail.length > 2 * TAIL_BYTES) tail = tail.subarray(-TAIL_BYTES);
  });
  stream.on("error", () => {});
  return { text: () => decodeFromCharacter(tail.subarray(-TAIL_BYTES)) };
}

/** The cut may have fallen inside a character: its remaining bytes are dropped. */
function decodeFromCharacter(bytes: Buffer): string {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.toString("utf8", start);
}
