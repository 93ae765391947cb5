import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { readFrames } from "./frames.ts";

async function read(chunks: Buffer[]): Promise<string[]> {
  const found: string[] = [];
  async function* stream(): AsyncGenerator<Buffer> {
    yield* chunks;
  }
  for await (const { kind, data } of readFrames(stream())) found.push(`${kind} ${data.toString()}`);
  return found;
}

const bytes = Buffer.from("B\0\0\0\x02{}O\0\0\0\x03abcR\0\0\0\x01{X\0\0\0\x02{}", "latin1");
const frames = ["begin {}", "stdout abc", "response {", "exit {}"];

test("frames are found wherever the chunks are cut", async () => {
  expect(await read([bytes])).toEqual(frames);
  expect(await read(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(frames);
  for (let cut = 1; cut < bytes.length; cut++) {
    expect(await read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(frames);
  }
});

test("what is no frame ends the reading", async () => {
  expect(await read([bytes, Buffer.from("hello there"), bytes])).toEqual([...frames, "nonsense hello"]);
});

test.each(["O\xff\xff\xff\xff", "O\0\0\0\0", "B\0\0\x04\x01", "O\0\x01\0\x01", "H\0\x10\0\x01", "\0\0\0\0\0"])(
  "%j is no frame: too long for its kind, empty, or of no kind",
  async (head) => {
    const found = await read([Buffer.from(head, "latin1"), bytes]);
    expect(found.map((frame) => frame.split(" ")[0])).toEqual(["nonsense"]);
  },
);
