import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLineSplitter, DEFAULT_MAX_LINE_BYTES, type Frame } from "./ndjson.ts";

function split(
  chunks: readonly (Uint8Array | string)[],
  maxLineBytes = DEFAULT_MAX_LINE_BYTES,
  quoteEndings = false,
): Frame[] {
  const splitter = createLineSplitter({ maxLineBytes, quoteEndings });
  const frames = chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk as Uint8Array)));
  return [...frames, ...splitter.end()];
}

const texts = (frames: readonly Frame[]): string[] =>
  frames.map((frame) => (frame.kind === "line" ? frame.text : `<${frame.code}>`));

describe("createLineSplitter", () => {
  test("[T2.1] any way of cutting the bytes gives the same frames", () => {
    const piece = fc.oneof(
      fc
        .constantFrom("\n", "\r\n", "\uFEFF", "ä", "🔥", "\u2028", " ", "a", "0123456789")
        .map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 4 }),
    );
    const bytes = fc.array(piece, { maxLength: 40 }).map((pieces) => Buffer.concat(pieces));
    const cuts = fc.array(fc.nat(120), { maxLength: 12 });
    const limit = fc.integer({ min: 3, max: 40 });
    const property = fc.property(bytes, cuts, limit, fc.boolean(), (all, places, maxLineBytes, quoteEndings) => {
      const ends = [...places.filter((place) => place < all.length).sort((a, b) => a - b), all.length];
      const chunks = ends.map((end, i) => all.subarray(ends[i - 1] ?? 0, end));
      const whole = split([all], maxLineBytes, quoteEndings);
      expect(split(chunks, maxLineBytes, quoteEndings)).toEqual(whole);
      const singles = Array.from(all, (byte) => Uint8Array.of(byte));
      expect(split(singles, maxLineBytes, quoteEndings)).toEqual(whole);
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("[T2.3] bad lines are quoted with how they end, where that is asked for", () => {
    const bytes = [Buffer.from("begin"), Buffer.from([0xff]), Buffer.from(`${"x".repeat(300)}the end\n`)];
    expect(split(bytes, 1_000, true)).toMatchObject([{ code: "INVALID_UTF8", ending: `${"x".repeat(193)}the end` }]);
    const long = ["a".repeat(20), "b".repeat(20), "the end", "\nnext\n"];
    expect(split(long, 30, true)).toMatchObject([
      { code: "LINE_TOO_LONG", ending: expect.stringMatching(/^a{20}b{20}the end$/), terminated: true },
      { text: "next" },
    ]);
    expect(split(long, 30)).toEqual([expect.not.objectContaining({ ending: expect.anything() }), expect.anything()]);
  });

  test("[T2.1] lines of any text come back as they were", () => {
    const text = fc.string({ unit: "grapheme" }).filter((line) => !/[\r\n]/.test(line) && !/^[ \t]*$/.test(line));
    const property = fc.property(fc.array(text.filter((line) => !line.startsWith("\uFEFF"))), (lines) => {
      expect(texts(split([lines.map((line) => `${line}\n`).join("")]))).toEqual(lines);
    });
    fc.assert(property, { numRuns: 200 });
  });

  test("[T2.1] a character cut in two is intact", () => {
    const bytes = Buffer.from("🔥 lit\n");
    expect(texts(split([bytes.subarray(0, 2), bytes.subarray(2)]))).toEqual(["🔥 lit"]);
  });

  test("[T2.1] only a newline ends a line: U+2028, U+0085 and a lone carriage return do not", () => {
    expect(texts(split(["a\u2028b\u0085c\rd\n"]))).toEqual(["a\u2028b\u0085c\rd"]);
  });

  test("[T2.2] CRLF, blank lines, a byte order mark and a missing last newline are tolerated", () => {
    expect(split(["\uFEFFone\r\n\n  \t\r\ntwo"])).toEqual([
      { kind: "line", number: 1, text: "one", terminated: true },
      { kind: "line", number: 4, text: "two", terminated: false },
    ]);
  });

  test("[T2.2] a byte order mark counts only at the very start, however it arrives", () => {
    expect(texts(split([Uint8Array.of(0xef), Uint8Array.of(0xbb), Uint8Array.of(0xbf), "a\n\uFEFFb\n"]))).toEqual([
      "a",
      "\uFEFFb",
    ]);
  });

  test("[T2.3] a line at the limit passes, one byte more does not, and the next line is read", () => {
    const frames = split(["a".repeat(10), "\n", "b".repeat(11), "bbb\nnext\n"], 10);
    expect(texts(frames)).toEqual(["a".repeat(10), "<LINE_TOO_LONG>", "next"]);
    expect(frames[1]).toMatchObject({ number: 2, excerpt: "b".repeat(10) });
    expect(frames[2]).toMatchObject({ number: 3 });
  });

  test("[T2.3] the limit does not count the byte order mark", () => {
    const line = `\uFEFF${"a".repeat(10)}`;
    expect(texts(split([line, "\n"], 10))).toEqual(["a".repeat(10)]);
    expect(texts(split([`${line}\n`], 10))).toEqual(["a".repeat(10)]);
  });

  test("[T2.3] a line too long is reported while it arrives, not at its end", () => {
    const splitter = createLineSplitter({ maxLineBytes: 100 });
    expect(splitter.push(Buffer.alloc(100, "x"))).toEqual([]);
    expect(splitter.push(Buffer.alloc(1, "x"))).toMatchObject([{ kind: "bad_line", code: "LINE_TOO_LONG" }]);
    expect(splitter.push(Buffer.alloc(5000, "x"))).toEqual([]);
    expect(texts(splitter.push(Buffer.from("x\nback\n")))).toEqual(["back"]);
  });

  test("[T2.3] the default limit is 8 MiB", () => {
    expect(DEFAULT_MAX_LINE_BYTES).toBe(8 * 1024 * 1024);
    const whole = Buffer.alloc(DEFAULT_MAX_LINE_BYTES, "x");
    expect(split([whole, "\n"]).map((frame) => frame.kind)).toEqual(["line"]);
    expect(split([whole, "x\n"]).map((frame) => frame.kind)).toEqual(["bad_line"]);
  });

  test("[T2.3] invalid UTF-8 is reported, never replaced, and its neighbours are read", () => {
    const frames = split([
      Buffer.concat([Buffer.from("one\n"), Buffer.from([0x61, 0xff, 0x0a]), Buffer.from("three\n")]),
    ]);
    expect(texts(frames)).toEqual(["one", "<INVALID_UTF8>", "three"]);
    expect(frames[1]).toMatchObject({ number: 2 });
    const surrogate = Buffer.from([0xed, 0xa0, 0x80, 0x0a]);
    const overlong = Buffer.from([0xc0, 0xaf, 0x0a]);
    const cutOff = Buffer.from([0xf0, 0x9f]);
    expect(texts(split([surrogate, overlong, cutOff]))).toEqual(Array(3).fill("<INVALID_UTF8>"));
  });
});
