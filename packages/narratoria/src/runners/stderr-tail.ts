/** Keeps the last 64 KiB a tool wrote to stderr: free text for people, never parsed. */
import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";

const TAIL_BYTES = 64 * 1024;

export interface Tail {
  push(chunk: Buffer): void;
  text(): string;
  /** The same, and starts anew. */
  take(): string;
}

export interface StreamTail extends Tail {
  /** Settles when the stream has been read to its end. */
  readonly ended: Promise<void>;
}

export function createTail(): Tail {
  let tail: Buffer = Buffer.alloc(0);
  const text = (): string => decodeFromCharacter(tail.subarray(-TAIL_BYTES));
  return {
    push: (chunk) => {
      tail = Buffer.concat([tail, chunk]);
      // Cutting only at twice the size keeps the copying linear.
      if (tail.length > 2 * TAIL_BYTES) tail = tail.subarray(-TAIL_BYTES);
    },
    text,
    take: () => {
      const taken = text();
      tail = Buffer.alloc(0);
      return taken;
    },
  };
}

export function keepTail(stream: Readable): StreamTail {
  const tail = createTail();
  stream.on("data", (chunk: Buffer) => tail.push(chunk));
  stream.on("error", () => {});
  const ended = new Promise<void>((resolve) => void stream.once("close", resolve).once("end", resolve));
  return { ...tail, ended };
}

/** The cut may have fallen inside a character: its remaining bytes are dropped. */
function decodeFromCharacter(bytes: Buffer): string {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.toString("utf8", start);
}
