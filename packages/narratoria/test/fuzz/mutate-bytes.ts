/**
 * Spoils seeds: a few small changes to the bytes of a valid input, some blind (a flipped bit, a cut), some that know a
 * little of text (a number made giant, a line twice). Seeds and changes come from fast-check, which undoes what a find
 * does not need.
 */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { HOSTILE_PIECES, hostileText } from "./hostile-pieces.ts";

/** The seeds with up to a handful of changes, and now and then bytes that never were a seed. */
export function spoiled(seeds: readonly (string | Uint8Array)[], mostBytes = 128 * 1024): fc.Arbitrary<Uint8Array> {
  const corpus = seeds.map((seed) => Buffer.from(seed));
  return fc.oneof({ weight: 30, arbitrary: changed(fc.constantFrom(...corpus), corpus, mostBytes) }, anyBytes);
}

/** What a grammar makes, spoiled in one case of three. */
export function sometimesSpoiled(
  documents: fc.Arbitrary<Uint8Array>,
  mostBytes = 128 * 1024,
): fc.Arbitrary<Uint8Array> {
  return fc.oneof({ weight: 2, arbitrary: documents }, { weight: 1, arbitrary: changed(documents, [], mostBytes) });
}

export const anyBytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 64 }),
  hostileText.map((text) => Buffer.from(text)),
);

function changed(
  documents: fc.Arbitrary<Uint8Array>,
  corpus: readonly Buffer[],
  mostBytes: number,
): fc.Arbitrary<Uint8Array> {
  return fc.tuple(documents, fc.array(change, { minLength: 1, maxLength: 5 })).map(([seed, changes]) => {
    let bytes: Buffer = Buffer.from(seed);
    for (const how of changes) bytes = CHANGES[how.kind](bytes, how, corpus).subarray(0, mostBytes);
    return bytes;
  });
}

interface Change {
  kind: ChangeKind;
  /** Where, as a share of the length. */
  at: number;
  length: number;
  which: number;
}

type Apply = (bytes: Buffer, how: Change, corpus: readonly Buffer[]) => Buffer;

const CHANGES = {
  "flip a bit": (bytes, { at, which }) => {
    const copy = Buffer.from(bytes);
    const place = placeIn(bytes, at);
    if (place < copy.length) copy[place] = (copy[place] ?? 0) ^ (1 << (which % 8));
    return copy;
  },
  "set a byte": (bytes, { at, which }) => replace(bytes, placeIn(bytes, at), 1, Buffer.from([which & 0xff])),
  "cut off": (bytes, { at }) => bytes.subarray(0, placeIn(bytes, at)),
  "take out": (bytes, { at, length }) => replace(bytes, placeIn(bytes, at), length, NOTHING),
  "say twice": (bytes, { at, length, which }) => {
    const from = placeIn(bytes, at);
    const piece = bytes.subarray(from, from + length);
    return replace(
      bytes,
      from,
      0,
      Buffer.concat(Array.from({ length: REPEATS[which % REPEATS.length] ?? 1 }, () => piece)),
    );
  },
  "put in": (bytes, { at, which }) => replace(bytes, placeIn(bytes, at), 0, pieceOf(which)),
  "put in place": (bytes, { at, length, which }) => replace(bytes, placeIn(bytes, at), length, pieceOf(which)),
  /** A whole value between the marks that end values. */
  "another value": (bytes, { at, which }) => {
    const from = placeIn(bytes, at);
    const start = lastMark(bytes, from) + 1;
    const end = nextMark(bytes, from);
    return replace(bytes, start, end - start, pieceOf(which));
  },
  "another number": (bytes, { at, which }) => {
    const from = bytes.findIndex((byte, index) => index >= placeIn(bytes, at) && byte >= 0x30 && byte <= 0x39);
    if (from < 0) return bytes;
    let to = from;
    while ((bytes[to] ?? 0) >= 0x30 && (bytes[to] ?? 0) <= 0x39) to++;
    return replace(bytes, from, to - from, pieceOf(which % 17));
  },
  "a line elsewhere": (bytes, { at, which }) => {
    const lines = bytes.toString("latin1").split("\n");
    const [line = ""] = lines.splice(Math.floor(at * lines.length), which % 2);
    lines.splice(which % (lines.length + 1), 0, line === "" ? (lines[which % lines.length] ?? "") : line);
    return Buffer.from(lines.join("\n"), "latin1");
  },
  "half of another": (bytes, { at, which }, corpus) => {
    const other = corpus[which % Math.max(1, corpus.length)] ?? bytes;
    return Buffer.concat([bytes.subarray(0, placeIn(bytes, at)), other.subarray(placeIn(other, at))]);
  },
} satisfies Record<string, Apply>;
type ChangeKind = keyof typeof CHANGES;

const NOTHING = Buffer.alloc(0);
const REPEATS = [1, 1, 2, 3, 50, 2_000];

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom(...(Object.keys(CHANGES) as ChangeKind[])),
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  length: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 400 })),
  which: fc.nat({ max: 65_535 }),
});

function placeIn(bytes: Buffer, share: number): number {
  return Math.floor(share * bytes.length);
}

function pieceOf(which: number): Buffer {
  return HOSTILE_PIECES[which % HOSTILE_PIECES.length] ?? NOTHING;
}

function replace(bytes: Buffer, at: number, length: number, by: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + length)]);
}

const MARKS = new Set(Buffer.from("{}[],:\n=&? \r;"));

function lastMark(bytes: Buffer, from: number): number {
  let at = from - 1;
  while (at >= 0 && !MARKS.has(bytes[at] ?? 0)) at--;
  return at;
}

function nextMark(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && !MARKS.has(bytes[at] ?? 0)) at++;
  return at;
}
