/**
 * Whether bytes are what their media type says, for the types that have a signature. Anything else is believed: the app
 * shows only what it knows anyway. `media-facts.ts` reads what the bytes tell beyond that.
 */

type Signature = (head: Buffer) => boolean;

const riff =
  (form: string): Signature =>
  (head) =>
    at(head, 0, "RIFF") && at(head, 8, form);
const starts =
  (text: string): Signature =>
  (head) =>
    at(head, 0, text);
/** The family of MP4: a box of type `ftyp` comes first. */
const isoMedia: Signature = (head) => at(head, 4, "ftyp");
const matroska: Signature = (head) => head.length >= 4 && head.readUInt32BE(0) === 0x1a45dfa3;
const mp3: Signature = (head) => at(head, 0, "ID3") || (head.length > 2 && head.readUInt16BE(0) >= 0xffe0);
const png: Signature = (head) => at(head, 0, "\x89PNG\r\n\x1a\n");
const jpeg: Signature = (head) => at(head, 0, "\xff\xd8\xff");
const gif: Signature = (head) => at(head, 0, "GIF87a") || at(head, 0, "GIF89a");
const svg: Signature = (head) => /^<(?:\w+:)?svg[\s>/]/.test(rootElement(head));
const xml: Signature = (head) => text(head).trimStart().startsWith("<");
const pdf: Signature = (head) => head.subarray(0, 1024).includes("%PDF-");
const wav = riff("WAVE");
const ogg = starts("OggS");

const SIGNATURES: { readonly [mediaType: string]: Signature } = {
  "image/png": png,
  "image/apng": png,
  "image/jpeg": jpeg,
  "image/jpg": jpeg,
  "image/gif": gif,
  "image/webp": riff("WEBP"),
  "image/bmp": starts("BM"),
  "image/avif": isoMedia,
  "image/svg+xml": svg,
  "application/xml": xml,
  "text/xml": xml,
  "audio/wav": wav,
  "audio/wave": wav,
  "audio/x-wav": wav,
  "audio/vnd.wave": wav,
  "audio/mpeg": mp3,
  "audio/mp3": mp3,
  "audio/ogg": ogg,
  "video/ogg": ogg,
  "application/ogg": ogg,
  "audio/flac": starts("fLaC"),
  "audio/midi": starts("MThd"),
  "audio/mp4": isoMedia,
  "video/mp4": isoMedia,
  "video/webm": matroska,
  "audio/webm": matroska,
  "application/pdf": pdf,
  "model/gltf-binary": starts("glTF"),
  "font/woff2": starts("wOF2"),
};

/** A reason to refuse it, or null. `head` is the beginning of the file. */
export function findMediaMismatch(mediaType: string, head: Buffer): string | null {
  const type = plainType(mediaType);
  const signature = Object.hasOwn(SIGNATURES, type) ? SIGNATURES[type] : undefined;
  return signature === undefined || signature(head) ? null : `it says ${type} but its bytes are not`;
}

/** Without parameters, in lower case. */
export function plainType(mediaType: string): string {
  return mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
}

function at(head: Buffer, offset: number, bytes: string): boolean {
  return head.length >= offset + bytes.length && head.toString("latin1", offset, offset + bytes.length) === bytes;
}

const MOST_TAG_CHARACTERS = 4000;

/** The first tag of a document behind declarations and comments. By hand: a pattern could be made to run for ever. */
export function rootElement(head: Buffer): string {
  const document = text(head);
  let at = 0;
  for (;;) {
    while (/\s/.test(document.charAt(at))) at++;
    const end = ["<?", "<!--", "<!"].find((start) => document.startsWith(start, at));
    if (end === undefined) break;
    const close = end === "<?" ? "?>" : end === "<!--" ? "-->" : closeOfDoctype(document, at);
    const found = document.indexOf(close, at);
    if (found === -1) return "";
    at = found + close.length;
  }
  const tagEnd = document.indexOf(">", at);
  return tagEnd === -1 ? "" : document.slice(at, Math.min(tagEnd + 1, at + MOST_TAG_CHARACTERS));
}

function closeOfDoctype(document: string, at: number): string {
  const bracket = document.indexOf("[", at);
  return bracket !== -1 && bracket < document.indexOf(">", at) ? "]>" : ">";
}

function text(head: Buffer): string {
  return head
    .subarray(0, 64 * 1024)
    .toString("utf8")
    .replace(/^\ufeff/, "");
}
