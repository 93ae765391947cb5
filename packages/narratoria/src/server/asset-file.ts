/**
 * The bytes of an asset, whole or in part. Tools made them, so nothing here may run in the app: no sniffing, a sandbox
 * of its own for whatever a browser would render, and no use as script or style.
 */
import { constants, createReadStream, openSync } from "node:fs";
import { Readable } from "node:stream";
import type { Context } from "hono";
import { diskTroubleIn } from "../index.ts";
import { problem, type Problem } from "./problem.ts";

export interface StoredAsset {
  id: string;
  file: string;
  mediaType: string;
  bytes: number;
}

const POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";
const READ_NO_LINK = constants.O_RDONLY | constants.O_NOFOLLOW;
/** What a page may use an asset for; the app's own policy lets it load script from its own address. */
const USES = ["image", "audio", "video", "track", "document", "empty"];
/** What a browser shows or plays, and never runs: sent as what it is, and shown where it is. */
const SHOWN = new Set(
  [
    ["image", "png apng jpeg jpg gif webp avif bmp"],
    ["audio", "mpeg mp3 mp4 aac ogg opus webm flac wav wave x-wav vnd.wave x-m4a midi"],
    ["video", "mp4 webm ogg quicktime x-matroska"],
    ["text", "plain"],
  ].flatMap(([family, names = ""]) => names.split(" ").map((name) => `${family}/${name}`)),
);
/** Sent as what they are, and a download when opened by themselves: a picture may be an SVG, which cannot run there. */
const SAVED = new Set([
  "image/svg+xml",
  "text/html",
  "application/pdf",
  "application/json",
  "text/csv",
  "text/markdown",
]);

export function sendAsset(c: Context, asset: StoredAsset): Response | Problem {
  const use = c.req.header("sec-fetch-dest");
  if (use !== undefined && !USES.includes(use)) return problem(403, `an asset cannot be used as ${use}`);

  const etag = `"${asset.id}"`;
  const { type, disposition } = sentAs(asset.mediaType);
  const headers: { [name: string]: string } = {
    "Content-Type": type,
    "Content-Disposition": disposition,
    "Content-Security-Policy": POLICY,
    "Cache-Control": "private, max-age=31536000, immutable",
    "Accept-Ranges": "bytes",
    ETag: etag,
    // What may be used as a picture may not be used as a script; no cache may answer one with the other.
    Vary: "Authorization, Sec-Fetch-Dest",
  };
  if (c.req.header("if-none-match")?.includes(etag)) return new Response(null, { status: 304, headers });

  const ifRange = c.req.header("if-range");
  const rangeHeader = ifRange === undefined || ifRange === etag ? c.req.header("range") : undefined;
  const range = readRange(rangeHeader, asset.bytes);
  if (range === "unsatisfiable") {
    const answer = problem(416, `the asset has ${asset.bytes} bytes`);
    return { ...answer, headers: { "Content-Range": `bytes */${asset.bytes}` } };
  }
  const { start, end } = range ?? { start: 0, end: asset.bytes - 1 };
  headers["Content-Length"] = String(end - start + 1);
  if (range !== null) headers["Content-Range"] = `bytes ${start}-${end}/${asset.bytes}`;
  const status = range === null ? 200 : 206;
  if (c.req.method === "HEAD" || asset.bytes === 0) return new Response(null, { status, headers });
  const descriptor = open(asset.file);
  if (descriptor === null) return problem(404, "the file of this asset is not there any more");
  const bytes = createReadStream("", { fd: descriptor, start, end });
  return new Response(Readable.toWeb(bytes) as ReadableStream, { status, headers });
}

/** Null when there is none, or a link in its place. */
function open(file: string): number | null {
  try {
    return openSync(file, READ_NO_LINK);
  } catch (error) {
    // Not the file's fault, and it may pass.
    if (diskTroubleIn(error) !== null) throw error;
    return null;
  }
}

/** Null: all of it, also for several ranges at once, which nobody needs for sound and pictures. */
export function readRange(
  header: string | undefined,
  bytes: number,
): { start: number; end: number } | "unsatisfiable" | null {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "") ?? [];
  if (first === "" && last === "") return null;
  if (first === "") {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? "unsatisfiable" : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== "" && Number(last) < start) return null;
  return start >= bytes ? "unsatisfiable" : { start, end };
}

/** There are more names for scripts than anybody remembers: what is not known to be harmless is just bytes. */
function sentAs(mediaType: string): { type: string; disposition: "inline" | "attachment" } {
  const essence = mediaType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!SHOWN.has(essence) && !SAVED.has(essence))
    return { type: "application/octet-stream", disposition: "attachment" };
  const isUtf8 = /;\s*charset="?utf-?8"?\s*$/i.test(mediaType);
  const type = essence.startsWith("text/") && isUtf8 ? `${essence}; charset=utf-8` : essence;
  return { type, disposition: SHOWN.has(essence) ? "inline" : "attachment" };
}
