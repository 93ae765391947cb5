import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFakeSessions, NO_TOOLS } from "../../test/fake-sessions.ts";
import { readRange } from "./asset-file.ts";
import { createApp } from "./create-app.ts";

const CONTENT = "0123456789";
const sessions = createFakeSessions();
const app = createApp({ sessions, tools: NO_TOOLS, token: "t" });
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "narratoria-asset-"));
  const file = join(folder, "asset");
  writeFileSync(file, CONTENT);
  writeFileSync(join(folder, "empty"), "");
  const types = [
    "image/png",
    "image/svg+xml",
    "text/html",
    "application/pdf",
    "audio/ogg",
    "text/javascript",
    "text/plain",
    "text/jscript",
    "text/livescript",
    "application/x-ecmascript",
    "text/css",
    "text/xml",
    "application/xhtml+xml",
    "application/wasm",
    "image/x-unheard-of",
    "TEXT/HTML",
    "text/plain; charset=utf-8",
    "text/plain; charset=utf-7",
  ];
  for (const mediaType of types)
    sessions.assets.set(mediaType.replace(/[^\w.-]+/g, "."), { file, mediaType, bytes: 10 });
  sessions.assets.set("odd", { file, mediaType: "no type\r\nx: y", bytes: 10 });
  sessions.assets.set("empty", { file: join(folder, "empty"), mediaType: "audio/ogg", bytes: 0 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("[Z1.2] an asset cannot do anything in the app", () => {
  test.each([
    ["image.png", "image/png", "inline"],
    ["audio.ogg", "audio/ogg", "inline"],
    ["text.plain", "text/plain", "inline"],
    ["image.svg.xml", "image/svg+xml", "attachment"],
    ["text.html", "text/html", "attachment"],
    ["application.pdf", "application/pdf", "attachment"],
    ["TEXT.HTML", "text/html", "attachment"],
    ["text.plain.charset.utf-8", "text/plain; charset=utf-8", "inline"],
    ["text.plain.charset.utf-7", "text/plain", "inline"],
    ["text.javascript", "application/octet-stream", "attachment"],
    ["text.jscript", "application/octet-stream", "attachment"],
    ["text.livescript", "application/octet-stream", "attachment"],
    ["application.x-ecmascript", "application/octet-stream", "attachment"],
    ["text.css", "application/octet-stream", "attachment"],
    ["text.xml", "application/octet-stream", "attachment"],
    ["application.xhtml.xml", "application/octet-stream", "attachment"],
    ["application.wasm", "application/octet-stream", "attachment"],
    ["image.x-unheard-of", "application/octet-stream", "attachment"],
    ["odd", "application/octet-stream", "attachment"],
  ])("%s goes out as %s, %s", async (id, type, disposition) => {
    const { status, headers } = await get(id);
    expect([status, headers.get("content-type"), headers.get("content-disposition")]).toEqual([200, type, disposition]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toBe(
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    );
  });

  test("no cache answers one use with another's answer", async () => {
    expect((await get("image.png")).headers.get("vary")).toBe("Authorization, Sec-Fetch-Dest");
  });

  test("a link in the place of its file is not followed", async () => {
    symlinkSync(join(folder, "asset"), join(folder, "link"));
    sessions.assets.set("linked", { file: join(folder, "link"), mediaType: "text/plain", bytes: 10 });
    expect((await get("linked")).status).toBe(404);
  });

  test.each(["script", "style", "worker", "serviceworker", "iframe", "object", "embed"])("not as %s", async (use) => {
    expect((await get("text.plain", { "sec-fetch-dest": use })).status).toBe(403);
  });

  test.each(["image", "audio", "video", "empty", "document"])("but as %s", async (use) => {
    expect((await get("image.png", { "sec-fetch-dest": use })).status).toBe(200);
  });

  test.each(["../asset", "..%2fasset", "%2fetc%2fpasswd", "nope"])("only by id: %s is 404", async (id) => {
    expect((await get(id)).status).toBe(404);
  });
});

describe("ranges of an asset", () => {
  test.each([
    ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
    ["bytes=4-", 206, "456789", "bytes 4-9/10"],
    ["bytes=-2", 206, "89", "bytes 8-9/10"],
    ["bytes=-99", 206, CONTENT, "bytes 0-9/10"],
    ["bytes=8-99", 206, "89", "bytes 8-9/10"],
    ["bytes=0-0", 206, "0", "bytes 0-0/10"],
    ["bytes=0-1,4-5", 200, CONTENT, null],
    ["lines=1-2", 200, CONTENT, null],
    ["bytes=5-2", 200, CONTENT, null],
  ])("%s is %i", async (range, status, text, contentRange) => {
    const response = await get("audio.ogg", { range });
    expect([response.status, await response.text()]).toEqual([status, text]);
    expect(response.headers.get("content-range")).toBe(contentRange);
    expect(response.headers.get("content-length")).toBe(String(text.length));
    expect(response.headers.get("accept-ranges")).toBe("bytes");
  });

  test.each(["bytes=10-", "bytes=99-100", "bytes=-0"])("%s cannot be satisfied", async (range) => {
    const response = await get("audio.ogg", { range });
    expect([response.status, response.headers.get("content-range")]).toEqual([416, "bytes */10"]);
    expect(await response.json()).toEqual({ error: expect.objectContaining({ code: "bad_request" }) });
  });

  test("an empty asset has no ranges, but can be read", async () => {
    expect(readRange("bytes=0-", 0)).toBe("unsatisfiable");
    const response = await get("empty");
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  test("is not sent again to who has it, nor in part to who has another", async () => {
    const { headers } = await get("audio.ogg");
    const etag = headers.get("etag") ?? "";
    expect(headers.get("cache-control")).toContain("immutable");
    expect((await get("audio.ogg", { "if-none-match": etag })).status).toBe(304);
    expect((await get("audio.ogg", { range: "bytes=0-1", "if-range": etag })).status).toBe(206);
    expect((await get("audio.ogg", { range: "bytes=0-1", "if-range": '"another"' })).status).toBe(200);
  });

  test("HEAD tells the size", async () => {
    const headers = { authorization: "Bearer t" };
    const response = await app.request("/api/assets/audio.ogg", { method: "HEAD", headers });
    expect([response.status, response.headers.get("content-length"), await response.text()]).toEqual([200, "10", ""]);
  });
});

async function get(id: string, headers: { [name: string]: string } = {}): Promise<Response> {
  return app.request(`/api/assets/${id}`, { headers: { authorization: "Bearer t", ...headers } });
}
