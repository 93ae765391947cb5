/** Reads a request's body within a limit. Forms are refused: a page elsewhere can post one without asking first. */
import { readJson, type Json } from "@narratoria/tool/json";
import { problem, type Problem } from "./problem.ts";

const MAX_JSON_BYTES = 1024 * 1024;
const MAX_FILE_BYTES = 1024 * 1024 * 1024;
const FORM_TYPES = ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"];

/** An empty body counts as `{}`: a route whose fields are all optional needs none. */
export async function readJsonBody(
  request: Request,
  mostBytes = MAX_JSON_BYTES,
): Promise<{ kind: "json"; value: Json } | Problem> {
  if (declaredBytes(request) > mostBytes) return tooLarge(mostBytes);
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of limited(bytesOf(request), mostBytes)) chunks.push(chunk);
  } catch (error) {
    if (error instanceof UnreadableBody) return error.problem;
    throw error;
  }
  const mediaType = mediaTypeOf(request);
  if (chunks.length === 0) {
    return FORM_TYPES.includes(mediaType) ? notJson(mediaType) : { kind: "json", value: {} };
  }
  if (mediaType !== "application/json") return notJson(mediaType);
  return parse(Buffer.concat(chunks));
}

export type BodyFile = { kind: "file"; chunks: AsyncIterable<Uint8Array> };

/** The file arrives as it is read. When it turns out too large, or ends too soon, reading fails with `UnreadableBody`. */
export function readFileBody(request: Request): BodyFile | Problem {
  const mediaType = mediaTypeOf(request);
  if (FORM_TYPES.includes(mediaType)) {
    return problem(400, `send the file as application/octet-stream, not as ${mediaType}`);
  }
  if (request.body === null) return problem(400, "the body is empty: send the exported file");
  if (declaredBytes(request) > MAX_FILE_BYTES) return tooLarge(MAX_FILE_BYTES);
  return { kind: "file", chunks: limited(bytesOf(request), MAX_FILE_BYTES) };
}

export class UnreadableBody extends Error {
  readonly problem: Problem;
  constructor(what: Problem) {
    super(what.message);
    this.problem = what;
  }
}

async function* limited(body: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new UnreadableBody(tooLarge(mostBytes));
    if (chunk.length > 0) yield chunk;
  }
}

/** A sender that leaves in the middle is no bug of ours. */
async function* bytesOf({ body }: Request): AsyncGenerator<Uint8Array> {
  try {
    // Typed as a stream of anything.
    if (body !== null) yield* body as AsyncIterable<Uint8Array>;
  } catch {
    throw new UnreadableBody(problem(400, "the body ended before its time"));
  }
}

function tooLarge(limit: number): Problem {
  return problem(413, `the body is larger than ${limit} bytes`, { limit });
}

function parse(bytes: Uint8Array): { kind: "json"; value: Json } | Problem {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return problem(400, "the body is not valid UTF-8");
  }
  const reading = readJson(text);
  if (reading.kind === "value") return { kind: "json", value: reading.value };
  const reason = reading.kind === "too_deep" ? "it is nested too deeply" : reading.reason;
  return problem(400, `the body is not valid JSON: ${reason}`);
}

function notJson(mediaType: string): Problem {
  return problem(400, `send application/json, not ${mediaType || "a body without a content type"}`);
}

function mediaTypeOf(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

function declaredBytes(request: Request): number {
  return Number(request.headers.get("content-length") ?? 0);
}
