/** Sessions as wholes, settings, keys, 1,000 choices, and reading without the server. */
import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "./chromium.ts";
import { type Gallery, openGallery } from "./gallery.ts";
import { createPlayer } from "./player.ts";
import type { SessionView } from "../../src/story/session-view.ts";

let browser: Browser;
let gallery: Gallery;

beforeAll(async () => {
  [browser, gallery] = await Promise.all([launchChromium(), openGallery()]);
}, 60_000);

afterAll(async () => {
  await browser.close();
  await gallery[Symbol.asyncDispose]();
});

describe("a session as a whole", () => {
  test("is renamed, and the window's title follows; odd letters in it do no harm", async () => {
    const { sessionId } = await gallery.play();
    await using player = await createPlayer(browser, gallery.server);
    const { page } = player;
    await player.open(`/s/${sessionId}/narrative`);
    await expect.poll(() => page.title()).toBe("The Gallery · Narratoria");
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByLabel("Title").fill("A \u202Equiet\u200B walk");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "A ⟨U+202E⟩quiet⟨U+200B⟩ walk" }).waitFor();
    await expect.poll(() => page.title()).toBe("A quiet walk · Narratoria");
  });

  test("is exported and imported; a file that was tampered with is refused kindly", async () => {
    const { sessionId } = await gallery.play("light");
    await using player = await createPlayer(browser, gallery.server);
    const { page } = player;
    await player.open();
    const link = page.locator(`a[href="/api/sessions/${sessionId}/export"]`);
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    const file = readFileSync(await download.path());
    expect(download.suggestedFilename()).toBe("The-Gallery.narratoria");

    const give = async (buffer: Buffer) => {
      const named = { name: "x.narratoria", mimeType: "application/octet-stream", buffer };
      await page.locator("input[type=file]").setInputFiles(named);
      await page.getByRole("button", { name: "Open x.narratoria" }).click();
    };
    const tampered = Buffer.from(file);
    tampered[tampered.length >> 1] = (tampered[tampered.length >> 1] ?? 0) ^ 0xff;
    await give(tampered);
    await page.getByRole("alert").getByText("This file was not opened:").waitFor();
    await give(file);
    await page.waitForURL(/\/narrative$/);
    expect(player.sessionId()).not.toBe(sessionId);
    await page.locator(".turn.head").getByText("You light the torch.").waitFor();
  });

  test("is deleted only when its title was typed", async () => {
    const { sessionId } = await gallery.play();
    await gallery.server.api("PATCH", `/api/sessions/${sessionId}`, { title: "Away \u202Ewith\u200B it" });
    await using player = await createPlayer(browser, gallery.server);
    const { page } = player;
    await player.open();
    const tile = page.locator(".tile-place", { hasText: "Away" });
    await tile.getByRole("button", { name: "Delete" }).click();
    const confirm = page.getByRole("button", { name: "Delete for good" });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel("Its title").fill("Away with");
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel("Its title").fill("Away with it");
    await confirm.click();
    await expect.poll(() => tile.count()).toBe(0);
    expect((await gallery.server.api("GET", `/api/sessions/${sessionId}`)).status).toBe(404);
  });

  test("[K1.3] deleted, says what stays for its forks, and deletes that too when told to", async () => {
    const { sessionId } = await gallery.play("light");
    await gallery.server.api("PATCH", `/api/sessions/${sessionId}`, { title: "The trunk" });
    const view = (await gallery.server.api("GET", `/api/sessions/${sessionId}`)).body as SessionView;
    const turnId = view.headTurnId ?? "";
    const about = { turnId, title: "The branch" };
    const forked = (await gallery.server.api("POST", `/api/sessions/${sessionId}/fork`, about)).body as SessionView;
    await using player = await createPlayer(browser, gallery.server);
    const { page } = player;
    await player.open();
    const tile = page.locator(".tile-place", { hasText: "The trunk" });
    await tile.getByRole("button", { name: "Delete" }).click();
    await page.getByLabel("Its title").fill("The trunk");
    await page.getByRole("button", { name: "Delete for good" }).click();
    const dialog = page.getByRole("dialog", { name: "Deleted, but for its beginning" });
    await dialog.getByText("2 turns stay").waitFor();
    await dialog.getByText("The branch").waitFor();
    await dialog.getByRole("button", { name: "Delete that too" }).click();
    await expect.poll(() => tile.count()).toBe(0);
    await player.open(`/s/${forked.sessionId}/narrative`);
    await page.getByText("What was told before this was deleted.").waitFor();
    expect(await page.getByText("You light the torch.").count()).toBe(0);
    await page.locator(".choice").first().waitFor();
  });
});

test("[U1.9] `?` shows the keys, `g` and a letter go places, also while nothing was typed yet", async () => {
  const { sessionId } = await gallery.play("light");
  await using player = await createPlayer(browser, gallery.server);
  const { page } = player;
  await player.open(`/s/${sessionId}/narrative`);
  await page.locator(".choice").first().waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("move");
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await sheet.waitFor();
  // A number means nothing to the story while the sheet is open.
  await page.keyboard.press("1");
  await page.keyboard.press("Escape");
  await expect.poll(() => sheet.count()).toBe(0);
  expect(await page.locator(".turn").count()).toBe(2);
  await page.getByRole("group", { name: "The story so far" }).focus();
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await page.waitForURL(/\/state$/);
});

test("[U1.9] text size, motion and developer panes are remembered", async () => {
  const { sessionId } = await gallery.play();
  await using player = await createPlayer(browser, gallery.server);
  const { page } = player;
  await player.open(`/s/${sessionId}/narrative`);
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("menuitem", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Large" }).click();
  await page.getByRole("button", { name: "As little as possible" }).click();
  await page.getByRole("button", { name: "Shown" }).click();
  await page.reload();
  const size = () => page.evaluate(() => getComputedStyle(document.documentElement).fontSize);
  await expect.poll(size).toBe("19px");
  expect(await page.evaluate(() => document.documentElement.dataset["motion"])).toBe("less");
  expect(await page.evaluate(() => localStorage.getItem("narratoria:settings"))).toContain('"isDeveloper":true');
});

test("[U1.2] of 1,000 choices the first ones show, and all when asked for", async () => {
  const { sessionId } = await gallery.play("crowd");
  await using player = await createPlayer(browser, gallery.server);
  const { page } = player;
  await player.open(`/s/${sessionId}/narrative`);
  await page.getByRole("button", { name: "Show all 1,000 choices" }).click();
  await expect.poll(() => page.locator(".choice").count()).toBe(1_000);
});

test("without the server the last stories can be read, and nothing pretends that it is there", async () => {
  await using own = await openGallery();
  const { sessionId } = await own.play("light");
  await using player = await createPlayer(browser, own.server);
  const { page } = player;
  await player.open(`/s/${sessionId}/narrative`);
  await page.locator(".turn.head").getByText("You light the torch.").waitFor();
  await player.choose("burn");
  await page.locator(".turn.head").getByText("The oil burns down.").waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready);
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);

  await own.server.end("SIGKILL");
  await page.reload();
  await page.locator(".turn.head").getByText("The oil burns down.").waitFor();
  await page.getByText("Connection lost.").waitFor();
  await page.goto(`${own.server.url}/`);
  await page.getByRole("region", { name: "To read meanwhile" }).getByRole("link", { name: "The Gallery" }).click();
  await page.locator(".turn.head").getByText("The oil burns down.").waitFor();
  const kept = await page.evaluate(async () => {
    const names = await caches.keys();
    const all = await Promise.all(
      names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)),
    );
    return all.flat().filter((url) => url.includes("/api/"));
  });
  expect(kept).toEqual([`${own.server.url}/api/sessions/${sessionId}`]);
});
