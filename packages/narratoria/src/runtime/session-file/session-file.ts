/**
 * A session as one file: zstd-compressed lines of JSON (`file-line.ts`), and at the end a line with a hash over all bytes
 * before it. A fork is written as one session that has had all those turns itself; where things lie on this machine is
 * left out. `session-file-check.ts` reads it back, `import-session.ts` takes it in.
 */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { basename, isAbsolute } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress } from "node:zlib";
import type { EventOf, NarratoriaEvent } from "../../story/event.ts";
import type { LogRecord, SessionRow } from "../seams/store.ts";
import type { Ancestry } from "../turns/ancestry.ts";
import { assetHashOf, FORMAT, FORMAT_VERSION, sealOf, type FileLine } from "./file-line.ts";

/** Of log lines in one line of the file, so that a reader need not hold more. */
const LINES_BYTES = 1024 * 1024;
const CHUNK_BYTES = 192 * 1024;
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

export function exportSession(
  ancestry: Ancestry,
  session: SessionRow,
  assetFile: (sha256: string) => string,
): AsyncIterable<Uint8Array> {
  const compressed = createZstdCompress(COMPRESSION);
  // What goes wrong reaches whoever reads: the stream is destroyed with the error.
  pipeline(Readable.from(asBytes(writeLines(ancestry, session, assetFile))), compressed).catch(() => {});
  return sealed(compressed);
}

async function* sealed(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
  yield sealOf(hash.digest("hex"));
}

async function* writeLines(
  ancestry: Ancestry,
  session: SessionRow,
  assetFile: (sha256: string) => string,
): AsyncGenerator<FileLine> {
  const { sessionId, title, storyTitle: story } = session;
  const hashes = new Set<string>();
  yield { kind: "header", format: FORMAT, version: FORMAT_VERSION, sessionId, title, story };
  for (const record of ancestry.records(sessionId)) {
    if (record.kind === "lines") {
      yield* splitLines(record, sessionId);
      continue;
    }
    const sha256 = assetHashOf(record.event);
    if (sha256 !== null) hashes.add(sha256);
    yield { kind: "event", event: asOwn(record.event, sessionId) };
  }
  for (const sha256 of hashes) yield* readAsset(assetFile(sha256), sha256);
}

async function* asBytes(lines: AsyncIterable<FileLine>): AsyncGenerator<Buffer> {
  for await (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`);
}

/** As if the session had no ancestors, and no place on a disk. Numbers are given anew where it is taken in. */
function asOwn(event: NarratoriaEvent, sessionId: string): NarratoriaEvent {
  const { seq: _, ...about } = { ...event, session_id: sessionId };
  if (about.event === "session:fork") {
    return { ...about, event: "session:title", data: { title: about.data.title ?? "" } };
  }
  if (about.event === "tool:end") return withoutPlaces(about);
  if (about.event === "tool:event" && about.data.event.type === "asset") {
    const { path } = about.data.event;
    return { ...about, data: { ...about.data, event: { ...about.data.event, path: basename(path) } } };
  }
  if (about.event !== "session:start" || !about.data.story) return about;
  return { ...about, data: { ...about.data, story: { ...about.data.story, dir: "" } } };
}

/** A command is told by the names of its files: where they lay says who played, and on which machine. */
function withoutPlaces(end: EventOf<"tool:end">): EventOf<"tool:end"> {
  const { trace } = end.data;
  const command = trace?.["command"];
  if (!Array.isArray(command)) return end;
  const named = command.map((part) => (typeof part === "string" && isAbsolute(part) ? basename(part) : part));
  return { ...end, data: { ...end.data, trace: { ...trace, command: named } } };
}

function* splitLines(record: LogRecord & { kind: "lines" }, sessionId: string): Generator<FileLine> {
  const { seq: _, ...first } = { ...record.first, session_id: sessionId };
  for (let from = 0; from < record.lines.length;) {
    let bytes = 0;
    let to = from;
    for (; to < record.lines.length && (to === from || bytes < LINES_BYTES); to++)
      bytes += record.lines[to]?.length ?? 0;
    const progress = to === record.lines.length ? record.progress : null;
    yield { kind: "lines", first, number: record.number + from, lines: record.lines.slice(from, to), progress };
    from = to;
  }
}

/** An asset whose bytes are gone is left out: the rest of the story is still worth having. */
async function* readAsset(file: string, sha256: string): AsyncGenerator<FileLine> {
  const handle = await open(file).catch(() => null);
  if (handle === null) return;
  try {
    yield { kind: "asset", sha256 };
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (let read = await handle.read(buffer); read.bytesRead > 0; read = await handle.read(buffer)) {
      yield { kind: "chunk", base64: buffer.toString("base64", 0, read.bytesRead) };
    }
  } finally {
    await handle.close();
  }
}
