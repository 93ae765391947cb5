/** `narratoria backup DIR` beside a playing host: a whole copy of one moment, which opens as a data folder. */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { examineStore, isDamaged } from "../src/stores/examine-store.ts";
import { narratoria } from "./narratoria-command.ts";
import { createPlayground, serve, type Serving } from "./serve-process.ts";

async function begin(serving: Serving): Promise<string> {
  const { sessionId } = (await serving.api("POST", "/api/sessions", {})).body as { sessionId: string };
  await serving.until(sessionId, ({ turns }) => turns[0]?.status === "completed");
  return sessionId;
}

async function play(serving: Serving, sessionId: string, text: string): Promise<void> {
  const { body } = await serving.api("POST", `/api/sessions/${sessionId}/prompts`, { text });
  const { turnId } = body as { turnId: string };
  await serving.until(sessionId, ({ turns }) => turns.find((turn) => turn.turnId === turnId)?.status === "completed");
}

test("[Z1.4] a backup of a host that goes on playing is whole, opens, and has the pictures; the host notices nothing", async () => {
  using playground = createPlayground();
  const { data, story } = playground;
  const serving = await serve(["--port", "0", "--data", data, "--story", story]);
  const sessionId = await begin(serving);
  await play(serving, sessionId, "paint");
  let isOver = false;
  const playing = (async () => {
    for (let n = 0; !isOver; n++) {
      // No more than a view shows: they are compared.
      if (n < 8) await play(serving, sessionId, "light");
      if (n % 2 === 0) await serving.api("DELETE", `/api/sessions/${await begin(serving)}`);
    }
  })();
  const folders = [1, 2, 3].map((n) => join(data, "..", `backup-${n}`));
  for (const folder of folders) {
    const run = await narratoria(["backup", folder, "--data", data]);
    expect(run).toMatchObject({ exitCode: 0, stderr: "", stdout: expect.stringContaining("1 assets are in") });
  }
  isOver = true;
  await playing;
  const now = await serving.until(sessionId, () => true);
  await serving.end("SIGTERM");

  for (const folder of folders) {
    expect(readdirSync(folder).toSorted()).toEqual(["assets", "narratoria.db", "narratoria.db-ends"]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "narratoria.db")).mode & 0o777).toBe(0o600);
    expect(isDamaged(await examineStore(folder))).toBe(false);
  }
  // The folder is lost; the backup takes its place.
  rmSync(data, { recursive: true });
  const restored = await serve(["--port", "0", "--data", folders[2] ?? "", "--story", story]);
  const view = await restored.until(sessionId, ({ turns }) => turns.every(({ status }) => status !== "running"));
  const kept = view.turns.filter(({ status }) => status === "completed");
  expect(kept.length).toBeGreaterThan(1);
  expect(kept).toEqual(now.turns.slice(0, kept.length));
  const picture = view.turns[1]?.passages.find((passage) => passage.kind === "asset");
  const headers = { authorization: `Bearer ${restored.token}` };
  const bytes = await fetch(`${restored.url}/api/assets/${picture?.asset.id}`, { headers });
  expect([bytes.status, await bytes.text()]).toEqual([200, expect.stringContaining("<svg")]);
  await restored.end("SIGTERM");
}, 120_000);

test("a backup is never written over something, and tells what it could not copy", async () => {
  using playground = createPlayground();
  const { data, story } = playground;
  const folder = join(data, "..", "backup");
  expect(await narratoria(["backup", folder, "--data", data])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("there is nothing to back up"),
  });
  const serving = await serve(["--port", "0", "--data", data, "--story", story]);
  await play(serving, await begin(serving), "paint");
  mkdirSync(folder);
  writeFileSync(join(folder, "mine.txt"), "mine");
  expect(await narratoria(["backup", folder, "--data", data])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("not empty"),
  });
  expect(readdirSync(folder)).toEqual(["mine.txt"]);
  rmSync(join(data, "assets"), { recursive: true });
  const partly = await narratoria(["backup", `${folder}-2`, "--data", data]);
  expect(partly).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("1 assets could not be copied") });
  await serving.end("SIGTERM");
}, 60_000);
