/**
 * The command started with an old Node, which hands over to the bundled one: two processes that end as one. Needs a Node
 * older than 22.18 on the PATH.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SessionView } from "../src/story/session-view.ts";
import { createPlayground, serve, type Playground, type Serving } from "./serve-process.ts";

const oldNode = findOldNode();

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

describe.skipIf(oldNode === null)("[Z1.4] handed over to the bundled Node (needs a Node older than 22.18)", () => {
  test("a signal to the whole group, as service managers send it, ends it once and in order", async () => {
    const serving = await start(oldNode ?? "");
    const sessionId = await playUntilItWaits(serving);
    process.kill(-serving.pid, "SIGTERM");
    expect(await serving.ended).toBe(0);
    expect((await turnsAfterwards(sessionId)).at(-1)).toMatchObject({ prompt: "wait", status: "interrupted" });
  });

  test("a signal to the launcher alone is passed on", async () => {
    const serving = await start(oldNode ?? "");
    process.kill(serving.pid, "SIGTERM");
    expect(await serving.ended).toBe(0);
  });

  test("kill -9 of the launcher leaves nothing behind", async () => {
    const serving = await start(oldNode ?? "");
    const sessionId = await playUntilItWaits(serving);
    process.kill(serving.pid, "SIGKILL");
    while (await fetch(serving.url).then(isAnswered, () => false)) await sleep(50);
    expect((await turnsAfterwards(sessionId)).at(-1)).toMatchObject({ prompt: "wait", status: "interrupted" });
  });
});

function isAnswered(): boolean {
  return true;
}

async function start(node: string): Promise<Serving> {
  const serving = await serve(["--story", playground.story, "--data", playground.data, "--port", "0"], {}, node);
  running.push(serving);
  return serving;
}

async function playUntilItWaits({ api, until }: Serving): Promise<string> {
  const { sessionId } = (await api("POST", "/api/sessions", {})).body as { sessionId: string };
  await until(sessionId, ({ turns }) => turns.at(-1)?.status === "completed");
  await api("POST", `/api/sessions/${sessionId}/prompts`, { text: "wait" });
  await until(sessionId, ({ turns }) => turns.at(-1)?.tools[0]?.status === "running");
  return sessionId;
}

async function turnsAfterwards(sessionId: string): Promise<SessionView["turns"]> {
  const next = await start(process.execPath);
  return (await next.until(sessionId, () => true)).turns;
}

function findOldNode(): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const found = folders.map((folder) => join(folder, "node")).find((file) => existsSync(file));
  if (found === undefined) return null;
  const [major = 0, minor = 0] = execFileSync(found, ["-p", "process.versions.node"], { encoding: "utf8" })
    .split(".")
    .map(Number);
  return major < 22 || (major === 22 && minor < 18) ? found : null;
}
