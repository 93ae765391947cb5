/** Assets, State, the tree of turns and the dialogs: axe in both schemes at every size, and targets large enough. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "./chromium.ts";
import { findProblems } from "./find-problems.ts";
import { type Gallery, openGallery } from "./gallery.ts";
import { createPlayer, DESKTOP, PHONE } from "./player.ts";

const SIZES = [
  { name: "1280x800", viewport: DESKTOP },
  { name: "768x1024", viewport: { width: 768, height: 1024 } },
  { name: "360x640", viewport: PHONE },
];

let browser: Browser;
let gallery: Gallery;
let sessionId = "";

beforeAll(async () => {
  [browser, gallery] = await Promise.all([launchChromium(), openGallery()]);
  const first = await gallery.play("light", "paint", "burn");
  sessionId = first.sessionId;
  await gallery.say(sessionId, "light", first.turns[2]?.turnId);
  const { headTurnId: turnId } = await gallery.say(sessionId, "burn", first.turns[2]?.turnId);
  await gallery.server.api("POST", `/api/sessions/${sessionId}/bookmarks`, { turnId, name: "Here" });
}, 60_000);

afterAll(async () => {
  await browser.close();
  await gallery[Symbol.asyncDispose]();
});

/** One look of one place: where it is, and how to get from there to the look. */
const LOOKS: { name: string; path: string; reach?: (page: Page) => Promise<unknown> }[] = [
  { name: "the state and why", path: "state", reach: (page) => page.locator(".state-row.is-changed").first().click() },
  { name: "two turns compared", path: "state", reach: (page) => page.getByRole("button", { name: "Compare" }).click() },
  { name: "the state as JSON", path: "state", reach: (page) => page.getByRole("button", { name: "JSON" }).click() },
  { name: "the assets", path: "assets" },
  { name: "one asset", path: "assets", reach: (page) => page.locator(".asset-tile").first().click() },
  { name: "the tree of turns", path: "tree", reach: (page) => page.locator(".turn-mark").first().waitFor() },
  { name: "the tree from afar", path: "tree", reach: (page) => page.getByRole("button", { name: "Overview" }).click() },
  {
    name: "two branches",
    path: "tree",
    reach: async (page) => {
      await page.getByRole("button", { name: "Compare with" }).click();
      await page.locator(".turn-mark").first().click();
      await page.getByText("You light the torch.").waitFor();
    },
  },
  { name: "the keys", path: "assets", reach: (page) => page.keyboard.press("?") },
  { name: "the settings", path: "state", reach: (page) => chooseInMenu(page, "Settings") },
  { name: "a new name", path: "state", reach: (page) => chooseInMenu(page, "Rename") },
  { name: "the end of a session", path: "state", reach: (page) => chooseInMenu(page, "Delete") },
];

async function chooseInMenu(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("menuitem", { name }).click();
  await page.getByRole("dialog").waitFor();
}

describe.each(SIZES)("[U1.9] at $name", ({ viewport }) => {
  test("axe finds nothing in either scheme, nothing scrolls sideways", { timeout: 120_000 }, async () => {
    await using player = await createPlayer(browser, gallery.server, { viewport, reducedMotion: "reduce" });
    const { page } = player;
    await player.open();
    await page.locator(".tile").first().waitFor();
    const problems: string[] = [];
    for (const { name, path, reach } of LOOKS) {
      await page.goto(`${gallery.server.url}/s/${sessionId}/${path}`);
      await page.locator(".place").waitFor();
      await reach?.(page);
      problems.push(...(await findProblems(page, name)), ...(await smallTargets(page, name)));
    }
    expect(problems).toEqual([]);
    expect(player.complaints).toEqual([]);
  });
});

/** Links within a sentence may be as small as its words (WCAG 2.5.8). */
function smallTargets(page: Page, where: string): Promise<string[]> {
  return page.evaluate((name) => {
    const inSight = document.querySelector("dialog[open]") ?? document.body;
    const all = inSight.querySelectorAll("button, a[href], summary, input, select, m3e-button, m3e-icon-button");
    return [...all]
      .filter((element) => element.checkVisibility() && !element.matches(".skip-link, .change-line, p > a"))
      .map((element) => ({ box: element.getBoundingClientRect(), what: element.outerHTML.slice(0, 100) }))
      .filter(({ box }) => box.width < 43.9 || box.height < 43.9)
      .map(({ what, box }) => `${name}: ${box.width} by ${box.height}: ${what}`);
  }, where);
}
