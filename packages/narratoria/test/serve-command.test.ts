/** `narratoria serve` from outside: real sessions, real tools, real signals. */
import { statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  sessionCreated,
  sessionList,
  sessionView,
  turnRecord,
  turnStarted,
  turnTree,
} from "../src/server/view-schemas.ts";
import type { SessionView } from "../src/story/session-view.ts";
import { narratoria } from "./narratoria-command.ts";
import { createPlayground, serve, type Playground, type Serving } from "./serve-process.ts";
import { readEvents } from "./served-app.ts";

let playground: Playground;
let running: Serving[];

beforeEach(() => {
  playground = createPlayground();
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((serving) => serving.end("SIGKILL")));
  playground[Symbol.dispose]();
});

describe("playing over HTTP", () => {
  test("a session from its first scene to a fork, every answer as the schemas have it", async () => {
    const { api, until } = await start();
    const made = await api("POST", "/api/sessions", {});
    const { sessionId } = sessionCreated.parse(made.body);
    const path = `/api/sessions/${sessionId}`;
    await until(sessionId, isIdle);
    const prompted = await api("POST", `${path}/prompts`, { text: "light" });
    const { turnId } = turnStarted.parse(prompted.body);
    expect([made.status, prompted.status]).toEqual([201, 202]);
    const view = await until(sessionId, isIdle);
    expect(sessionView.safeParse(view).error).toBeUndefined();
    expect(view).toMatchObject({ headTurnId: turnId, state: { lamp: { lit: true } }, turnCount: 2 });

    const why = await api("GET", `${path}/why?path=/lamp/lit`);
    expect(why.body).toMatchObject({ value: true, setBy: { turnId, toolId: "light" } });
    const turn = await api("GET", `${path}/turns/${turnId}`);
    expect(turnRecord.safeParse(turn.body).error).toBeUndefined();
    expect(turnTree.parse((await api("GET", `${path}/tree`)).body)).toHaveLength(2);
    expect(sessionList.parse((await api("GET", "/api/sessions")).body)).toHaveLength(1);

    expect((await api("POST", `${path}/undo`)).body).toMatchObject({ state: {}, turnCount: 1 });
    expect((await api("POST", `${path}/undo`)).status).toBe(409);
    expect((await api("POST", `${path}/head`, { turnId })).status).toBe(200);
    const fork = await api("POST", `${path}/fork`, { turnId });
    expect(fork.status).toBe(201);
    const forked = await until(sessionCreated.parse(fork.body).sessionId, isIdle);
    expect(forked.state).toEqual({ lamp: { lit: true } });
  });

  test("[Z1.2] a picture a tool painted comes back by its id, and cannot run", async () => {
    const { api, until, url, token } = await start();
    const sessionId = await newSession({ api, until });
    await api("POST", `/api/sessions/${sessionId}/prompts`, { text: "paint" });
    const view = await until(sessionId, isIdle);
    const passage = view.turns.at(-1)?.passages.find(({ kind }) => kind === "asset");
    const id = passage?.kind === "asset" ? passage.asset.id : null;
    const headers = { authorization: `Bearer ${token}`, range: "bytes=0-3" };
    const response = await fetch(`${url}/api/assets/${id}`, { headers });
    expect([response.status, await response.text()]).toEqual([206, "<svg"]);
    expect(response.headers.get("content-security-policy")).toMatch(/^sandbox;/);
    expect(response.headers.get("content-disposition")).toBe("attachment");
  });

  test("a prompt while a turn runs is a conflict; cancelling makes room", async () => {
    const { api, until } = await start();
    const sessionId = await newSession({ api, until });
    await api("POST", `/api/sessions/${sessionId}/prompts`, { text: "wait" });
    expect((await api("POST", `/api/sessions/${sessionId}/prompts`, { text: "light" })).status).toBe(409);
    const cancelled = await api("POST", `/api/sessions/${sessionId}/cancel`);
    expect(cancelled).toMatchObject({ status: 200, body: { turns: [{}, { prompt: "wait", status: "cancelled" }] } });
    expect((await api("POST", `/api/sessions/${sessionId}/prompts`, { text: "light" })).status).toBe(202);
  });
});

describe("[Z1.4] nothing is lost when the server ends in the middle of a turn", () => {
  test.each(["SIGTERM", "SIGKILL"] as const)("%s", async (signal) => {
    const before = await start();
    const sessionId = await newSession(before);
    const address = `/api/sessions/${sessionId}/events`;
    const reader = await readEvents(before.url + address, bearer(before));
    await before.api("POST", `/api/sessions/${sessionId}/prompts`, { text: "wait" });
    await reader.sees("state_patch");
    expect(await before.end(signal)).toBe(signal === "SIGTERM" ? 0 : null);
    await reader.ended;
    expect(reader.text().includes("event: bye\n")).toBe(signal === "SIGTERM");
    expect(before.stderr()).toBe("");

    const after = await start();
    expect(after.token).toBe(before.token);
    const view = await after.until(sessionId, () => true);
    expect(view).toMatchObject({
      state: { lamp: { lit: true } },
      turns: [{}, { prompt: "wait", status: "interrupted" }],
    });

    // What was seen before and what comes after that number are the whole log, each event once.
    const last = reader.ids.at(-1) ?? 0;
    const resumed = await readEvents(after.url + address, { ...bearer(after), "last-event-id": String(last) });
    await after.api("POST", `/api/sessions/${sessionId}/prompts`, { text: "light" });
    await after.until(sessionId, isIdle);
    const whole = await readEvents(after.url + address, bearer(after));
    expect(await after.end("SIGINT")).toBe(0);
    await Promise.all([resumed.ended, whole.ended]);
    expect([...reader.ids, ...resumed.ids]).toEqual(whole.ids);
    expect(whole.ids).toEqual([...new Set(whole.ids)].toSorted((one, other) => one - other));
  });

  test("a second signal ends it at once, also when a tool would not", async () => {
    const serving = await start();
    const sessionId = await newSession(serving);
    const reader = await readEvents(`${serving.url}/api/sessions/${sessionId}/events`, bearer(serving));
    await serving.api("POST", `/api/sessions/${sessionId}/prompts`, { text: "cling" });
    await reader.sees("state_patch");
    const ended = serving.end("SIGINT");
    // The first one has arrived when nobody new is let in.
    while (
      await fetch(`${serving.url}/api/health`).then(
        (answer) => answer.ok,
        () => false,
      )
    );
    void serving.end("SIGINT");
    expect(await ended).toBe(130);
  });
});

describe("starting", () => {
  test("the token is kept for the owner only, unless one is given", async () => {
    const serving = await start();
    expect(serving.token).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(join(playground.data, "token")).mode & 0o777).toBe(0o600);
    await serving.end("SIGTERM");
    expect((await start(["--token", "mine"])).token).toBe("mine");
  });

  test("the page is there, and the printed address signs in, once", async () => {
    const { url, address } = await start();
    const code = new URL(address).searchParams.get("code") ?? "";
    expect((await signIn(url, { code })).status).toBe(201);
    expect((await signIn(url, { code })).status).toBe(401);
    const page = await (await fetch(`${url}/`)).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? "";
    expect((await fetch(url + script)).headers.get("content-type")).toContain("javascript");
  });

  test("the environment says what the options do not", async () => {
    const port = await freePort();
    const env = { NARRATORIA_DATA: playground.data, NARRATORIA_TOKEN: "from-env", NARRATORIA_PORT: String(port) };
    const serving = await serve(["--story", playground.story], env);
    running.push(serving);
    expect([serving.url, serving.token]).toEqual([`http://127.0.0.1:${port}`, "from-env"]);
  });

  test("without a port, the next free one is taken and said", async () => {
    const first = await start([], []);
    const second = await serve(["--data", `${playground.data}-2`, "--story", playground.story]);
    running.push(second);
    expect(second.url).not.toBe(first.url);
    expect(second.stderr()).toMatch(/^Port 4700 is taken, so this is port \d+\.\n$/);
  });

  test("a port that was asked for and is taken is an error in one line", async () => {
    const { url } = await start();
    const port = new URL(url).port;
    const run = await narratoria(["serve", "--port", port, "--data", `${playground.data}-2`]);
    expect(run).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `narratoria: port ${port} is taken; --port 0 picks a free one\n`,
    });
  });

  test("a data folder that another one uses is refused in one line", async () => {
    await start();
    const run = await narratoria(["serve", "--port", "0", "--data", playground.data]);
    expect([run.exitCode, run.stdout]).toEqual([1, ""]);
    expect(run.stderr).toMatch(/^narratoria: another Narratoria is using .*\n$/);
  });

  test.each([
    [["--port", "abc"], `"abc" is no port: a number up to 65535 is`],
    [["--port", "70000"], `"70000" is no port: a number up to 65535 is`],
    [["--token", "two words"], "a token is letters, digits and signs without spaces"],
    [["--story", "/nowhere"], "there is no story folder /nowhere"],
    [["--policy", "/nowhere.json"], "cannot read /nowhere.json: there is no such file"],
  ])("%j is wrong usage", async (args, message) => {
    const run = await narratoria(["serve", "--data", playground.data, ...args]);
    expect(run).toEqual({ exitCode: 2, stdout: "", stderr: `narratoria: ${message}\n` });
  });
});

function signIn(origin: string, body: { code: string } | { token: string }): Promise<Response> {
  const headers = { origin, "content-type": "application/json" };
  return fetch(`${origin}/api/sign-in`, { method: "POST", headers, body: JSON.stringify(body) });
}

async function start(args: readonly string[] = [], port: readonly string[] = ["--port", "0"]): Promise<Serving> {
  const serving = await serve([...port, "--data", playground.data, "--story", playground.story, ...args]);
  running.push(serving);
  return serving;
}

async function newSession({ api, until }: Pick<Serving, "api" | "until">): Promise<string> {
  const { sessionId } = sessionCreated.parse((await api("POST", "/api/sessions")).body);
  await until(sessionId, isIdle);
  return sessionId;
}

function isIdle(view: SessionView): boolean {
  return view.turns.length > 0 && view.turns.every(({ status }) => status !== "running");
}

function bearer({ token }: Serving): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
