/** Modules as services: what every module must do, and what only HTTP can say. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { systemClock } from "../src/runtime/seams/clock.ts";
import { createModuleClient, type ModuleClient } from "../src/runners/module-client.ts";
import { createHttpConnection } from "../src/runners/module-http.ts";
import { handle } from "./fixtures/modules/mirror.mjs";
import { describeModules } from "./module-behaviour.ts";

const servers: Server[] = [];

describeModules("HTTP", async () => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await handle((request.url ?? "").slice(1), JSON.parse(await text(request)) as JsonObject);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const { url, server } = await serve((request, response) => void answer(request, response));
  const stop = (): Promise<void> => Promise.resolve(server.closeAllConnections());
  return { connection: createHttpConnection({ url }), stop };
});

describe("a service", () => {
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  test.each([
    [400, "bad_request"],
    [413, "bad_request"],
    [401, "forbidden"],
    [403, "forbidden"],
    [404, "unsupported_op"],
    [405, "unsupported_op"],
    [501, "unsupported_op"],
    [408, "timeout"],
    [504, "timeout"],
    [502, "unreachable"],
    [503, "unreachable"],
    [500, "internal"],
    [418, "internal"],
    [200, "internal"],
  ])("[A1.5] [case 27] that answers %i with a page gave %s", async (status, code) => {
    expect(await answered(status, "<html>")).toMatchObject({ kind: "error", error: { code, details: { status } } });
  });

  test("[A1.5] [case 27] with a valid envelope is believed, whatever the status", async () => {
    expect(await answered(500, '{"ok": true, "result": 1}')).toEqual({ kind: "ok", result: 1 });
    const failure = '{"ok": false, "error": {"code": "oom", "message": "too much"}}';
    expect(await answered(200, failure)).toEqual({ kind: "error", error: { code: "oom", message: "too much" } });
  });

  test("[A1.6] with half an envelope is judged by the status", async () => {
    expect(await answered(403, '{"ok": false}')).toMatchObject({ error: { code: "forbidden" } });
  });

  test("[A1.5] a redirect is not followed", async () => {
    const target = await serve((_, response) => response.end('{"ok": true, "result": "reached"}'));
    expect(await answered(307, "", { location: target.url })).toMatchObject({ error: { code: "internal" } });
  });

  test("[A1.5] [case 27] that refuses the connection, or breaks off, is unreachable", async () => {
    const { url, server } = await serve((_, response) => response.destroy());
    expect(await invoke(url)).toMatchObject({ error: { code: "unreachable" } });
    server.close();
    expect(await invoke(url)).toMatchObject({
      error: { code: "unreachable", message: expect.stringContaining("ECONNREFUSED") },
    });
  });

  test.each([
    [200, Buffer.from([...Buffer.from('{"ok": true, "result": "'), 0xc3, 0x28, ...Buffer.from('"}')]), "UTF-8"],
    [200, `{"ok": true, "result": ${"[".repeat(300)}${"]".repeat(300)}}`, "nested too deep"],
    [200, '{"ok": true, "result": 1e400}', "not valid JSON"],
    [200, '{"ok": true, "result": {"half', "not valid JSON"],
    [200, '{"yes": true}', "neither a success nor a failure"],
  ])(
    "[A1.6] [T2.3] an answer that cannot be read is internal, and its text nobody's: %#",
    async (status, body, why) => {
      const reply = await answered(status, body);
      expect(reply).toMatchObject({ error: { code: "internal", message: expect.stringContaining(why) } });
      expect(JSON.stringify(reply)).not.toContain("\ufffd");
    },
  );

  test("[A1.5] invalid UTF-8 in what it says of itself is no description", async () => {
    const body = Buffer.from([...Buffer.from('{"name": "'), 0xff, ...Buffer.from('", "kind": "tool"}')]);
    const { url } = await serve((_, response) => response.writeHead(503).end(body));
    const client = createModuleClient(createHttpConnection({ url }));
    expect(await client.describe()).toMatchObject({ error: { code: "unreachable" } });
    expect(await client.health()).toMatchObject({ error: { code: "unreachable" } });
  });

  test("[A1.2] a mark at the beginning of its answer is no part of it", async () => {
    expect(await answered(200, '\ufeff{"ok": true, "result": "é"}')).toEqual({ kind: "ok", result: "é" });
  });

  test("[A1.2] is asked with POST, below the path of its URL and before its query", async () => {
    const asked: string[] = [];
    const { url } = await serve((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.end('{"ok": true}');
    });
    expect(await invoke(`${url}/modules/weather/`)).toEqual({ kind: "ok", result: null });
    await invoke(`${url}/modules/weather/?key=a%20b&v=2#here`);
    await invoke(`${url}?v=2`);
    expect(asked).toEqual([
      "POST /modules/weather/invoke",
      "POST /modules/weather/invoke?key=a%20b&v=2",
      "POST /invoke?v=2",
    ]);
  });
});

function invoke(url: string): ReturnType<ModuleClient["invoke"]> {
  const call = { op: "run", args: {}, sessionId: null, timeoutMs: 5_000 };
  return createModuleClient(createHttpConnection({ url })).invoke(call, systemClock, new AbortController().signal);
}

async function answered(
  status: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): ReturnType<typeof invoke> {
  const { url } = await serve((_, response) => response.writeHead(status, headers).end(body));
  return invoke(url);
}

async function serve(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
