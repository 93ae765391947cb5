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

/** Half a request is waited for by both sides: after so long a silence we say that there is no more. */
const SILENCE_MS = 40;

/** Null when the server hung up without an answer. */
export async function exchange(port: number, request: Buffer): Promise<RawAnswer | null> {
  const isHead = request.subarray(0, 5).equals(Buffer.from("HEAD "));
  const bytes = await new Promise<Buffer>((resolve) => {
    let received = Buffer.alloc(0);
    const socket = connect(port, "127.0.0.1");
    // Not before the answer has come: Node lets go of an answer in the making when its reader says no more.
    const sayNoMore = (): void => void socket.end();
    const silence = setTimeout(sayNoMore, SILENCE_MS);
    const done = (): void => {
      clearTimeout(silence);
      socket.destroy();
      resolve(received);
    };
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      silence.refresh();
      // A stream of events never ends by itself.
      if (received.includes("text/event-stream")) done();
      else if (isWhole(received, isHead)) sayNoMore();
    });
    socket.on("error", done).on("close", done);
    socket.write(request);
  });
  return read(bytes);
}

function isWhole(bytes: Buffer, isHead: boolean): boolean {
  const answer = split(bytes);
  if (answer === null) return false;
  if (isHead) return true;
  if (answer.headers.get("transfer-encoding") === "chunked") return answer.after.includes("\r\n0\r\n\r\n");
  return answer.after.length >= Number(answer.headers.get("content-length") ?? 0);
}

function read(bytes: Buffer): RawAnswer | null {
  const answer = split(bytes);
  if (answer === null) return null;
  const { status, headers, after } = answer;
  const { content, rest } = headers.get("transfer-encoding") === "chunked" ? chunked(after) : counted(after, headers);
  const body = unpack(content, headers.get("content-encoding")).toString("utf8");
  return { status, headers, body, rest: rest.toString("latin1") };
}

/** Null while its head is not whole. */
function split(bytes: Buffer): { status: number; headers: Map<string, string>; after: Buffer } | null {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  const after = bytes.subarray(end + 4);
  // An answer before the answer.
  if (status === 100) return split(after);
  const headers = new Map(lines.map((line) => [nameIn(line), line.replace(/^[^:]*:\s*/, "")]));
  return { status, headers, after };
}

function nameIn(header: string): string {
  return header.split(":", 1)[0]?.toLowerCase() ?? "";
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
    if (!(length > 0)) {
      return { content: Buffer.concat(pieces), rest: line < 0 ? Buffer.alloc(0) : bytes.subarray(line + 4) };
    }
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
