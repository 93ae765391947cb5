/** Takes apart what `tool_host.py` sends: a kind, four bytes of length, and so many bytes. */
import { Buffer } from "node:buffer";

export type ServerFrame = { kind: FrameKind; data: Buffer };
export type FrameKind = "hello" | "begin" | "stdout" | "stderr" | "response" | "exit" | "nonsense";

/** Each with the most bytes it can have. The hello of a tool with thousands of files is the longest. */
const KINDS: { readonly [letter: string]: [kind: FrameKind, mostBytes: number] } = {
  H: ["hello", 1024 * 1024],
  B: ["begin", 1024],
  O: ["stdout", 64 * 1024],
  E: ["stderr", 64 * 1024],
  R: ["response", 64 * 1024],
  X: ["exit", 1024],
};
const HEAD_BYTES = 5;

/** The frames of a stream as they arrive. What is no frame is the last: behind it nothing can be made out any more. */
export async function* readFrames(stream: AsyncIterable<Buffer>): AsyncGenerator<ServerFrame, void> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let start = 0;
    while (held.length - start >= HEAD_BYTES) {
      const [kind, mostBytes] = KINDS[String.fromCharCode(held[start] ?? 0)] ?? ["nonsense", 0];
      const length = held.readUInt32BE(start + 1);
      if (kind === "nonsense" || length === 0 || length > mostBytes) {
        yield { kind: "nonsense", data: held.subarray(start, start + HEAD_BYTES) };
        return;
      }
      const end = start + HEAD_BYTES + length;
      if (held.length < end) break;
      yield { kind, data: held.subarray(start + HEAD_BYTES, end) };
      start = end;
    }
    held = held.subarray(start);
  }
}
