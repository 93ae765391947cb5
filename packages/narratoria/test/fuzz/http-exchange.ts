/** One request as raw bytes, and the answer as it came. */
import { connect } from "node:net";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";

export interface RawAnswer {
  status: number;
  headers: Map<string, string>;
  /** As text, unpacked. */
  body: string;
  /** What came behind the first answer, when one request turned out to be several. */
  rest: string;
}

/** Null when the server hung up without a word. */
export async function exchange(port: number, request: Buffer): Promise<RawAnswer | null> {
  const bytes = await new Promise<Buffer>((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1");
    const done = (): void => {
      socket.destroy();
      resolve(Buffer.concat(chunks));
    };
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      // A stream of events never ends by itself.
      if (Buffer.concat(chunks).includes("text/event-stream")) done();
    });
    socket.on("error", done).on("close", done);
    socket.end(request);
  });
  return bytes.length === 0 ? null : read(bytes);
}

function read(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf("\r\n\r\n");
  const [first = "", ...lines] = bytes
    .subarray(0, end < 0 ? bytes.length : end)
    .toString("latin1")
    .split("\r\n");
  const headers = new Map(
    lines.map((line) => [line.split(":", 1)[0]?.toLowerCase() ?? "", line.replace(/^[^:]*:\s*/, "")]),
  );
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  const after = end < 0 ? Buffer.alloc(0) : bytes.subarray(end + 4);
  // An answer before the answer.
  if (status === 100) return read(after);
  const { content, rest } = headers.get("transfer-encoding") === "chunked" ? chunked(after) : counted(after, headers);
  return {
    status,
    headers,
    body: unpack(content, headers.get("content-encoding")).toString("utf8"),
    rest: rest.toString("latin1"),
  };
}

function counted(bytes: Buffer, headers: Map<string, string>): { content: Buffer; rest: Buffer } {
  // To HEAD there is a length and nothing behind it.
  const isNothing = bytes.length === 0 || bytes.subarray(0, 9).equals(Buffer.from("HTTP/1.1 "));
  const length = isNothing ? 0 : Number(headers.get("content-length") ?? bytes.length);
  return { content: bytes.subarray(0, length), rest: bytes.subarray(length) };
}

function chunked(bytes: Buffer): { content: Buffer; rest: Buffer } {
  const pieces: Buffer[] = [];
  for (let at = 0; ;) {
    const line = bytes.indexOf("\r\n", at);
    const length = line < 0 ? NaN : parseInt(bytes.toString("latin1", at, line), 16);
    if (!(length > 0))
      return { content: Buffer.concat(pieces), rest: line < 0 ? Buffer.alloc(0) : bytes.subarray(line + 4) };
    pieces.push(bytes.subarray(line + 2, line + 2 + length));
    at = line + 2 + length + 2;
  }
}

function unpack(content: Buffer, encoding: string | undefined): Buffer {
  if (content.length === 0) return content;
  if (encoding === "gzip") return gunzipSync(content);
  if (encoding === "deflate") return inflateSync(content);
  if (encoding === "br") return brotliDecompressSync(content);
  return encoding === "zstd" ? zstdDecompressSync(content) : content;
}
