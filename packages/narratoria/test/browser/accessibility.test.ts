/** Everybody can play: axe in both schemes at every size, targets, zoom, and a live region that speaks once. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPlayground, type Playground, serve, type Serving } from "../serve-process.ts";
import { launchChromium } from "./chromium.ts";
import { findProblems } from "./find-problems.ts";
import { createPlayer, DESKTOP, PHONE } from "./player.ts";

/** At 200 % a window of 1280 by 800 has half as many pixels of CSS. */
const SIZES = [
  { name: "1280x800", options: { viewport: DESKTOP } },
  { name: "768x1024", options: { viewport: { width: 768, height: 1024 } } },
  { name: "360x640", options: { viewport: PHONE } },
  { name: "200 % zoom", options: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 } },
];
const PLACES = ["narrative", "tools", "assets", "state"];

let browser: Browser;
let ground: Playground;
let server: Serving;
let sessionId = "";

beforeAll(async () => {
  ground = createPlayground();
  [browser, server] = await Promise.all([launchChromium(), serve(["--port", "0", "--data", ground.data])]);
  const { body } = await server.api("POST", "/api/sessions", {});
  ({ sessionId } = body as { sessionId: string });
  for (const [index, text] of ["Light the torch", "Examine the mysterious door"].entries()) {
    await server.until(sessionId, ({ turns, choices }) => turns.length === index + 1 && choices.length > 0);
    await server.api("POST", `/api/sessions/${sessionId}/prompts`, { text });
  }
  await server.until(sessionId, ({ turns, choices }) => turns.length === 3 && choices.length > 0);
}, 60_000);

afterAll(async () => {
  await browser.close();
  await server.end("SIGTERM");
  ground[Symbol.dispose]();
});

describe.each(SIZES)("[U1.9] at $name", ({ options }) => {
  test("axe finds nothing in either scheme, nor does it scroll sideways", { timeout: 90_000 }, async () => {
    await using player = await createPlayer(browser, server, { ...options, reducedMotion: "reduce" });
    const { page } = player;
    await player.open();
    await page.locator(".tile").first().waitFor();
    const problems = await findProblems(page, "the start");
    for (const place of PLACES) {
      await page.goto(`${server.url}/s/${sessionId}/${place}`);
      await page
        .locator(place === "narrative" ? ".choice" : ".place")
        .first()
        .waitFor();
      if (place === "narrative") await page.locator(".chip").last().click();
      problems.push(...(await findProblems(page, place)));
    }
    expect(problems).toEqual([]);
  });
});

test("[U1.9] everything to click is at least 44 by 44, on a phone too", async () => {
  for (const viewport of [PHONE, DESKTOP]) {
    await using player = await createPlayer(browser, server, { viewport });
    await player.open(`/s/${sessionId}/narrative`);
    await player.page.locator(".choice").first().waitFor();
    const small = await player.page.evaluate(() =>
      [...document.querySelectorAll("button, a[href], summary, m3e-button, m3e-icon-button, m3e-nav-item, .home-link")]
        .filter((element) => element.checkVisibility() && !element.classList.contains("skip-link"))
        .map((element) => ({ box: element.getBoundingClientRect(), what: element.outerHTML.slice(0, 100) }))
        .filter(({ box }) => box.width < 43.9 || box.height < 43.9)
        .map(({ what }) => what),
    );
    expect(small).toEqual([]);
  }
});

test("[U1.9] the live region speaks each new paragraph once, and nothing of what was there", async () => {
  await using player = await createPlayer(browser, server);
  const { page } = player;
  await player.open();
  await page.getByRole("button", { name: /The Lamp Under the Hill/ }).click();
  const region = page.getByRole("log", { name: "Narration" });
  await page.locator(".choice").first().waitFor();
  await page.reload();
  await page.locator(".choice").first().waitFor();
  expect(await region.locator("p").count()).toBe(0);
  await player.choose("Light the torch");
  await player.turnsDone(1);
  await expect.poll(async () => (await region.innerText()).split("You strike the flint").length - 1).toBe(1);
  const spoken = await region.locator("p").allInnerTexts();
  expect(new Set(spoken).size).toBe(spoken.length);
});

test("[U1.2] the newest turn is all in view above the input, or begins at the top where it is too long", async () => {
  for (const viewport of [DESKTOP, PHONE]) {
    await using player = await createPlayer(browser, server, { viewport });
    const { page } = player;
    await player.open(`/s/${sessionId}/narrative`);
    await page.locator(".choice").first().waitFor();
    const measure = () =>
      page.evaluate(() => {
        const box = (selector: string): DOMRect | undefined =>
          document.querySelector(selector)?.getBoundingClientRect();
        const [scroll, turn, choices] = [box(".scroll"), box(".turn.head"), box(".choices")];
        if (!scroll || !turn || !choices) return "missing";
        const fits = choices.bottom - turn.top <= scroll.height;
        const isAllInView = turn.top >= scroll.top - 2 && choices.bottom <= scroll.bottom + 1;
        return fits ? isAllInView : Math.abs(turn.top - scroll.top) <= 2;
      });
    await expect.poll(measure).toBe(true);
  }
});

test("[U1.1] the scheme can be chosen and is remembered", async () => {
  await using player = await createPlayer(browser, server);
  const { page } = player;
  await player.open(`/s/${sessionId}/narrative`);
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.locator(".choice").first().waitFor();
  expect(await background()).toBe("rgb(21, 18, 24)");
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("menuitemradio", { name: "Light" }).click();
  await expect.poll(background).toBe("rgb(254, 247, 255)");
  expect(await page.evaluate(() => localStorage.getItem("narratoria:scheme"))).toBe("light");
});
