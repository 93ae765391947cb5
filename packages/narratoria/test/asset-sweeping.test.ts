/** Deleting sessions sweeps their own assets and nobody else's: not those of running turns, nor of imports under way. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ToolEvent } from "@narratoria/tool/protocol";
import { openSessions, type Host } from "../src/create-narratoria.ts";
import { bytesSource } from "../src/runtime/seams/assets.ts";
import { isRefusal } from "../src/runtime/seams/session-service.ts";
import { assetPath, createAssetFolder, sweepAssets } from "../src/stores/asset-folder.ts";
import { createAssetHolds, releasingHolds } from "../src/stores/asset-holds.ts";
import { openSqliteStore } from "../src/stores/sqlite.ts";
import { logInto } from "./log-into.ts";
import { ok } from "./scripted-host.ts";
import { start } from "./store-behaviour.ts";
import { createPlayground, serve } from "./serve-process.ts";
import { removeNow } from "./remove-now.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "narratoria-sweep-"));
  chmodSync(dir, 0o755);
  mkdirSync(join(dir, "story", "tools"), { recursive: true });
  const asset = '{"version":"0","type":"asset","assetId":"p","kind":"data","mediaType":"text/plain","path":"%s/p.txt"}';
  const paint = (name: string, words: string): void => {
    const lines = [
      "#!/bin/sh",
      `echo "${words}" > "$NARRATORIA_ASSET_DIR/p.txt"`,
      `printf '${asset}\\n' "$NARRATORIA_ASSET_DIR"`,
      `echo '{"version":"0","type":"done","ok":true}'`,
    ];
    writeFileSync(join(dir, "story", "tools", name), `${lines.join("\n")}\n`, { mode: 0o755 });
  };
  paint("paint", "$NARRATORIA_REQUEST_ID");
  paint("copy", "always the same");
  const entries = ["paint", "copy"].map((name) => {
    return { match: name, plan: { tools: [{ toolId: name, toolPath: name }] }, narrative: "." };
  });
  writeFileSync(join(dir, "story", "plans.json"), JSON.stringify([{ opening: true, narrative: "." }, ...entries]));
  writeFileSync(join(dir, "story", "story.json"), JSON.stringify({ title: "Paint", narrator: "stub" }));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const open = (): Promise<Host> =>
  openSessions({ dataDir: join(dir, "data"), storyDir: join(dir, "story"), sandbox: "none", allowUnconfined: true });

async function begin(host: Host): Promise<string> {
  const { sessionId } = ok(await host.create({}));
  await host.idle(sessionId);
  return sessionId;
}

async function play(host: Host, sessionId: string, text: string): Promise<void> {
  const { turnId } = ok(await host.prompt(sessionId, text));
  await host.turnEnded(sessionId, turnId);
}

async function assetsOf(host: Host, sessionId: string): Promise<string[]> {
  const { turns } = ok(await host.view(sessionId));
  return turns.flatMap(({ passages }) =>
    passages.flatMap((passage) => (passage.kind === "asset" && passage.asset.id ? [passage.asset.id] : [])),
  );
}

const storedFiles = (): string[] =>
  (readdirSync(join(dir, "data", "assets"), { recursive: true }) as string[]).filter((name) => name.length > 60);

test("[Z1.4] under constant deletes and imports no other session loses an asset, and none is left over", async () => {
  const host = await open();
  const doomed = await begin(host);
  await play(host, doomed, "paint");
  await play(host, doomed, "copy");
  const exported = await buffer(ok(await host.export(doomed)));
  // From now on only those that come and go have the same bytes as the players.
  ok(await host.remove(doomed));
  let isOver = false;
  async function* file(): AsyncGenerator<Uint8Array> {
    yield exported;
  }
  async function deleteAndImport(): Promise<void> {
    while (!isOver) {
      const { sessionId } = ok(await host.import(file()));
      for (const id of await assetsOf(host, sessionId)) ok(await host.asset(id));
      ok(await host.remove(sessionId));
    }
  }
  const players = await Promise.all(Array.from({ length: 4 }, () => begin(host)));
  const deleting = [deleteAndImport(), deleteAndImport()];
  await Promise.all(
    players.map(async (sessionId, index) => {
      for (let n = 0; n < 6; n++) await play(host, sessionId, (n + index) % 2 === 0 ? "paint" : "copy");
    }),
  );
  isOver = true;
  await Promise.all(deleting);
  const missing: string[] = [];
  let found = 0;
  for (const sessionId of players) {
    for (const id of await assetsOf(host, sessionId)) {
      found++;
      if (isRefusal(await host.asset(id))) missing.push(id);
    }
  }
  expect([found, missing]).toEqual([24, []]);
  for (const sessionId of players) ok(await host.remove(sessionId));
  expect(storedFiles()).toEqual([]);
  await host.close();
}, 60_000);

test("[Z1.4] what was brought and is not committed yet is held, however often the same bytes come", async () => {
  const folder = join(dir, "assets");
  const holds = createAssetHolds();
  const assets = createAssetFolder(folder, undefined, holds);
  const store = releasingHolds(openSqliteStore(":memory:"), holds);
  const log = logInto(store);
  const bring = async (): Promise<string> => {
    const taken = await assets.take(bytesSource(Buffer.from("the same"), "text/plain"));
    return taken.kind === "stored" ? taken.sha256 : "";
  };
  const commit = (session: string, sha256: string): void => {
    const about = { assetId: "p", kind: "data", mediaType: "text/plain" };
    const event: ToolEvent = { version: "0", type: "asset", ...about, path: "p" };
    const asset = { ...about, toolId: "x", status: "stored", sha256, bytes: 8 } as const;
    log.append([
      { event: "tool:event", component: "runner", session_id: session, data: { toolId: "x", event, asset } },
    ]);
  };
  log.append([start("a"), start("b")]);
  const sha256 = await bring();
  commit("a", sha256);
  expect(await bring()).toBe(sha256);
  const unused = removeNow(store, "a");
  expect(unused).toEqual([sha256]);
  sweepAssets(folder, unused, holds);
  expect(existsSync(assetPath(folder, sha256))).toBe(true);
  commit("b", sha256);
  sweepAssets(folder, removeNow(store, "b"), holds);
  expect(existsSync(assetPath(folder, sha256))).toBe(false);
});

test("an asset whose file is gone or cut is answered as missing, in words", async () => {
  using playground = createPlayground();
  const serving = await serve(["--port", "0", "--data", playground.data, "--story", playground.story]);
  const { sessionId } = (await serving.api("POST", "/api/sessions", {})).body as { sessionId: string };
  await serving.until(sessionId, ({ turns }) => turns[0]?.status === "completed");
  await serving.api("POST", `/api/sessions/${sessionId}/prompts`, { text: "paint" });
  const { turns } = await serving.until(sessionId, ({ turns }) => turns[1]?.status === "completed");
  const passage = turns[1]?.passages.find(({ kind }) => kind === "asset");
  const path = `/api/assets/${passage?.kind === "asset" ? passage.asset.id : ""}`;
  const headers = { authorization: `Bearer ${serving.token}` };
  expect((await fetch(serving.url + path, { headers })).status).toBe(200);
  const assets = join(playground.data, "assets");
  const [name] = (readdirSync(assets, { recursive: true }) as string[]).filter((each) => each.length > 60);
  const stored = join(assets, name ?? "");
  expect(existsSync(stored)).toBe(true);
  for (const [harm, words] of [
    [() => truncateSync(stored, 5), "damaged: 5 of"],
    [() => rmSync(stored), "not there any more"],
  ] as const) {
    harm();
    for (const method of ["GET", "HEAD"])
      expect((await fetch(serving.url + path, { method, headers })).status).toBe(404);
    expect(await serving.api("GET", path)).toMatchObject({
      status: 404,
      body: { error: { code: "not_found", message: expect.stringContaining(words) } },
    });
  }
  await serving.end("SIGTERM");
});
