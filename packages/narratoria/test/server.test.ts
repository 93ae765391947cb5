/** The server on real sockets: who may use it, what it streams, and how it ends. */
import { request, type IncomingHttpHeaders } from "node:http";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readEvents, serveApp, TOKEN } from "./served-app.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "narratoria-server-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("[Z1.1] foreign hosts and origins", () => {
  test.each<[what: string, headers: { [name: string]: string }, status: number]>([
    ["its own address", {}, 200],
    ["localhost", { host: "localhost:PORT" }, 200],
    ["localhost on another port, as a tunnel has it", { host: "localhost:9" }, 200],
    ["[::1]", { host: "[::1]:PORT" }, 200],
    ["a name that was rebound to loopback", { host: "evil.example:PORT" }, 403],
    ["a name that begins like one of ours", { host: "localhost.evil.example" }, 403],
    ["another address", { host: "192.168.1.5:PORT" }, 403],
    ["its own origin", { origin: "http://127.0.0.1:PORT" }, 200],
    ["another origin", { origin: "https://evil.example" }, 403],
    ["another port of this machine", { origin: "http://127.0.0.1:3000" }, 403],
    ["an origin that hides itself", { origin: "null" }, 403],
    ["an origin that is another name for us", { origin: "http://localhost:PORT" }, 403],
  ])("%s", async (_, headers, status) => {
    await using served = await serveApp();
    const port = String(served.server.port);
    const actual = Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name, text.replace("PORT", port)]),
    );
    const answer = await send(served.url, "GET", "/api/sessions", { authorization: `Bearer ${TOKEN}`, ...actual });
    expect([answer.status, answer.text]).toEqual([
      status,
      expect.stringMatching(status === 403 ? /"forbidden"/ : /^\[\]$/),
    ]);
  });

  test("the page and the health check are refused to a foreign host too", async () => {
    await using served = await serveApp({ webDir: makeWeb() });
    for (const path of ["/", "/api/health"]) {
      expect((await send(served.url, "GET", path, { host: "evil.example" })).status).toBe(403);
    }
  });

  test("a request without a Host is refused", async () => {
    await using served = await serveApp();
    const text = await raw(served.server.port, `GET /api/health HTTP/1.0\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 40[03]/);
  });

  test("a form from another page posts nothing", async () => {
    await using served = await serveApp();
    const id = served.sessions.add();
    const headers = { origin: "https://evil.example", "content-type": "text/plain", authorization: `Bearer ${TOKEN}` };
    const answer = await send(served.url, "POST", `/api/sessions/${id}/prompts`, headers, '{"text":"go"}');
    expect([answer.status, served.sessions.calls]).toEqual([403, []]);
  });

  test("[Z1.8] the page is there for everybody, and the address with a token or a code is kept in no cache", async () => {
    await using served = await serveApp({ webDir: makeWeb() });
    for (const [path, cache] of [
      [`/?token=${TOKEN}`, "no-store"],
      ["/s/1/narrative?code=c", "no-store"],
      ["/", "no-cache"],
    ] as const) {
      const visit = await send(served.url, "GET", path, {});
      expect([visit.status, visit.text, visit.headers["cache-control"], visit.headers["set-cookie"]]).toEqual([
        200,
        expect.stringContaining("the page"),
        cache,
        undefined,
      ]);
    }
  });
});

describe("large bodies", () => {
  test.each([2_000_000, 30_000_000])("a prompt of %i bytes is 413, and the connection lives", async (bytes) => {
    await using served = await serveApp();
    const id = served.sessions.add();
    const body = JSON.stringify({ text: "x".repeat(bytes) });
    const response = await served.fetch(`/api/sessions/${id}/prompts`, { method: "POST", body });
    expect([response.status, await response.json()]).toEqual([
      413,
      { error: expect.objectContaining({ code: "bad_request" }) },
    ]);
    expect((await served.fetch(`/api/sessions/${id}`)).status).toBe(200);
  });

  test("one that does not say how long it is, is cut off at the limit", async () => {
    await using served = await serveApp();
    const id = served.sessions.add();
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.alloc(65_536, "x")),
    });
    const endless = { method: "POST", body, duplex: "half" } as const;
    const outcome = await served.fetch(`/api/sessions/${id}/prompts`, endless).then(
      ({ status }) => status,
      () => "connection closed",
    );
    expect([413, "connection closed"]).toContain(outcome);
    expect((await served.fetch(`/api/sessions/${id}`)).status).toBe(200);
  });

  test("a file for import arrives whole", async () => {
    await using served = await serveApp();
    const init = {
      method: "POST",
      body: Buffer.alloc(20_000_000),
      headers: { "content-type": "application/octet-stream" },
    };
    expect((await served.fetch("/api/sessions/import", init)).status).toBe(201);
    expect(served.sessions.calls).toEqual([["import", 20_000_000]]);
  });
});

describe("[U1.8] events", () => {
  test("come as they happen, numbered, one line each", async () => {
    await using served = await serveApp();
    const id = served.sessions.add();
    served.sessions.append(id, "one\ntwo\u2028three");
    const reader = await readEvents(`${served.url}/api/sessions/${id}/events`, { "accept-encoding": "gzip" });
    expect(reader.response.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
    });
    expect(reader.response.headers["content-encoding"]).toBeUndefined();
    await reader.sees("id: 1\n");
    served.sessions.append(id, "later");
    await reader.sees("later");
    const [retry, first, second] = reader.text().split("\n\n");
    expect(retry).toBe("retry: 1000");
    expect(JSON.parse(first?.split("\ndata: ")[1] ?? "")).toMatchObject({
      seq: 1,
      data: { event: { message: "one\ntwo\u2028three" } },
    });
    expect(second).toMatch(/^id: 2\ndata: \{[^\n]*\}$/);
    reader.close();
    await vi.waitFor(() => expect(served.sessions.followers(id)).toBe(0), { timeout: 30_000 });
  });

  test.each([
    ["?after=3", {}, [4, 5]],
    ["", { "last-event-id": "4" }, [5]],
    ["?after=1", { "last-event-id": "4" }, [5]],
    ["?after=5", {}, []],
    ["?after=99", {}, [1, 2, 3, 4, 5]],
  ])("%s %o goes on after that number", async (query, headers, expected) => {
    await using served = await serveApp();
    const id = served.sessions.add();
    served.sessions.append(id, ...Array.from({ length: 5 }, () => "line"));
    const reader = await readEvents(`${served.url}/api/sessions/${id}/events${query}`, headers);
    await served.sessions.close();
    await reader.ended;
    expect(reader.ids).toEqual(expected);
  });

  test("a reader that vanishes again and again misses nothing and sees nothing twice", async () => {
    await using served = await serveApp();
    const id = served.sessions.add();
    const seen: number[] = [];
    for (let round = 0; round < 20; round++) {
      served.sessions.append(id, ...Array.from({ length: 10 }, (_, index) => `line ${index}`));
      const reader = await readEvents(`${served.url}/api/sessions/${id}/events`, {
        "last-event-id": String(seen.at(-1) ?? 0),
      });
      // Cut off in the middle, with the connection still open on the server's side.
      await reader.sees(`id: ${(seen.at(-1) ?? 0) + 1 + (round % 7)}\n`);
      reader.close();
      const whole = reader.text().slice(0, reader.text().lastIndexOf("\n\n"));
      seen.push(...[...whole.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1])));
    }
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => index + 1));
    expect(seen.length).toBeGreaterThan(20);
  });

  test("a reader that does not read holds back the log, not memory; then it gets everything", async () => {
    await using served = await serveApp();
    const id = served.sessions.add();
    const reader = await readEvents(`${served.url}/api/sessions/${id}/events`);
    reader.response.pause();
    served.sessions.append(id, ...Array.from({ length: 5_000 }, () => "x".repeat(10_000)));
    // 50 MB are there; the sockets' buffers and ours hold a few. Other requests show that the loop has turned.
    for (let turn = 0; turn < 20; turn++) await served.fetch("/api/health");
    expect(served.sessions.taken(id)).toBeLessThan(2_000);
    reader.response.resume();
    await reader.sees("id: 5000\n");
    expect(reader.ids).toEqual(Array.from({ length: 5_000 }, (_, index) => index + 1));
    reader.close();
  });

  test("50 clients at once each get every event once, in order", async () => {
    await using served = await serveApp();
    const ids = Array.from({ length: 10 }, () => served.sessions.add());
    const readers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => readEvents(`${served.url}/api/sessions/${ids[index % 10]}/events`)),
    );
    for (let round = 0; round < 100; round++) {
      for (const id of ids) served.sessions.append(id, `round ${round}`);
      if (round % 10 === 0) await served.fetch("/api/health");
    }
    await Promise.all(readers.map((reader) => reader.sees("id: 100\n")));
    const expected = Array.from({ length: 100 }, (_, index) => index + 1);
    for (const reader of readers) expect(reader.ids).toEqual(expected);
    for (const reader of readers) reader.close();
  });

  test("a session that is deleted says goodbye", async () => {
    await using served = await serveApp();
    const id = served.sessions.add();
    const reader = await readEvents(`${served.url}/api/sessions/${id}/events`);
    await served.fetch(`/api/sessions/${id}`, { method: "DELETE" });
    await reader.ended;
    expect(reader.text()).toMatch(/event: bye\ndata: \{\}\n\n$/);
  });
});

describe("shutting down", () => {
  test("tells those who follow, and does not wait for those who do not read", async () => {
    const served = await serveApp();
    const id = served.sessions.add();
    const listening = await readEvents(`${served.url}/api/sessions/${id}/events`);
    const asleep = await readEvents(`${served.url}/api/sessions/${id}/events`);
    asleep.response.pause();
    served.sessions.append(id, ...Array.from({ length: 2_000 }, () => "x".repeat(10_000)));
    served.server.stopAccepting();
    await served.sessions.close();
    await served.server.close();
    await listening.ended;
    expect(listening.text()).toContain("event: bye\n");
    await expect(served.fetch("/api/health")).rejects.toThrow("fetch failed");
    asleep.close();
  });
});

describe("the web's files", () => {
  test("are served without a token; a page of the app gets the app", async () => {
    await using served = await serveApp({ webDir: makeWeb() });
    const get = (path: string): ReturnType<typeof send> => send(served.url, "GET", path, {});
    expect((await get("/")).text).toContain("the page");
    expect((await get("/session/7/map")).text).toContain("the page");
    const script = await get("/assets/app-1a2b.js");
    expect(script).toMatchObject({ status: 200, text: "run()" });
    expect(script.headers).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    });
    expect(script.headers["content-type"]).toContain("javascript");
    expect((await get("/")).headers["cache-control"]).toBe("no-cache");
  });

  test("go out compressed to who takes that", async () => {
    const webDir = makeWeb();
    writeFileSync(join(webDir, "assets", "large.js"), "run();".repeat(1_000));
    await using served = await serveApp({ webDir });
    const packed = await send(served.url, "GET", "/assets/large.js", { "accept-encoding": "gzip, br" });
    expect(packed.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
    const unpacked = await served.fetch("/assets/large.js");
    expect(unpacked.headers.get("cache-control")).toContain("immutable");
    expect(await unpacked.text()).toHaveLength(6_000);
  });

  test.each([
    "/assets/gone.js",
    "/../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/assets/..%5c..%5csecret.txt",
  ])("%s is not there", async (path) => {
    await using served = await serveApp({ webDir: makeWeb() });
    const answer = await send(served.url, "GET", path, {});
    expect([answer.status, answer.text]).toEqual([404, expect.not.stringContaining("secret of the folder")]);
  });
});

function makeWeb(): string {
  const web = join(folder, "web");
  mkdirSync(join(web, "assets"), { recursive: true });
  writeFileSync(join(folder, "secret.txt"), "the secret of the folder above");
  writeFileSync(join(web, "index.html"), "<!doctype html><title>the page</title>");
  writeFileSync(join(web, "assets", "app-1a2b.js"), "run()");
  return web;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Not fetch, which does not let a caller set Host. */
function send(url: string, method: string, path: string, headers: object, body = ""): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = request({ hostname, port, method, path, agent: false, headers: { ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on("error", reject).end(body);
  });
}

function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(text));
    socket.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk));
    socket.on("close", () => resolve(answer)).on("error", reject);
  });
}
