/** The packed app, installed into an empty folder and played in a real browser. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { INSTALL_MS, installedPackages } from "../installed-packages.ts";
import { launchChromium } from "./chromium.ts";
import { createPlayer } from "./player.ts";

let browser: Browser;
let server: ChildProcess;
let address: URL;
let data: string;

beforeAll(async () => {
  const { folder } = await installedPackages();
  data = mkdtempSync(join(tmpdir(), "narratoria-packed-"));
  const env = {
    ...process.env,
    NARRATORIA_DATA: data,
    NARRATORIA_TOKEN: "a-token-for-this-test-alone",
    NARRATORIA_PORT: "0",
  };
  // Without a word, as `npx narratoria` is typed.
  server = spawn(join(folder, "node_modules/.bin/narratoria"), ["--allow-unconfined"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed] = (await once(server.stdout ?? server, "data")) as [Buffer];
  address = new URL(/(http\S+)/.exec(printed.toString())?.[1] ?? "");
  browser = await launchChromium();
}, INSTALL_MS);

afterAll(async () => {
  await browser.close();
  server.kill("SIGTERM");
  await once(server, "exit");
  rmSync(data, { recursive: true, force: true });
});

test("a newcomer reads the opening, types, gets an answer, and finds the version", { timeout: 120_000 }, async () => {
  await using player = await createPlayer(browser, { url: address.origin, token: "a-token-for-this-test-alone" });
  await player.open();
  await player.page.getByText("The vote was unanimous.").first().waitFor();
  await player.type("light the torch");
  await player.turnsDone(1);
  expect(await player.newest()).toContain("torch");
  await player.page.getByRole("button", { name: "Menu" }).click();
  await player.page.getByRole("menuitem", { name: "Settings" }).click();
  await player.page.getByText("Narratoria 0.1.0").waitFor();
  expect(player.complaints).toEqual([]);
});
