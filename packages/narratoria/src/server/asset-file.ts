/**
 * The bytes of an asset, whole or in part. Tools made them, so nothing here may run in the app: no sniffing, a sandbox
 * of its own for whatever a browser would render, and no use as script or style.
 */
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import type { Context } from "hono";
import { problem, type Problem } from "./problem.ts";

export interface StoredAsset {
  id: string;
  file: string;
  mediaType: string;
  bytes: number;
}

const POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";
/** What a page may use an asset for; the app's own policy lets it load script from its own address. */
const USES = ["image", "audio", "video", "track", "document", "empty"];
/** Shown where they are; everything else, SVG, HTML and PDF above all, is a download when opened by itself. */
const INLINE = /^(?:image\/(?!svg)|audio\/|video\/|text\/plain$)/;

export function sendAsset(c: Context, asset: StoredAsset): Response | Problem {
  const use = c.req.header("sec-fetch-dest");
  if (use !== undefined && !USES.includes(use)) return problem(403, `an asset cannot be used as ${use}`);

  const etag = `"${asset.id}"`;
  const headers: { [name: string]: string } = {
    "Content-Type": safeMediaType(asset.mediaType),
    "Content-Disposition": INLINE.test(asset.mediaType.toLowerCase()) ? "inline" : "attachment",
    "Content-Security-Policy": POLICY,
    "Cache-Control": "private, max-age=31536000, immutable",
    "Accept-Ranges": "bytes",
    ETag: etag,
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
  return new Response(Readable.toWeb(createReadStream(asset.file, { start, end })) as ReadableStream, {
    status,
    headers,
  });
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

function safeMediaType(mediaType: string): string {
  if (!/^[\w.+-]+\/[\w.+-]+(?:\s*;[ -~]*)?$/.test(mediaType)) return "application/octet-stream";
  return /javascript|ecmascript|css/i.test(mediaType) ? "text/plain" : mediaType;
}
