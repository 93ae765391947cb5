/**
 * How large a picture is and how long a sound plays, read from the bytes of the usual formats. Tools made these files:
 * every number in them may be a lie, so nothing is followed beyond what was read, and no answer is an answer.
 */
import type { MediaFacts } from "../runtime/seams/assets.ts";
import { plainType, rootElement } from "./media-signature.ts";

export interface MediaBytes {
  /** The beginning of the file, its end, and its whole length. */
  head: Buffer;
  tail: Buffer;
  bytes: number;
}

export function readMediaFacts(mediaType: string, media: MediaBytes): MediaFacts {
  const [kind = "", format = ""] = plainType(mediaType).split("/");
  try {
    if (kind === "image") return plausibleSize(readSize(format, media.head));
    const durationMs = kind === "audio" ? readDuration(format, media) : null;
    const isPlausible = durationMs !== null && Number.isFinite(durationMs) && durationMs >= 0 && durationMs < MOST_MS;
    return isPlausible ? { durationMs: Math.round(durationMs) } : {};
  } catch (error) {
    // Cut off in the middle of a header.
    if (error instanceof RangeError) return {};
    throw error;
  }
}

type Size = [width: number, height: number] | null;

const MOST_PIXELS = 1_000_000;
const MOST_MS = 1000 * 60 * 60 * 24 * 30;

function plausibleSize(size: Size): MediaFacts {
  if (size === null || !size.every((side) => Number.isFinite(side) && side >= 1 && side <= MOST_PIXELS)) return {};
  return { width: Math.round(size[0]), height: Math.round(size[1]) };
}

function readSize(format: string, head: Buffer): Size {
  switch (format) {
    case "png":
    case "apng":
      return [head.readUInt32BE(16), head.readUInt32BE(20)];
    case "gif":
      return [head.readUInt16LE(6), head.readUInt16LE(8)];
    case "bmp":
      return [Math.abs(head.readInt32LE(18)), Math.abs(head.readInt32LE(22))];
    case "jpeg":
    case "jpg":
      return readJpegSize(head);
    case "webp":
      return readWebpSize(head);
    case "svg+xml":
      return readSvgSize(rootElement(head));
    default:
      return null;
  }
}

function readJpegSize(head: Buffer): Size {
  for (let at = 2; at < head.length;) {
    const marker = head.readUInt16BE(at);
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return [head.readUInt16BE(at + 7), head.readUInt16BE(at + 5)];
    if (marker < 0xff01 || marker === 0xffda) return null;
    // Fill bytes and markers without a length move on by themselves: this always comes to an end.
    at +=
      marker === 0xffff ? 1 : 2 + (marker >= 0xffd0 && marker <= 0xffd9 ? 0 : Math.max(2, head.readUInt16BE(at + 2)));
  }
  return null;
}

function readWebpSize(head: Buffer): Size {
  switch (head.toString("latin1", 12, 16)) {
    case "VP8X":
      return [head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1];
    case "VP8L": {
      const bits = head.readUInt32LE(21);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    case "VP8 ":
      return [head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff];
    default:
      return null;
  }
}

function readSvgSize(tag: string): Size {
  const side = (name: string): number =>
    Number(new RegExp(`\\s${name}\\s*=\\s*["']\\s*([\\d.]+)(?:px)?\\s*["']`).exec(tag)?.[1]);
  const box = /\sviewBox\s*=\s*["']\s*[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(tag);
  if (!Number.isNaN(side("width") + side("height"))) return [side("width"), side("height")];
  return box === null ? null : [Number(box[1]), Number(box[2])];
}

function readDuration(format: string, media: MediaBytes): number | null {
  switch (format) {
    case "wav":
    case "wave":
    case "x-wav":
    case "vnd.wave":
      return readWavDuration(media);
    case "ogg":
      return readOggDuration(media);
    case "mpeg":
    case "mp3":
      return readMp3Duration(media);
    default:
      return null;
  }
}

function readWavDuration({ head, bytes }: MediaBytes): number | null {
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= head.length;) {
    const name = head.toString("latin1", at, at + 4);
    const length = head.readUInt32LE(at + 4);
    if (name === "fmt ") bytesPerSecond = head.readUInt32LE(at + 16);
    // A stream written to a pipe does not know its length; the file does.
    if (name === "data") return (Math.min(length, bytes - at - 8) / bytesPerSecond) * 1000;
    at += 8 + length + (length % 2);
  }
  return null;
}

/** The last page's position counts samples; the first page says how many there are in a second. */
function readOggDuration({ head, tail }: MediaBytes): number | null {
  const last = tail.lastIndexOf("OggS");
  if (last === -1) return null;
  const samples = Number(tail.readBigUInt64LE(last + 6));
  const packet = 27 + head.readUInt8(26);
  // Opus counts at 48 kHz whatever was recorded, and its first samples are not to be heard.
  if (head.toString("latin1", packet, packet + 8) === "OpusHead")
    return (samples - head.readUInt16LE(packet + 10)) / 48;
  if (head.toString("latin1", packet + 1, packet + 7) === "vorbis")
    return (samples / head.readUInt32LE(packet + 12)) * 1000;
  return null;
}

const MP3_KBPS = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];

/** Layer III: by the count of frames when the file tells, else as if its bit rate never changed. */
function readMp3Duration({ head, bytes }: MediaBytes): number | null {
  const tag = head.toString("latin1", 0, 3) === "ID3" ? 10 + syncSafe(head, 6) : 0;
  const header = head.readUInt32BE(tag);
  const version = (header >>> 19) & 3;
  if (header >>> 21 !== 0x7ff || ((header >>> 17) & 3) !== 1 || version === 1) return null;
  const isFirst = version === 3;
  const kbps = MP3_KBPS[isFirst ? 0 : 1]?.[(header >>> 12) & 15] ?? 0;
  const rate = ([44100, 48000, 32000][(header >>> 10) & 3] ?? 0) / (isFirst ? 1 : version === 2 ? 2 : 4);
  const isMono = ((header >>> 6) & 3) === 3;
  const info = tag + 4 + (isFirst ? (isMono ? 17 : 32) : isMono ? 9 : 17);
  const hasCount =
    ["Xing", "Info"].includes(head.toString("latin1", info, info + 4)) && (head.readUInt32BE(info + 4) & 1) === 1;
  if (hasCount) return ((head.readUInt32BE(info + 8) * (isFirst ? 1152 : 576)) / rate) * 1000;
  return ((bytes - tag) * 8) / kbps;
}

function syncSafe(head: Buffer, at: number): number {
  return [0, 1, 2, 3].reduce((size, index) => size * 128 + (head.readUInt8(at + index) & 127), 0);
}
