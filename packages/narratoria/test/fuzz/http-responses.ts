/** HTTP responses as raw bytes, from right to nonsense, and a server that sends them to whoever calls. */
import { createServer, type AddressInfo } from "node:net";
import type { Json } from "@narratoria/tool/json";
import fc from "fast-check";
import { hostileText } from "./hostile-pieces.ts";
import { sometimesSpoiled, spoiled } from "./mutate-bytes.ts";

const STATUSES = [200, 200, 200, 201, 204, 205, 206, 301, 302, 304, 400, 401, 404, 408, 413, 500, 502, 503, 504];
const ODD_STATUSES = [100, 101, 102, 103, 199, 299, 599, 600, 999, 0, 99, 1000, -1];
const HEADERS = [
  "content-type: application/json",
  "content-type: text/html; charset=utf-16",
  "content-encoding: gzip",
  "content-encoding: br, zstd",
  "transfer-encoding: chunked",
  "transfer-encoding: identity, chunked",
  "content-length: 0",
  "content-length: 5",
  "content-length: 999999999999",
  "content-length: -1",
  "location: http://127.0.0.1:1/",
  "location: file:///etc/passwd",
  "connection: keep-alive",
  "connection: upgrade\r\nupgrade: websocket",
  "set-cookie: a=b",
  "x: \u00ff\u0001",
  "no colon",
  ": no name",
  `long: ${"x".repeat(20_000)}`,
];

/** `bodies` are what a right answer would hold. */
export function httpResponses(bodies: fc.Arbitrary<Json>): fc.Arbitrary<Uint8Array> {
  const body = fc.oneof(
    { weight: 5, arbitrary: bodies.map((value) => JSON.stringify(value)) },
    hostileText,
    fc.constant(""),
  );
  const right = fc
    .tuple(fc.constantFrom(...STATUSES), body, fc.constantFrom("length", "chunked", "none"))
    .map(([status, text, framing]) => response(`${status} Words`, framed(text, framing), []));
  const odd = fc
    .tuple(
      fc.oneof(fc.constantFrom(...STATUSES, ...ODD_STATUSES).map(String), hostileText),
      hostileText,
      body,
      fc.array(fc.constantFrom(...HEADERS), { maxLength: 3 }),
      fc.constantFrom("length", "chunked", "none", "none"),
    )
    .map(([status, reason, text, headers, framing]) => response(`${status} ${reason}`, framed(text, framing), headers));
  const seeds = [
    response("200 OK", framed('{"ok":true,"result":{"a":1}}', "length"), ["content-type: application/json"]),
    response("200 OK", framed('{"ok":true,"result":[1,2,3]}', "chunked"), []),
    Buffer.from(
      'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 500 No\r\n\r\n{"ok":false,"error":{"code":"x","message":"m"}}',
    ),
    Buffer.from('HTTP/1.0 200\n\n{"ok":true}'),
  ];
  return fc.oneof(
    { weight: 3, arbitrary: right },
    { weight: 3, arbitrary: sometimesSpoiled(odd) },
    { weight: 2, arbitrary: spoiled(seeds) },
  );
}

interface Framed {
  headers: string[];
  body: string;
}

function framed(body: string, framing: string): Framed {
  const bytes = Buffer.byteLength(body);
  if (framing === "length") return { headers: [`content-length: ${bytes}`], body };
  if (framing === "none") return { headers: [], body };
  return {
    headers: ["transfer-encoding: chunked"],
    body: `${bytes === 0 ? "" : `${bytes.toString(16)}\r\n${body}\r\n`}0\r\n\r\n`,
  };
}

function response(status: string, { headers, body }: Framed, more: readonly string[]): Buffer {
  return Buffer.from(
    `HTTP/1.1 ${status}\r\n${[...headers, ...more].map((header) => `${header}\r\n`).join("")}\r\n${body}`,
  );
}

export interface RawServer {
  url: string;
  answerWith(bytes: Buffer): void;
  /** Settles when every connection is closed: one input must not speak on another's. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

/** Reads whatever it is sent, says what it was told to say, and hangs up. */
export async function openRawServer(): Promise<RawServer> {
  let answer: Buffer = Buffer.alloc(0);
  const open = new Set<Promise<void>>();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
    open.add(closed);
    void closed.then(() => open.delete(closed));
    socket.once("data", () => {
      socket.resume();
      socket.end(answer);
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answerWith: (bytes) => void (answer = bytes),
    quiet: async () => void (await Promise.all(open)),
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}
