/** What bytes say of themselves: signatures, sizes, lengths, and no end of nonsense. */
import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { growthOfCost } from "../../test/cost-growth.ts";
import { readMediaFacts } from "./media-facts.ts";
import { findMediaMismatch } from "./media-signature.ts";

const PNG = Buffer.concat([
  Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"),
  uint32(640),
  uint32(480),
  deflateSync(""),
]);
const GIF = Buffer.from("GIF89a\x40\x01\xf0\0", "latin1");
const JPEG = Buffer.concat([
  Buffer.from("\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0", "latin1"),
  Buffer.from("\xff\xc0\0\x11\x08\x01\xe0\x02\x80\x03", "latin1"),
]);
const WEBP_LOSSLESS = Buffer.from("RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x7f\xc2\x3b\0", "latin1");
const SVG = Buffer.from(
  '\ufeff<?xml version="1.0"?>\n<!-- a > b -->\n<!DOCTYPE svg [<!ENTITY a "b">]>\n<svg viewBox="0 0 120 80"/>',
);
const WAV = Buffer.concat([
  Buffer.from("RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0", "latin1"),
  uint32LE(8000),
  uint32LE(16_000),
  Buffer.from("\x02\0\x10\0data", "latin1"),
  uint32LE(8000),
  Buffer.alloc(8000),
]);
/** MPEG 1, layer III, 128 kbit/s, 44.1 kHz, and two seconds' worth of bytes. */
const MP3 = Buffer.concat([Buffer.from("\xff\xfb\x90\x00", "latin1"), Buffer.alloc(31_996)]);
const OGG = Buffer.concat([
  oggPage(0n, Buffer.concat([Buffer.from("\x01vorbis\0\0\0\0\x01", "latin1"), uint32LE(44_100), Buffer.alloc(18)])),
  oggPage(66_150n, Buffer.alloc(10)),
]);

describe("[T4.3] a media type is checked against the bytes", () => {
  test.each([
    ["image/png", PNG],
    ["image/gif", GIF],
    ["image/jpeg", JPEG],
    ["image/webp", WEBP_LOSSLESS],
    ["image/svg+xml", SVG],
    ["text/xml", SVG],
    ["audio/wav", WAV],
    ["audio/mpeg", MP3],
    ["audio/ogg", OGG],
    ["video/mp4", Buffer.from("\0\0\0\x18ftypisom")],
    ["video/webm", Buffer.from("\x1a\x45\xdf\xa3", "latin1")],
    ["application/pdf", Buffer.from("%PDF-1.7")],
    ["model/gltf-binary", Buffer.from("glTF\x02\0\0\0")],
  ])("%s", (mediaType, bytes) => {
    expect(findMediaMismatch(mediaType, bytes)).toBeNull();
    expect(findMediaMismatch(`${mediaType.toUpperCase()}; x=y`, bytes)).toBeNull();
    expect(findMediaMismatch(mediaType, Buffer.from("hello"))).toBe(`it says ${mediaType} but its bytes are not`);
    expect(findMediaMismatch(mediaType, Buffer.alloc(0))).not.toBeNull();
  });

  test("a page is no picture, whatever it calls itself", () => {
    expect(findMediaMismatch("image/svg+xml", Buffer.from("<html><svg></svg></html>"))).not.toBeNull();
  });

  test("a type without a known signature is believed", () => {
    expect(findMediaMismatch("text/plain", PNG)).toBeNull();
    expect(findMediaMismatch("constructor", PNG)).toBeNull();
  });
});

describe("[T4.3] size and length", () => {
  test.each([
    ["image/png", PNG, { width: 640, height: 480 }],
    ["image/gif", GIF, { width: 320, height: 240 }],
    ["image/jpeg", JPEG, { width: 640, height: 480 }],
    ["image/webp", WEBP_LOSSLESS, { width: 640, height: 240 }],
    ["image/svg+xml", SVG, { width: 120, height: 80 }],
    ["image/svg+xml", Buffer.from('<svg width="20px" height="10.4" viewBox="0 0 1 1">'), { width: 20, height: 10 }],
    ["image/svg+xml", Buffer.from('<svg width="100%" height="100%">'), {}],
    ["audio/wav", WAV, { durationMs: 500 }],
    ["audio/mpeg", MP3, { durationMs: 2000 }],
    ["audio/ogg", OGG, { durationMs: 1500 }],
    ["text/plain", PNG, {}],
  ])("%s", (mediaType, bytes, facts) => {
    expect(readMediaFacts(mediaType, asMedia(bytes))).toEqual(facts);
  });

  test("numbers that cannot be are not passed on", () => {
    const huge = Buffer.from(PNG);
    huge.writeUInt32BE(0xffffffff, 16);
    expect(readMediaFacts("image/png", asMedia(huge))).toEqual({});
  });

  const TYPES = ["png", "gif", "jpeg", "webp", "bmp", "svg+xml"].map((format) => `image/${format}`);
  const mediaTypes = fc.constantFrom(...TYPES, "audio/wav", "audio/ogg", "audio/mpeg");
  const samples = [PNG, GIF, JPEG, WEBP_LOSSLESS, SVG, WAV.subarray(0, 60), MP3.subarray(0, 60), OGG];

  test("no bytes, cut anywhere and changed anywhere, break the reader", () => {
    const bytes = fc
      .tuple(fc.constantFrom(...samples), fc.nat(), fc.nat(), fc.nat(255), fc.uint8Array({ maxLength: 40 }))
      .map(([sample, cut, place, value, more]) => {
        const changed = Buffer.concat([sample.subarray(0, cut % (sample.length + 1)), more]);
        if (changed.length > 0) changed[place % changed.length] = value;
        return changed;
      });
    fc.assert(
      fc.property(mediaTypes, bytes, (mediaType, changed) => {
        findMediaMismatch(mediaType, changed);
        for (const fact of Object.values(readMediaFacts(mediaType, asMedia(changed)))) {
          expect(Number.isSafeInteger(fact) && fact >= 0).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("a picture of the web app is read too", () => {
    const icon = readFileSync(new URL("../../web/public/favicon.svg", import.meta.url));
    expect(findMediaMismatch("image/svg+xml", icon)).toBeNull();
    expect(readMediaFacts("image/svg+xml", asMedia(icon)).width).toBeGreaterThan(0);
  });

  test("a document made to be slow to read is not", () => {
    const slow = (size: number): Buffer => Buffer.from(`${"<!-- -->".repeat(size)}${" ".repeat(8 * size)}<sv`);
    expect(findMediaMismatch("image/svg+xml", slow(8_000))).not.toBeNull();
    const documents = new Map([2_000, 8_000].map((size) => [size, slow(size)]));
    const read = (size: number): void => void findMediaMismatch("image/svg+xml", documents.get(size) ?? slow(size));
    expect(growthOfCost(read, 2_000)).toBeLessThan(9);
  });
});

function asMedia(bytes: Buffer): { head: Buffer; tail: Buffer; bytes: number } {
  return { head: bytes, tail: bytes.subarray(-65_536), bytes: bytes.length };
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function uint32LE(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function oggPage(position: bigint, packet: Buffer): Buffer {
  const header = Buffer.alloc(28);
  header.write("OggS");
  header.writeBigUInt64LE(position, 6);
  header.writeUInt8(1, 26);
  header.writeUInt8(packet.length, 27);
  return Buffer.concat([header, packet]);
}
