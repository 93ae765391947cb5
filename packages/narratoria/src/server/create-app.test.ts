import { beforeEach, describe, expect, test, vi } from "vitest";
import { createFakeSessions, NO_TOOLS, type FakeSessions } from "../../test/fake-sessions.ts";
import { createApp } from "./create-app.ts";
import { sessionList, sessionView, turnRecord } from "./view-schemas.ts";

const TOKEN = "correct-horse";

let sessions: FakeSessions;
let id: string;
let app: ReturnType<typeof createApp>;

beforeEach(() => {
  sessions = createFakeSessions();
  id = sessions.add();
  app = createApp({ sessions, tools: NO_TOOLS, token: TOKEN });
});

describe("answers as DESIGN has them", () => {
  test("health needs no token", async () => {
    const response = await app.request("/api/health");
    expect([response.status, await response.json()]).toEqual([200, { status: "ok" }]);
  });

  test("a session is made, listed, shown, renamed, ended and deleted", async () => {
    const made = await call("POST", "/api/sessions", { title: "Mine", inputs: { a: 1 } });
    expect(made).toEqual([201, { sessionId: expect.any(String) }]);
    const [status, list] = await call("GET", "/api/sessions");
    expect([status, sessionList.parse(list)]).toEqual([200, list]);
    const [, view] = await call("GET", `/api/sessions/${id}`);
    expect(sessionView.parse(view)).toEqual(view);
    expect(await call("PATCH", `/api/sessions/${id}`, { title: "Other" })).toEqual([
      200,
      expect.objectContaining({ title: "Other" }),
    ]);
    expect(await call("POST", `/api/sessions/${id}/end`)).toEqual([200, expect.objectContaining({ ended: true })]);
    expect(await call("DELETE", `/api/sessions/${id}`)).toEqual([200, expect.objectContaining({ sessionId: id })]);
    expect((await call("GET", `/api/sessions/${id}`))[0]).toBe(404);
  });

  test("a story is named by its folder or just by its name", async () => {
    await call("POST", "/api/sessions", { story: "lamp" });
    await call("POST", "/api/sessions", { story: "/elsewhere/story" });
    await call("POST", "/api/sessions");
    const folders = sessions.calls.map(([, options]) => (options as { storyDir?: string }).storyDir);
    expect(folders).toEqual(["/stories/lamp", "/elsewhere/story", undefined]);
  });

  test.each([
    ["prompts", { text: "go on" }, 202, { turnId: "turn-1" }],
    ["retry", undefined, 202, { turnId: "turn-2" }],
    ["fork", { turnId: "turn-0" }, 201, { sessionId: expect.any(String) }],
    ["head", { turnId: "turn-0" }, 200, expect.objectContaining({ seq: 0 })],
    ["cancel", undefined, 200, expect.objectContaining({ seq: 0 })],
    ["turns/turn-0/resume", undefined, 200, expect.objectContaining({ seq: 0 })],
    ["turns/turn-0/discard", undefined, 200, expect.objectContaining({ seq: 0 })],
    ["context", { key: "mood", value: { calm: true } }, 200, { key: "mood", value: { calm: true } }],
    ["skills", { enable: "lamp" }, 200, expect.objectContaining({ seq: 0 })],
    ["bookmarks", { turnId: "turn-0", name: null }, 200, expect.objectContaining({ seq: 0 })],
    ["answers", { askId: "a", value: "yes" }, 200, { answered: true }],
  ])("POST %s", async (path, body, status, answer) => {
    expect(await call("POST", `/api/sessions/${id}/${path}`, body)).toEqual([status, answer]);
  });

  test("a turn, the tree, logs and where a value came from", async () => {
    sessions.append(id, "a line");
    const [status, record] = await call("GET", `/api/sessions/${id}/turns/turn-0`);
    expect([status, turnRecord.safeParse(record).error]).toEqual([200, undefined]);
    expect(await call("GET", `/api/sessions/${id}/tree`)).toEqual([200, []]);
    const state = await call("GET", `/api/sessions/${id}/turns/turn-0/state`);
    expect(state).toEqual([200, { turnId: "turn-0", state: { torch: { lit: true } } }]);
    expect(await call("GET", `/api/sessions/${id}/logs?span=s&from=5&count=99999999`)).toEqual([200, []]);
    expect(sessions.calls.at(-1)).toEqual(["logs", id, "s", { from: 5, count: 10_000 }]);
    const why = await call("GET", `/api/sessions/${id}/why?path=/torch/lit`);
    expect(why).toEqual([200, { path: "/torch/lit", value: null, setBy: null, before: [] }]);
  });

  test("export and import", async () => {
    const exported = await request("GET", `/api/sessions/${id}/export`);
    expect(exported.headers.get("content-disposition")).toBe('attachment; filename="A-walk.narratoria"');
    const file = await exported.arrayBuffer();
    const imported = await app.request("/api/sessions/import", { method: "POST", headers: bearer(), body: file });
    expect(imported.status).toBe(201);
    expect(sessions.calls).toEqual([["import", 6]]);
  });
});

describe("errors are {error: {code, message}} with the right status", () => {
  test.each<[what: string, method: string, path: string, body: unknown, status: number, code: string]>([
    ["an unknown session", "GET", "/api/sessions/unknown", undefined, 404, "not_found"],
    ["a malformed id", "GET", "/api/sessions/%2e%2e%2fpasswd", undefined, 404, "not_found"],
    ["an endless id", "GET", `/api/sessions/${"x".repeat(500)}`, undefined, 404, "not_found"],
    ["an unknown turn", "GET", "/api/sessions/ID/turns/nope", undefined, 404, "not_found"],
    ["an unknown asset", "GET", "/api/assets/nope", undefined, 404, "not_found"],
    ["an unknown tool", "POST", "/api/tools/nope/grants", { capability: "net.fetch" }, 404, "not_found"],
    ["an unknown route", "GET", "/api/nothing", undefined, 404, "not_found"],
    ["a wrong method", "PUT", "/api/sessions", {}, 405, "bad_request"],
    ["no prompt", "POST", "/api/sessions/ID/prompts", undefined, 400, "bad_request"],
    ["an empty prompt", "POST", "/api/sessions/ID/prompts", { text: "" }, 400, "bad_request"],
    ["a blank prompt", "POST", "/api/sessions/ID/prompts", { text: " \n\t " }, 400, "bad_request"],
    ["a prompt that is no text", "POST", "/api/sessions/ID/prompts", { text: 5 }, 400, "bad_request"],
    ["a body that is no object", "POST", "/api/sessions/ID/prompts", [], 400, "bad_request"],
    ["a prompt over 64 KiB", "POST", "/api/sessions/ID/prompts", { text: "é".repeat(32_769) }, 413, "bad_request"],
    ["a prompt of 2 MB", "POST", "/api/sessions/ID/prompts", { text: "x".repeat(2_000_000) }, 413, "bad_request"],
    ["a prompt while busy", "POST", "/api/sessions/ID/prompts", { text: "while busy" }, 409, "conflict"],
    ["nothing to undo", "POST", "/api/sessions/ID/undo", undefined, 409, "conflict"],
    ["a bad `after`", "GET", "/api/sessions/ID/events?after=-1", undefined, 400, "bad_request"],
    ["a bad `logs`", "GET", "/api/sessions/ID/events?logs=none", undefined, 400, "bad_request"],
    ["a bad pointer", "GET", "/api/sessions/ID/why?path=torch", undefined, 400, "bad_request"],
    ["events of an unknown session", "GET", "/api/sessions/unknown/events", undefined, 404, "not_found"],
    ["an import of nothing", "POST", "/api/sessions/import", undefined, 400, "bad_request"],
  ])("%s", async (_, method, path, body, status, code) => {
    const answer = await call(method, path.replace("ID", id), body);
    expect(answer).toEqual([status, { error: expect.objectContaining({ code, message: expect.any(String) }) }]);
  });

  test("a prompt of exactly 64 KiB is taken", async () => {
    expect((await call("POST", `/api/sessions/${id}/prompts`, { text: "x".repeat(65_536) }))[0]).toBe(202);
  });

  test("malformed JSON", async () => {
    const response = await request("POST", `/api/sessions/${id}/prompts`, '{"text": ');
    expect(response.headers.get("content-type")).toContain("application/json");
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: expect.objectContaining({ code: "bad_request" }) },
    ]);
  });

  test("a bug of ours says nothing about its insides, except to the terminal", async () => {
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const [status, body] = await call("POST", `/api/sessions/${id}/prompts`, { text: "a bug" });
    expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining("secret")]);
    expect(body).toEqual({ error: { code: "internal", message: expect.any(String) } });
    expect(stderr).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("secret"));
    stderr.mockRestore();
  });

  test("a wrong method is told the right ones", async () => {
    expect((await request("DELETE", "/api/sessions")).headers.get("allow")).toBe("GET, POST");
  });
});

describe("[Z1.1] only the person running it may use it", () => {
  test.each([
    ["no token", {}],
    ["a wrong token", { authorization: "Bearer wrong" }],
    ["half a token", { authorization: "Bearer correct" }],
    ["another scheme", { authorization: `Basic ${TOKEN}` }],
    ["a wrong cookie", { cookie: "narratoria-000000000000=x" }],
  ])("%s is 401, also for routes that do not exist", async (_, headers) => {
    for (const path of ["/api/sessions", "/api/openapi.json", "/api/nothing", "/api/assets/x"]) {
      const response = await app.request(path, { headers });
      expect([response.status, await response.json()]).toEqual([
        401,
        { error: expect.objectContaining({ code: "unauthorized" }) },
      ]);
    }
  });

  test("the token in an API address is no token", async () => {
    expect((await app.request(`/api/sessions?token=${TOKEN}`)).status).toBe(401);
  });

  test("[Z1.8] no cookie opens anything, and one of an earlier version is taken back", async () => {
    const cookie = "narratoria-0123456789ab=x; theirs=y";
    const response = await app.request("/", { headers: { cookie } });
    expect(response.headers.getSetCookie()).toEqual(["narratoria-0123456789ab=; Max-Age=0; Path=/"]);
    expect((await app.request("/")).headers.getSetCookie()).toEqual([]);
  });

  test("[Z1.8] the token, or a code once, is exchanged for a key that opens as much", async () => {
    const [, made] = await call("POST", "/api/sign-in/codes");
    for (const given of [{ token: TOKEN }, { code: (made as { code: string }).code }]) {
      const response = await signIn(given);
      expect([response.status, response.headers.getSetCookie()]).toEqual([201, []]);
      const { key } = (await response.json()) as { key: string };
      const answer = await app.request("/api/sessions", { headers: { authorization: `Bearer ${key}` } });
      expect(answer.status).toBe(200);
    }
    expect((await signIn({ code: (made as { code: string }).code })).status).toBe(401);
  });

  test.each([
    ["a wrong token", { token: "wrong" }, {}, 401],
    ["a wrong code", { code: "wrong" }, {}, 401],
    ["nothing", {}, {}, 401],
    ["another site", { token: TOKEN }, { origin: "https://evil.example" }, 403],
    ["another port", { token: TOKEN }, { origin: "http://localhost:3000" }, 403],
    ["another page of this machine", { token: TOKEN }, { "sec-fetch-site": "same-site" }, 403],
    ["a form", { token: TOKEN }, { "content-type": "text/plain" }, 400],
  ])("[Z1.8] %s signs nobody in", async (_, body, headers, status) => {
    const response = await signIn(body, headers);
    expect([response.status, await response.text()]).toEqual([status, expect.not.stringContaining("key")]);
  });

  test("[Z1.8] only a page signs in: a request from no origin does not", async () => {
    expect((await call("POST", "/api/sign-in", { token: TOKEN }))[0]).toBe(403);
  });

  test("[Z1.8] an asset and an export have addresses that need no header; nothing else has", async () => {
    const paths = ["/api/assets/some-asset", `/api/sessions/${id}/export`];
    const [status, body] = await call("POST", "/api/signed-addresses", { paths });
    const { addresses } = body as { addresses: { [path: string]: string } };
    expect([status, Object.keys(addresses)]).toEqual([200, paths]);
    for (const path of paths) {
      expect((await app.request(path)).status).toBe(401);
      expect((await app.request(addresses[path] ?? "")).status).not.toBe(401);
      expect((await app.request(addresses[path] ?? "", { method: "DELETE" })).status).toBe(401);
    }
    const query = new URL(addresses[paths[0] ?? ""] ?? "", "http://localhost").search;
    expect((await app.request(`/api/sessions${query}`)).status).toBe(401);
    expect((await call("POST", "/api/signed-addresses", { paths: ["/api/sessions"] }))[0]).toBe(400);
    expect((await app.request("/api/signed-addresses", { method: "POST" })).status).toBe(401);
    expect((await app.request("/api/sign-in/codes", { method: "POST" })).status).toBe(401);
  });

  test.each([
    ["a form", "application/x-www-form-urlencoded"],
    ["a form with files", "multipart/form-data; boundary=x"],
    ["plain text", "text/plain"],
  ])("%s is refused, and nothing happens", async (_, type) => {
    for (const [path, body] of [
      ["prompts", '{"text":"go"}'],
      ["undo", ""],
    ]) {
      const headers = { ...bearer(), "content-type": type };
      const response = await app.request(`/api/sessions/${id}/${path}`, { method: "POST", headers, body: body ?? "" });
      expect(response.status).toBe(400);
    }
    expect(sessions.calls).toEqual([]);
  });

  test.each([
    ["cross-site", "/api/sessions", "no-cors", 403],
    ["same-site", "/api/sessions", "no-cors", 403],
    ["cross-site", "/api/sessions", "navigate", 403],
    ["same-origin", "/api/sessions", "cors", 200],
    ["none", "/api/sessions", "navigate", 200],
    ["cross-site", `/?token=${TOKEN}`, "navigate", 404],
    ["cross-site", "/", "no-cors", 403],
  ])("a %s request for %s (%s) is %i", async (site, path, mode, status) => {
    const headers = { ...bearer(), "sec-fetch-site": site, "sec-fetch-mode": mode };
    expect((await app.request(path, { headers })).status).toBe(status);
  });

  test("every answer carries the strict headers", async () => {
    for (const path of ["/api/health", "/api/sessions", "/api/nothing", `/?token=${TOKEN}`]) {
      const { headers } = await app.request(path);
      expect(headers.get("content-security-policy"), path).toMatch(
        /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/,
      );
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
      expect(headers.get("referrer-policy"), path).toBe("no-referrer");
      expect(headers.get("cross-origin-opener-policy"), path).toBe("same-origin");
      expect(headers.get("cross-origin-resource-policy"), path).toBe("same-origin");
    }
  });
});

test("a HEAD request for events follows nothing", async () => {
  const response = await request("HEAD", `/api/sessions/${id}/events`);
  expect([response.status, sessions.followers(id)]).toEqual([200, 0]);
});

function signIn(body: object, headers: { [name: string]: string } = {}): Promise<Response> {
  const sent = { origin: "http://localhost", "content-type": "application/json", ...headers };
  return Promise.resolve(app.request("/api/sign-in", { method: "POST", headers: sent, body: JSON.stringify(body) }));
}

function bearer(): { authorization: string } {
  return { authorization: `Bearer ${TOKEN}` };
}

async function request(method: string, path: string, body?: string): Promise<Response> {
  const content = body === undefined ? {} : { body };
  return app.request(path, { method, headers: { ...bearer(), "content-type": "application/json" }, ...content });
}

async function call(method: string, path: string, body?: unknown): Promise<[status: number, answer: unknown]> {
  const response = await request(method, path, body === undefined ? undefined : JSON.stringify(body));
  return [response.status, await response.json()];
}
