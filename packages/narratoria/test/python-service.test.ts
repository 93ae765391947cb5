/** Python tools that are services: real HTTP servers on loopback, friendly and hostile. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSocketServer, type AddressInfo, type Server } from "node:net";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { createServiceRunner } from "../src/runners/python/service.ts";
import { mountManifest } from "../src/runtime/mounts/read-manifest.ts";
import { callPython, messageOf, type CallOptions, type PythonRun } from "./python-story.ts";

const runner = createServiceRunner({ maxResponseBytes: 1024 * 1024 });

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

async function ask(answer: Answer, options: CallOptions = {}): Promise<PythonRun> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => answer(request, response, body));
  });
  return withServer(server, options);
}

async function withServer(server: Server, options: CallOptions = {}): Promise<PythonRun> {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  try {
    return await callPython(runner, mountService(`http://127.0.0.1:${port}/run`), options);
  } finally {
    if ("closeAllConnections" in server) (server as ReturnType<typeof createServer>).closeAllConnections();
    server.close();
  }
}

function mountService(url: string): ReturnType<typeof mount> {
  return mount({ transport: { type: "http", url } });
}

function mount(more: JsonObject) {
  const manifest = {
    name: "greeter",
    kind: "tool",
    protocol: "namel3ss/1",
    entry: "tools.sample_tool:greet",
    capabilities: [],
  };
  const reading = mountManifest({ ...manifest, ...more }, "/story", "/story");
  if (reading.kind === "invalid") throw new Error(JSON.stringify(reading.problems));
  return reading.tool;
}

const reply =
  (body: string | Buffer, status = 200, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

test("[Y1.5] the request has the eight fields, and the trace all of its own", async () => {
  let seen: unknown;
  let headers: IncomingMessage["headers"] = {};
  const run = await ask(
    (request, response, body) => {
      seen = JSON.parse(body);
      headers = request.headers;
      expect([request.method, request.url]).toEqual(["POST", "/run"]);
      response.end('{"ok": true, "result": {"message": "Hello Ada"}}');
    },
    { input: { name: "Ada" }, requestId: "the-span", storyTitle: "The Lamp", timeoutMs: 4_321 },
  );
  expect(seen).toEqual({
    protocol_version: 1,
    tool_name: "greeter",
    kind: "python",
    entry: "tools.sample_tool:greet",
    payload: { name: "Ada" },
    timeout_ms: 4_321,
    trace_id: "the-span",
    project: { app_root: "/story", flow: "The Lamp" },
  });
  expect(headers["content-type"]).toBe("application/json");
  expect([run.outcome, run.output]).toEqual(["completed", { message: "Hello Ada" }]);
  expect(run.report.trace).toEqual({
    runner: "service",
    resolved_source: "binding",
    timeout_ms: 4_321,
    duration_ms: expect.any(Number),
    protocol_version: 1,
    service_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/run$/),
  });
});

test.each([
  ['{"ok": true}', "completed", ""],
  ['{"ok": true, "protocol_version": 1, "result": null}', "completed", ""],
  ['{"ok": false}', "failed tool_failure ToolError", "Tool error"],
  ['{"ok": false, "error": "boom"}', "failed tool_failure ToolError", "boom"],
  ['{"ok": false, "error": {"type": 7, "message": []}}', "failed tool_failure ToolError", "Tool error"],
  [
    '{"ok": false, "error": {"type": "ValueError", "message": "Missing input"}}',
    "failed tool_failure ValueError",
    "Missing input",
  ],
  ['{"ok": "false"}', "failed protocol_violation INVALID_RESPONSE", "neither true nor false"],
  ['{"ok": 0}', "failed protocol_violation INVALID_RESPONSE", "neither true nor false"],
  ["{}", "failed protocol_violation INVALID_RESPONSE", "neither true nor false"],
  ["[1]", "failed protocol_violation NOT_AN_OBJECT", "no object"],
  ['{"ok": true, "protocol_version": 2}', "failed protocol_violation BAD_VERSION", "protocol_version"],
  ["", "failed protocol_violation INVALID_JSON", "empty"],
  ["<html></html>", "failed protocol_violation INVALID_JSON", "not valid JSON"],
  ['{"ok": true} and more', "failed protocol_violation INVALID_JSON", "not valid JSON"],
  ['{"ok": true, "result": NaN}', "failed protocol_violation INVALID_JSON", "not valid JSON"],
  ['{"ok": true, "result": 1e400}', "failed protocol_violation INVALID_JSON", "not valid JSON"],
  [`{"ok": true, "result": ${"[".repeat(300)}${"]".repeat(300)}}`, "failed protocol_violation TOO_DEEP", "too deep"],
])("[Y1.3] %s", async (body, outcome, message) => {
  const run = await ask(reply(body));
  expect(run.outcome).toBe(outcome);
  expect(messageOf(run.report)).toContain(message);
  expect(run.output).toBe(outcome === "completed" ? null : undefined);
  expect(run.report.trace).toMatchObject({ runner: "service", service_url: expect.any(String), protocol_version: 1 });
});

test("[Y1.3] bad UTF-8", async () => {
  const run = await ask(reply(Buffer.from([0x7b, 0xff, 0x7d])));
  expect(run.outcome).toBe("failed protocol_violation INVALID_UTF8");
});

test.each([301, 302, 307, 308])("[Y1.3] a redirect (%d) is not followed", async (status) => {
  const asked: string[] = [];
  const run = await ask((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(status, { location: "/elsewhere" });
    response.end('{"ok": true}');
  });
  expect(run.outcome).toBe("failed protocol_violation REDIRECTED");
  expect(asked).toEqual(["/run"]);
});

describe("[Y1.3] case 17", () => {
  test("an error status with a valid error body keeps that error", async () => {
    const run = await ask(reply('{"ok": false, "error": {"type": "KeyError", "message": "name"}}', 500));
    expect([run.outcome, messageOf(run.report)]).toEqual(["failed tool_failure KeyError", "name"]);
  });

  test.each([
    [404, "not here"],
    [500, '{"ok": true, "result": 1}'],
    [503, ""],
  ])("%d without one is a failed request", async (status, body) => {
    const run = await ask(reply(body, status));
    expect(run.outcome).toBe("failed process_error REQUEST_FAILED");
    expect(messageOf(run.report)).toContain(`answered ${status}`);
  });

  test("refused", async () => {
    const run = await callPython(runner, mountService("http://127.0.0.1:1/run"));
    expect(run.outcome).toBe("failed process_error REQUEST_FAILED");
    expect(messageOf(run.report)).toContain("ECONNREFUSED");
  });

  test("reset", async () => {
    const run = await withServer(createSocketServer((socket) => socket.on("data", () => socket.resetAndDestroy())));
    expect(run.outcome).toBe("failed process_error REQUEST_FAILED");
  });

  test("a short body", async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"ok": true}';
    const run = await withServer(createSocketServer((socket) => socket.on("data", () => socket.end(head))));
    expect(run.outcome).toBe("failed process_error REQUEST_FAILED");
  });

  test("no HTTP at all", async () => {
    const run = await withServer(createSocketServer((socket) => socket.on("data", () => socket.end("hello\r\n\r\n"))));
    expect(run.outcome).toBe("failed process_error REQUEST_FAILED");
  });
});

test.each(["file:///etc/passwd", "notaurl", "ftp://example.org/"])("case 18: %s is refused at mount", (url) => {
  expect(() => mountService(url)).toThrow("/transport/url");
});

test("[Y1.4] an answer after the limit is a timeout at the limit", async () => {
  const began = performance.now();
  const answers: ServerResponse[] = [];
  const run = await ask((_, response) => void answers.push(response), { timeoutMs: 50 });
  expect(run.outcome).toBe("timeout timeout TIMEOUT");
  expect(performance.now() - began).toBeGreaterThanOrEqual(49);
  for (const answer of answers) answer.end('{"ok": true}');
  expect(run.report.trace).toMatchObject({ timeout_ms: 50, service_url: expect.any(String) });
});

test("[Y1.4] a body that trickles for ever ends at the limit; one that is too large is refused", async () => {
  const trickle: Answer = (_, response) => {
    const timer = setInterval(() => response.write(" "), 5);
    response.on("close", () => clearInterval(timer));
  };
  expect((await ask(trickle, { timeoutMs: 100 })).outcome).toBe("timeout timeout TIMEOUT");
  const large = await ask(reply(`{"ok": true, "result": "${"x".repeat(2_000_000)}"}`));
  expect(large.outcome).toBe("failed protocol_violation RESPONSE_TOO_LARGE");
});

test("[X1.6] a cancelled call ends", async () => {
  const stop = new AbortController();
  const run = await ask(() => stop.abort(new Error("enough")), { signal: stop.signal });
  expect(run.outcome).toBe("failed process_error CANCELLED");
});

test("[K1.6] a password in the URL is not in the trace", async () => {
  const run = await callPython(runner, mountService("http://ada:hunter2@127.0.0.1:1/run"));
  expect(run.report.trace["service_url"]).toBe("http://127.0.0.1:1/run");
});
