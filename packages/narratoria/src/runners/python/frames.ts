/** Takes apart what `tool_host.py` sends: a kind, four bytes of length, and so many bytes. */
import { Buffer } from "node:buffer";

export type ServerFrame = { kind: FrameKind; data: Buffer };
export type FrameKind = "hello" | "begin" | "stdout" | "stderr" | "response" | "exit";

const KINDS: { readonly [letter: string]: FrameKind } = {
  H: "hello",
  B: "begin",
  O: "stdout",
  E: "stderr",
  R: "response",
  X: "exit",
};
const HEAD_BYTES = 5;
/** The hello of a tool with thousands of files is the longest. */
const MOST_BYTES = 1024 * 1024;

/** The frames of a stream as they arrive. It ends early when something else than a frame comes. */
export async function* readFrames(stream: AsyncIterable<Buffer>): AsyncGenerator<ServerFrame, void> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let start = 0;
    while (held.length - start >= HEAD_BYTES) {
      const kind = KINDS[String.fromCharCode(held[start] ?? 0)];
      const length = held.readUInt32BE(start + 1);
      if (kind === undefined || length > MOST_BYTES) return;
      const end = start + HEAD_BYTES + length;
      if (held.length < end) break;
      yield { kind, data: held.subarray(start + HEAD_BYTES, end) };
      start = end;
    }
    held = held.subarray(start);
  }
}
