/** Narratoria as a module: driven by its own module client, on standard streams and over HTTP. */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "@narratoria/tool/json";
import { systemClock } from "../src/runtime/seams/clock.ts";
import { createModuleClient, type ModuleClient, type ModuleConnection } from "../src/runners/module-client.ts";
import { createStdioConnection } from "../src/runners/module-stdio.ts";
import { DEFAULT_LIMITS } from "../src/runtime/seams/sandbox.ts";
import { openSessions } from "../src/create-narratoria.ts";
import { createUnconfined } from "../src/sandbox/unconfined.ts";
import { createApp } from "../src/server/create-app.ts";
import { makeStoryFolder } from "./narrator-session.ts";

const COMMAND = fileURLToPath(new URL("../bin/narratoria.js", import.meta.url));
const signal = new AbortController().signal;
const plans = [
  { opening: true, narrative: "A cellar.", choices: ["dig"] },
  { match: "dig", narrative: "You dig." },
];

interface Opened {
  connection: ModuleConnection;
  stop(): Promise<void>;
}

describe.each<[string, (storyDir: string) => Promise<Opened>]>([
  ["on standard streams", openOnStreams],
  ["over HTTP", openOverHttp],
])("narratoria as a module %s", (_, open) => {
  let opened: Opened;
  let client: ModuleClient;
  beforeAll(async () => {
    opened = await open(
      makeStoryFolder({ "plans.json": JSON.stringify(plans), "story.json": '{"state": {"depth": 0}}' }),
    );
    client = createModuleClient(opened.connection);
    // Starting from the sources may take longer than a module that runs has for saying that it is well.
    await client.invoke({ op: "state", args: {}, sessionId: null, timeoutMs: 60_000 }, systemClock, signal);
  }, 60_000);
  afterAll(async () => {
    await client.close();
    await opened.stop();
  });
  const invoke = (op: string, args: JsonObject, sessionId: string | null = null): ReturnType<ModuleClient["invoke"]> =>
    client.invoke({ op, args, sessionId, timeoutMs: 20_000 }, systemClock, signal);
  const told = async (op: string, args: JsonObject, sessionId: string | null = null): Promise<JsonObject> => {
    const reply = await invoke(op, args, sessionId);
    if (reply.kind !== "ok") throw new Error(reply.error.message);
    return reply.result as JsonObject;
  };

  test("[case 22] is healthy and says what it is", async () => {
    expect(await client.health()).toEqual({ kind: "ok", result: { status: "ok" } });
    const described = await client.describe();
    expect(described).toMatchObject({ result: { name: "narratoria", kind: "agent", capabilities: [] } });
    expect(await client.describe()).toEqual(described);
  });

  test("starts, plays, forks and undoes", async () => {
    const start = await told("start", { inputs: { depth: 3 } });
    expect(start).toMatchObject({
      status: "completed",
      narrative: "A cellar.",
      state: { depth: 3 },
      choices: [{ label: "dig" }],
    });
    const sessionId = start["session_id"] as string;
    expect(await told("prompt", { text: "dig" }, sessionId)).toMatchObject({ narrative: "You dig." });
    const fork = await told("fork", { session_id: sessionId, turn_id: start["turn_id"] as string });
    expect(fork).toMatchObject({ narrative: "A cellar." });
    expect(fork["session_id"]).not.toBe(sessionId);
    expect(await told("undo", { session_id: sessionId })).toMatchObject({ narrative: "A cellar." });
    expect(await told("state", { session_id: sessionId })).toMatchObject({ state: { depth: 3 } });
  });

  test("[A1.4] takes a message of a megabyte", async () => {
    const text = "x".repeat(1024 * 1024);
    expect(await told("start", { inputs: { note: text } })).toMatchObject({ state: { note: text } });
  });

  test.each([
    ["[case 23] an operation it does not have", "fly", {}, { code: "unsupported_op" }],
    ["an argument that is missing", "prompt", { session_id: "x" }, { code: "bad_request" }],
    [
      "a session that is not there",
      "state",
      { session_id: "x" },
      { code: "bad_request", details: { reason: "not_found" } },
    ],
  ])("%s is refused", async (_what, op, args, error) => {
    expect(await invoke(op, args)).toMatchObject({ kind: "error", error });
  });

  test.each<[string, JsonObject]>([
    ["no op", { args: {} }],
    ["args an array", { op: "state", args: [] }],
  ])("[case 23] %s is bad_request", async (_what, params) => {
    const answer = await opened.connection.send("invoke", params, signal);
    expect(answer).toMatchObject({ body: { ok: false, error: { code: "bad_request" } } });
  });
});

test("[case 27] over HTTP a GET is refused, and so is whoever has no token", async () => {
  const sessions = await openSessions({ storyDir: makeStoryFolder({ "plans.json": "[]" }), sandbox: "none" });
  const app = createApp({ sessions, tools: sessions.tools, token: "t" });
  const headers = { authorization: "Bearer t" };
  expect((await app.request("/api/module/health", { headers })).status).toBe(405);
  expect((await app.request("/api/module/health", { method: "POST" })).status).toBe(401);
  await sessions.close();
});

test.each<[string, RequestInit["body"], string, number]>([
  ["half a message", '{"op": "sta', "application/json", 400],
  ["a list", "[1]", "application/json", 400],
  ["a string", '"state"', "application/json", 400],
  ["what is not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "application/json", 400],
  ["what is nested too deep", `{"args": ${"[".repeat(300)}${"]".repeat(300)}}`, "application/json", 400],
  ["a form", "op=state", "application/x-www-form-urlencoded", 400],
  ["more than a message may have", `{"op": "${"x".repeat(10 * 1024 * 1024)}"}`, "application/json", 413],
])("[A1.6] over HTTP %s is refused as a module refuses", async (_, body, type, status) => {
  const sessions = await openSessions({ storyDir: makeStoryFolder({ "plans.json": "[]" }), sandbox: "none" });
  const app = createApp({ sessions, tools: sessions.tools, token: "t" });
  for (const method of ["invoke", "describe"]) {
    const headers = { authorization: "Bearer t", "content-type": type };
    const response = await app.request(`/api/module/${method}`, { method: "POST", headers, body: body ?? null });
    expect(response.status).toBe(status);
    const error = { code: "bad_request", message: expect.stringMatching(/./) };
    expect(await response.json()).toMatchObject({ ok: false, error });
  }
  await sessions.close();
});

async function openOnStreams(storyDir: string): Promise<Opened> {
  const command = [
    process.execPath,
    COMMAND,
    "module",
    "--story",
    storyDir,
    "--data",
    makeStoryFolder({}),
    "--no-sandbox",
  ];
  const program = { command, storyDir, readFolders: [], env: {}, limits: DEFAULT_LIMITS, grants: [] };
  return { connection: createStdioConnection(await createUnconfined().launch(program)), stop: () => Promise.resolve() };
}

/** The app needs no port: its answers are taken as they are. */
async function openOverHttp(storyDir: string): Promise<Opened> {
  const sessions = await openSessions({ storyDir, sandbox: "none", allowUnconfined: true });
  const app = createApp({ sessions, tools: sessions.tools, token: "t" });
  const headers = { authorization: "Bearer t", "content-type": "application/json" };
  return {
    connection: {
      send: async (method, params) => {
        const response = await app.request(`/api/module/${method}`, {
          method: "POST",
          headers,
          body: JSON.stringify(params),
        });
        return {
          kind: "body",
          body: (await response.json()) as JsonObject,
          otherwise: { code: "internal", message: "" },
        };
      },
      takeOutput: () => ({ stderr: "", warnings: [] }),
      isUp: () => true,
      giveUp: () => {},
      cpuMs: () => null,
      close: () => Promise.resolve(),
    },
    stop: () => sessions.close(),
  };
}
