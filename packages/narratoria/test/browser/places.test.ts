/** Assets, State and the tree of turns, in a real browser against a real server. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "./chromium.ts";
import { LEAVES } from "./gallery-story.ts";
import { type Gallery, openGallery } from "./gallery.ts";
import { manyTurns } from "./many-turns.ts";
import { createPlayer } from "./player.ts";

let browser: Browser;
let gallery: Gallery;

beforeAll(async () => {
  [browser, gallery] = await Promise.all([launchChromium(), openGallery()]);
}, 60_000);

afterAll(async () => {
  await browser.close();
  await gallery[Symbol.asyncDispose]();
});

describe("[U1.6] Assets", () => {
  test("every kind shows safely, what cannot be shown says why, and kinds can be picked out", async () => {
    const { sessionId } = await gallery.play("paint");
    await using player = await createPlayer(browser, gallery.server);
    const { page } = player;
    page.setDefaultTimeout(8_000);
    await player.open(`/s/${sessionId}/assets`);
    const tiles = page.locator(".asset-tile");
    await expect.poll(() => tiles.count()).toBe(8);

    const open = async (name: string): Promise<string> => {
      await tiles.filter({ hasText: name }).click();
      return page.locator(".asset-detail").innerText();
    };
    await open("A red square");
    const picture = page.locator(".asset-detail img");
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
    expect(await open("huge")).toContain("With 20,000 × 20,000 pixels it is too large to show here.");
    await tiles.filter({ hasText: "broken" }).click();
    for (const name of ["broken", "noise", "film"]) {
      await tiles.filter({ hasText: name }).click();
      await page.locator(".asset-reason", { hasText: "This browser cannot show it" }).waitFor();
    }
    expect(await open("safe")).toContain("1:10");
    expect(await page.locator(".asset-detail dd", { hasText: "⟨U+202E⟩" }).count()).toBe(1);
    expect(await open("lost")).toMatch(/nowhere|no such file|not there|missing/i);
    await open("beep");
    await expect
      .poll(() => page.locator(".asset-detail audio").evaluate((sound: HTMLAudioElement) => sound.duration))
      .toBeCloseTo(0.1);

    await page.getByRole("button", { name: /^Sounds/ }).click();
    await expect.poll(() => tiles.count()).toBe(2);
  });

  test("a picture opens from the story and leads back to the turn that made it", async () => {
    const { sessionId } = await gallery.play("paint", "light", "burn");
    await using player = await createPlayer(browser, gallery.server);
    const { page } = player;
    page.setDefaultTimeout(8_000);
    await player.open(`/s/${sessionId}/narrative`);
    await page.getByRole("link", { name: "A red square" }).click();
    await page.getByRole("region", { name: "A red square" }).getByRole("link", { name: "turn 1" }).click();
    const turn = page.getByRole("region", { name: "Turn 1", exact: true });
    await expect.poll(() => turn.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(new URL(page.url()).pathname).toBe(`/s/${sessionId}/narrative`);
  });
});

describe("[U1.7] State", () => {
  test("opens and closes by keyboard, marks what changed, and says where a value came from, to the beginning", async () => {
    const { sessionId } = await gallery.play("light", "burn", "light", "burn");
    await using player = await createPlayer(browser, gallery.server);
    const { page } = player;
    page.setDefaultTimeout(8_000);
    await player.open(`/s/${sessionId}/state`);
    const tree = page.getByRole("tree", { name: "The state" });
    const row = (name: string) => tree.getByRole("treeitem").filter({ hasText: name });
    await row("torch").waitFor();
    expect(await row("torch").getAttribute("aria-expanded")).toBe("true");
    await tree.focus();
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => row("lit").count()).toBe(0);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const why = page.getByRole("region", { name: "Where it came from" });
    await expect.poll(() => why.locator(".why-chain > li").count()).toBe(2);
    expect(await why.innerText()).toContain("Set by light, in turn 3, because you said");
    expect(await row("⟨U+202E⟩").innerText()).toContain("<img src=x onerror=alert(1)>");
    await why.getByRole("link", { name: "Read turn 1" }).click();
    await page.waitForURL(/narrative$/);
    expect(player.complaints).toEqual([]);
  });

  test("compares any two turns, also of different paths, and gives the JSON to copy", async () => {
    const first = await gallery.play("light");
    const { sessionId, headTurnId } = await gallery.say(first.sessionId, "burn", first.turns[0]?.turnId);
    await using player = await createPlayer(browser, gallery.server, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const { page } = player;
    page.setDefaultTimeout(8_000);
    await player.open(`/s/${sessionId}/state`);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByText("One value differs.").waitFor();
    await page.getByLabel("From").selectOption(first.headTurnId);
    await page.getByText("3 values differ.").waitFor();
    expect(await page.getByLabel("To", { exact: true }).inputValue()).toBe(headTurnId);
    const line = page.locator(".change-line", { hasText: "/oil" });
    expect((await line.innerText()).replaceAll(/\s+/g, " ")).toContain("3 → 2");

    await page.getByRole("button", { name: "JSON" }).click();
    await page.getByRole("button", { name: "Copy all" }).click();
    await page.getByText("Copied").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(JSON.parse(copied)).toEqual({ torch: { lit: false }, oil: 2 });
  });

  test("a state of 100,000 leaves keeps few lines in the document", async () => {
    const { sessionId } = await gallery.play("grow");
    await using player = await createPlayer(browser, gallery.server);
    const { page } = player;
    page.setDefaultTimeout(8_000);
    await player.open(`/s/${sessionId}/state`);
    const tree = page.getByRole("tree", { name: "The state" });
    // The last turn made them, so they are open.
    await tree.getByRole("treeitem").filter({ hasText: "100000 names" }).waitFor();
    await tree.focus();
    await page.keyboard.press("End");
    await tree
      .getByRole("treeitem")
      .filter({ hasText: `${(LEAVES - 1).toString(36)}.` })
      .waitFor();
    expect(await tree.getByRole("treeitem").count()).toBeLessThan(100);
    await page.getByRole("button", { name: "JSON" }).click();
    await page.getByText("lines", { exact: false }).first().waitFor();
    expect(await page.locator(".raw-line").count()).toBeLessThan(150);
  });
});

describe("[U1.4] the tree of turns", () => {
  test("is one click away; keys and clicks go anywhere; bookmarks and forks show; branches compare", async () => {
    const first = await gallery.play("light", "burn");
    const opening = first.turns[0]?.turnId;
    const { sessionId } = await gallery.say(first.sessionId, "paint", opening);
    await using player = await createPlayer(browser, gallery.server);
    const { page } = player;
    page.setDefaultTimeout(8_000);
    await player.open(`/s/${sessionId}/narrative`);
    await page.getByRole("button", { name: "The tree of turns" }).click();
    const tree = page.getByRole("tree", { name: "The tree of turns" });
    const turn = (name: RegExp) => tree.getByRole("treeitem", { name });
    await turn(/paint.*you are here.*take 2 of 2/).waitFor();

    await tree.focus();
    for (const key of ["ArrowLeft", "ArrowDown", "Enter"]) await page.keyboard.press(key);
    await turn(/burn.*you are here/).waitFor();
    await turn(/light.*take 1 of 2/).click();
    await turn(/light.*you are here/).waitFor();

    await page.getByLabel("Bookmark").fill("Where it was bright");
    await page.getByRole("button", { name: "Save" }).click();
    await turn(/bookmark: Where it was bright/).waitFor();

    await page.getByRole("button", { name: "Compare with" }).click();
    await turn(/paint/).click();
    await page.getByRole("region", { name: "The other" }).getByText("You paint.").waitFor();
    await page.getByRole("region", { name: "State" }).getByText("/torch/lit").waitFor();
    await page.getByRole("button", { name: "Back to the tree" }).click();

    const address = page.url();
    await page.getByRole("button", { name: "Fork" }).click();
    await page.waitForURL((url) => url.href !== address && url.pathname.endsWith("narrative"));
    await page.goto(address);
    await turn(/paint.*1 fork/).waitFor();
    expect(player.complaints).toEqual([]);
  });

  test("2,000 turns keep few in the document, wherever it is panned to", async () => {
    const { sessionId, turns } = await gallery.play();
    await using player = await createPlayer(browser, gallery.server, { serviceWorkers: "block" });
    const { page } = player;
    page.setDefaultTimeout(8_000);
    await page.route("**/tree", async (route) =>
      route.request().resourceType() === "fetch"
        ? route.fulfill({ json: manyTurns(turns[0]?.turnId ?? "", 2_000) })
        : route.continue(),
    );
    await player.open(`/s/${sessionId}/tree`);
    await page.getByText("2,000 turns").waitFor();
    const picture = page.getByRole("tree", { name: "The tree of turns" });
    for (const size of ["Cards", "Overview"]) {
      await page.getByRole("button", { name: size }).click();
      await picture.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await page.locator("#turn-t999").waitFor();
      expect(await page.locator(".turn-mark").count()).toBeLessThan(400);
      await picture.evaluate((element) => element.scrollTo(element.scrollWidth, 0));
      await page.locator("#turn-s1").waitFor();
      expect(await page.locator(".turn-mark").count()).toBeLessThan(400);
    }
  });
});
