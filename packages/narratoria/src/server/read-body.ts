/** Reads a request's body within a limit. Forms are refused: a page elsewhere can post one without asking first. */
import { readJson, type Json } from "@narratoria/tool/json";
import { problem, type Problem } from "./problem.ts";

const MAX_JSON_BYTES = 1024 * 1024;
export const MAX_FILE_BYTES = 1024 * 1024 * 1024;
const FORM_TYPES = ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"];

/** An empty body counts as `{}`: a route whose fields are all optional needs none. */
export async function readJsonBody(request: Request): Promise<{ kind: "json"; value: Json } | Problem> {
  if (declaredBytes(request) > MAX_JSON_BYTES) return tooLarge(MAX_JSON_BYTES);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of bytesOf(request)) {
    bytes += chunk.length;
    if (bytes > MAX_JSON_BYTES) return tooLarge(MAX_JSON_BYTES);
    chunks.push(chunk);
  }
  const mediaType = mediaTypeOf(request);
  if (bytes === 0) {
    return FORM_TYPES.includes(mediaType) ? notJson(mediaType) : { kind: "json", value: {} };
  }
  if (mediaType !== "application/json") return notJson(mediaType);
  return parse(Buffer.concat(chunks));
}

export type BodyFile = { kind: "file"; chunks: AsyncIterable<Uint8Array> };

/** The file arrives as it is read. When it turns out too large, reading fails with `BodyTooLarge`. */
export function readFileBody(request: Request): BodyFile | Problem {
  const mediaType = mediaTypeOf(request);
  if (FORM_TYPES.includes(mediaType)) {
    return problem(400, `send the file as application/octet-stream, not as ${mediaType}`);
  }
  if (request.body === null) return problem(400, "the body is empty: send the exported file");
  if (declaredBytes(request) > MAX_FILE_BYTES) return tooLarge(MAX_FILE_BYTES);
  return { kind: "file", chunks: limited(bytesOf(request)) };
}

export class BodyTooLarge extends Error {}

async function* limited(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_FILE_BYTES) throw new BodyTooLarge();
    yield chunk;
  }
}

/** Typed as a stream of anything. */
function bytesOf({ body }: Request): AsyncIterable<Uint8Array> {
  return body ?? new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
}

export function tooLarge(limit: number): Problem {
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
