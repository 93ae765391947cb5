/** The data folder is deleted, moved or replaced under a running host: it notices, says so, and claims nothing it does not keep. */
import { cpSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPlayground, serve, type Playground, type Serving } from "./serve-process.ts";

let playground: Playground;
let serving: Serving;
let sessionId = "";
beforeEach(async () => {
  playground = createPlayground();
  serving = await serve(["--port", "0", "--data", playground.data, "--story", playground.story]);
  ({ sessionId } = (await serving.api("POST", "/api/sessions", {})).body as { sessionId: string });
  await serving.until(sessionId, ({ turns }) => turns[0]?.status === "completed");
});
afterEach(async () => {
  await serving.end("SIGTERM");
  playground[Symbol.dispose]();
});

const REASON = /was moved, deleted or replaced while it was running, so nothing more can be kept/;
const prompt = (): ReturnType<Serving["api"]> =>
  serving.api("POST", `/api/sessions/${sessionId}/prompts`, { text: "light" });

async function toldOnStderr(): Promise<string> {
  for (let tries = 0; tries < 500 && !REASON.test(serving.stderr()); tries++) await sleep(20);
  return serving.stderr();
}

describe("[Z1.4] under a running host the data folder is", () => {
  test.each<[string, (data: string) => void]>([
    ["deleted", (data) => rmSync(data, { recursive: true })],
    ["deleted, and an empty one made", (data) => (rmSync(data, { recursive: true }), mkdirSync(data, { mode: 0o700 }))],
    [
      "replaced by a copy",
      (data) => (
        cpSync(data, `${data}-2`, { recursive: true }),
        rmSync(data, { recursive: true }),
        renameSync(`${data}-2`, data)
      ),
    ],
    ["robbed of its write-ahead log", (data) => rmSync(join(data, "narratoria.db-wal"))],
  ])("%s: told without being asked, and prompts are refused with the reason", async (_, harm) => {
    harm(playground.data);
    expect(await prompt()).toMatchObject({
      status: 409,
      body: { error: { code: "conflict", message: expect.stringMatching(REASON) } },
    });
    expect((await serving.api("POST", "/api/sessions", {})).status).toBe(409);
    expect((await serving.api("DELETE", `/api/sessions/${sessionId}`)).status).toBe(409);
    const told = await toldOnStderr();
    expect(told).toMatch(REASON);
    expect(told).not.toMatch(/^\s+at /m);
  });

  test("moved away and put back: then it goes on", async () => {
    renameSync(playground.data, `${playground.data}-away`);
    expect((await prompt()).status).toBe(409);
    renameSync(`${playground.data}-away`, playground.data);
    expect((await prompt()).status).toBe(202);
    await serving.until(sessionId, ({ turns }) => turns[1]?.status === "completed");
  });

  test("deleted while a turn runs: the turn ends in words, not as if it were kept", async () => {
    const { body } = await serving.api("POST", `/api/sessions/${sessionId}/prompts`, { text: "wait" });
    await serving.until(sessionId, ({ state }) => JSON.stringify(state).includes("lit"));
    rmSync(playground.data, { recursive: true });
    await serving.api("POST", `/api/sessions/${sessionId}/cancel`, {});
    const view = await serving.until(sessionId, ({ turns }) => turns.at(-1)?.status !== "running");
    expect(view.turns.at(-1)).toMatchObject({
      ...(body as object),
      status: "failed",
      notice: expect.stringMatching(REASON),
    });
  });
});
