/** Keeps the last 64 KiB a tool wrote to stderr: free text for people, never parsed. */
import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";

const TAIL_BYTES = 64 * 1024;

export interface Tail {
  /** Settles when the stream has been read to its end. */
  readonly ended: Promise<void>;
  text(): string;
  /** The same, and starts anew. */
  take(): string;
}

export function keepTail(stream: Readable): Tail {
  let tail = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]);
    // Cutting only at twice the size keeps the copying linear.
    if (tail.length > 2 * TAIL_BYTES) tail = tail.subarray(-TAIL_BYTES);
  });
  stream.on("error", () => {});
  const ended = new Promise<void>((settle) => stream.once("close", settle));
  const text = (): string => decodeFromCharacter(tail.subarray(-TAIL_BYTES));
  function take(): string {
    const taken = text();
    tail = Buffer.alloc(0);
    return taken;
  }
  return { ended, text, take };
}

/** The cut may have fallen inside a character: its remaining bytes are dropped. */
function decodeFromCharacter(bytes: Buffer): string {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.toString("utf8", start);
}
