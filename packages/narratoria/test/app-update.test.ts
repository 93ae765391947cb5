/** The service worker never stands between a browser and a newer app. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildWeb } from "../web/build.ts";
import { launchChromium } from "./browser/chromium.ts";
import { createPlayer } from "./browser/player.ts";
import { serveApp, TOKEN } from "./served-app.ts";

test("an update of the app is there at the next visit", { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "narratoria-web-"));
  const webDir = join(folder, "dist");
  cpSync(await buildWeb(), webDir, { recursive: true });
  const browser = await launchChromium();
  try {
    await using served = await serveApp({ webDir });
    await using player = await createPlayer(browser, { url: served.url, token: TOKEN });
    const { page } = player;
    await player.open();
    const isServed = (): Promise<unknown> => page.evaluate("navigator.serviceWorker.controller !== null");
    await expect.poll(isServed, { timeout: 30_000 }).toBe(true);
    const index = join(webDir, "index.html");
    writeFileSync(index, readFileSync(index, "utf8").replace("<body>", '<body data-version="next">'));
    await page.reload();
    expect(await page.evaluate("document.body.dataset.version")).toBe("next");
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
