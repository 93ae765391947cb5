/** Requests to our server as raw bytes: each known route, with addresses, headers and bodies from right to hostile. */
import type { Json } from "@narratoria/tool/json";
import fc from "fast-check";
import { hostileText } from "./hostile-pieces.ts";

/** Long enough that no change makes another one into it. */
export const TOKEN = "a-token-that-nobody-guesses-0123456789";

export interface KnownRoute {
  method: string;
  /** As OpenAPI writes it: `/api/sessions/{sessionId}`. */
  path: string;
}

/** What the session of `fixtures/fuzz-seeds` has: itself, turns, an asset, an attempt. */
const KNOWN_IDS: { readonly [name: string]: readonly string[] } = {
  sessionId: ["id-1"],
  turnId: ["id-10", "id-6", "id-32"],
  assetId: ["id-17"],
  name: ["lamp"],
};
const HOSTILE_IDS = [
  "..",
  "%2e%2e%2fx",
  "%00",
  "%",
  "%ff",
  "%2f",
  "__proto__",
  "a%0d%0ab",
  "x".repeat(300),
  "id-1%20",
  "*",
  ":id",
  "import",
];
const STRAY_PATHS = [
  "/",
  "/index.html",
  "/assets/app.js",
  "/assets/../../secret.txt",
  "/..%2fsecret.txt",
  "/%2e%2e/secret.txt",
  "/assets/%5c..%5csecret.txt",
];
const MORE_PATHS = [
  "//api/sessions",
  "/API/sessions",
  "/api",
  "/api/",
  "/api/sessions/",
  "/./api/sessions",
  "/%61pi/sessions",
  "*",
  "http://localhost/api/sessions",
  "http://evil/api/sessions",
  "/\\api\\sessions",
  "/api;x/sessions",
  "/assets/app.js/",
  "/sessions/x",
];
const QUERIES = [
  "after=0",
  "after=3",
  "after=-1",
  "after=1e9",
  "logs=runs",
  "logs=x",
  "path=/lamp/lit",
  "path=",
  "path=x",
  "path=%00",
  "path=/__proto__/x",
  "path=/%ff",
  "key=mood",
  "key=__proto__",
  "key=",
  "span=id-14",
  "span=x",
  "from=0",
  "from=999999999999999",
  "count=5",
  "width=0",
  "width=1",
  "story=lamp",
  "story=%00",
  "story=/",
  "token=x",
  "code=x",
  `token=${TOKEN}`,
  "until=99999999999999&signature=x",
  "a[]=1",
  "a=1&a=2",
  "&",
  "=",
  "x".repeat(2_000),
];
const HEADERS = [
  "content-type: application/json",
  "content-type: application/json; charset=utf-16",
  "content-type: text/plain",
  "content-type: multipart/form-data; boundary=x",
  "content-type: application/octet-stream",
  "origin: http://localhost",
  "origin: null",
  "origin: http://evil.example",
  "sec-fetch-site: cross-site",
  "sec-fetch-site: same-origin",
  "sec-fetch-mode: navigate",
  "sec-fetch-dest: script",
  "sec-fetch-dest: image",
  "last-event-id: 3",
  "last-event-id: x",
  "range: bytes=0-3",
  "range: bytes=-1",
  "range: bytes=5-1",
  "range: bytes=0-0,2-3",
  "range: bytes=99999999999999999999-",
  "if-none-match: *",
  'if-none-match: "id-17"',
  'if-range: "x"',
  "accept-encoding: gzip, br, zstd, deflate",
  "accept: text/html",
  "cookie: narratoria-0123456789ab=x; a=%ff; =; b",
  "expect: 100-continue",
  "expect: more",
  "transfer-encoding: chunked",
  "content-length: 5",
  "content-length: 0",
  "content-length: -1",
  "content-length: 99999999999",
  "content-encoding: gzip",
  "upgrade: websocket\r\nconnection: upgrade",
  "x-http-method-override: DELETE",
  "x-forwarded-host: evil",
  "host: evil",
  "authorization: Bearer",
  "authorization: Bearer wrong",
  "authorization: Basic eDp5",
  `long: ${"x".repeat(5_000)}`,
  "x: \u00e9\u0001",
];

const BODIES: readonly Json[] = [
  {},
  { text: "go on" },
  { text: "go on", parentTurnId: "id-6" },
  { text: " " },
  { text: "x".repeat(70_000) },
  { text: "\ud800\u0000" },
  { turnId: "id-10" },
  { turnId: "id-10", name: "here" },
  { turnId: "id-10", name: null, title: "A fork" },
  { turnId: "nowhere" },
  { title: "Another" },
  { title: "" },
  { story: "lamp", title: "T", goal: "g", inputs: { a: 1 } },
  { story: "/", inputs: {} },
  { story: "../../etc" },
  { story: "a\u0000b" },
  { story: "x".repeat(5_000) },
  { inputs: JSON.parse('{"__proto__":{"a":1}}') as Json },
  { key: "mood", value: { calm: true } },
  { key: "__proto__", value: null },
  { key: "k" },
  { enable: "lamp" },
  { askId: "x", value: "yes" },
  { capability: "net.fetch" },
  { capability: "fs.read:/srv" },
  { capability: "fs.read:a\u0000b" },
  { capability: "fs.write:../../../.." },
  { capability: `fs.read:/${"x".repeat(400)}` },
  { capability: "nonsense" },
  { paths: ["/api/assets/id-17", "/api/sessions/id-1/export"] },
  { paths: ["/api/sessions", "__proto__"] },
  { code: "x" },
  { token: TOKEN },
  { op: "start", args: {} },
  { op: "prompt", args: { session_id: "id-1", text: "go" } },
  { op: "state", args: {}, session_id: "id-1" },
  { op: "fork", args: { session_id: "id-1", turn_id: "nowhere" } },
  { op: "undo", args: { session_id: "id-1" } },
  { op: "__proto__", args: [] },
  { reason: "enough" },
  [],
  null,
  "text",
  1e308,
];

export function httpRequests(routes: readonly KnownRoute[]): fc.Arbitrary<Uint8Array> {
  const filled = fc
    .tuple(fc.constantFrom(...routes), fc.array(fc.nat({ max: 999 }), { minLength: 2, maxLength: 2 }))
    .map(([{ method, path }, picks]) => {
      let at = 0;
      const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => idFor(name, picks[at++] ?? 0));
      return { method, address };
    });
  const stray = fc.record({
    method: fc.constantFrom("GET", "HEAD", "POST", "OPTIONS", "PUT", "TRACE", "CONNECT", "DELETE", "PROPFIND", "GETT"),
    address: fc.oneof(
      fc.constantFrom(...STRAY_PATHS, ...MORE_PATHS),
      hostileText.map((text) => `/${encodeURI(text.toWellFormed())}`),
    ),
  });
  const query = fc.array(fc.constantFrom(...QUERIES), { maxLength: 3 });
  const body = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...BODIES).map((value) => JSON.stringify(value)) },
    { weight: 4, arbitrary: fc.constant("") },
    hostileText,
    fc.constantFrom('{"text":', "{}{}", "[".repeat(300), '{"text":"\u00e9"}', "5\r\nhello\r\n0\r\n\r\n"),
  );
  const framing = fc.constantFrom("length", "length", "length", "length", "chunked", "none");
  return fc
    .tuple(
      fc.oneof({ weight: 5, arbitrary: filled }, stray),
      query,
      fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(fc.constantFrom(...HEADERS), { maxLength: 4 })),
      body,
      framing,
      fc.constantFrom(true, true, true, false),
    )
    .map(([{ method, address }, query, headers, text, framing, isKnown]) =>
      request(
        method,
        query.length === 0 ? address : `${address}?${query.join("&")}`,
        [
          "host: localhost",
          ...(isKnown ? [`authorization: Bearer ${TOKEN}`] : []),
          ...(text === "" ? [] : ["content-type: application/json"]),
          ...headers,
        ],
        method === "GET" || method === "HEAD" ? "" : text,
        framing,
      ),
    );
}

function idFor(name: string, pick: number): string {
  const known = KNOWN_IDS[name] ?? ["x"];
  return (pick % 4 === 0 ? HOSTILE_IDS[pick % HOSTILE_IDS.length] : known[pick % known.length]) ?? "x";
}

function request(method: string, address: string, headers: string[], body: string, framing: string): Buffer {
  const bytes = Buffer.from(body);
  const isChunked = framing === "chunked" && bytes.length > 0;
  if (isChunked) headers.push("transfer-encoding: chunked");
  else if (framing !== "none" && bytes.length > 0) headers.push(`content-length: ${bytes.length}`);
  const sent = isChunked
    ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n0\r\n\r\n")])
    : bytes;
  return Buffer.concat([Buffer.from(`${method} ${address} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`), sent]);
}

const known = ["host: localhost", `authorization: Bearer ${TOKEN}`];
const json = [...known, "content-type: application/json"];
export const REQUEST_SEEDS: readonly Buffer[] = [
  request("GET", "/api/sessions/id-1", known, "", "none"),
  request("GET", "/api/sessions/id-1/events?after=3&logs=runs", known, "", "none"),
  request("GET", "/api/assets/id-17", [...known, "range: bytes=0-3"], "", "none"),
  request("GET", "/api/sessions/id-1/why?path=/lamp/lit", known, "", "none"),
  request("GET", "/api/sessions/id-1/logs?span=id-14&from=0&count=5&width=3", known, "", "none"),
  request("GET", "/api/sessions/id-1/turns/id-10/state", known, "", "none"),
  request("GET", "/api/sessions/id-1/export", known, "", "none"),
  request("POST", "/api/sessions", [...json], '{"story":"lamp","inputs":{"a":1}}', "length"),
  request("POST", "/api/sessions/id-1/prompts", [...json], '{"text":"go on"}', "chunked"),
  request("POST", "/api/sessions/id-1/context", [...json], '{"key":"mood","value":[1,2]}', "length"),
  request("POST", "/api/module/invoke", [...json], '{"op":"state","args":{"session_id":"id-1"}}', "length"),
  request(
    "POST",
    "/api/sessions/import",
    [...known, "content-type: application/octet-stream"],
    "(\u00b5/\u00fd",
    "length",
  ),
  request("POST", "/api/sign-in", [...json, "origin: http://localhost"], `{"token":"${TOKEN}"}`, "length"),
  request("DELETE", "/api/tools/lamp/grants?story=lamp", [...json], '{"capability":"net.fetch"}', "length"),
  request("GET", "/assets/app.js", ["host: localhost", "accept-encoding: gzip"], "", "none"),
];
