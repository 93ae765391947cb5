/** What a browser goes through: a server that dies mid-turn, seven tabs, a question left open, a player who stops. */
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createPlayground, type Playground, serve, type Serving } from "../serve-process.ts";
import { launchChromium } from "./chromium.ts";
import { createPlayer } from "./player.ts";
import { makeSlowStory } from "./slow-story.ts";

/** Seven tabs take long to open where many tests run at once. */
const PATIENT = { timeout: 180_000 };

let browser: Browser;
let ground: Playground;
let folders = 0;
const servers: Serving[] = [];

beforeAll(async () => {
  ground = createPlayground();
  browser = await launchChromium();
}, 60_000);

afterEach(async () => {
  for (const server of servers.splice(0)) await server.end("SIGTERM");
});

afterAll(async () => {
  await browser.close();
  ground[Symbol.dispose]();
});

/** A data folder of its own for each test; the same again for one that restarts. */
async function serveStory(story: string, port = 0, data = `${ground.data}-${folders++}`) {
  const server = await serve(["--port", String(port), "--data", data, "--story", story, "--token", "t"]);
  servers.push(server);
  return { ...server, data, port: Number(new URL(server.url).port) };
}

test("[U1.8] the server is killed mid-turn and comes back: the page says so, recovers, and can resume", async () => {
  using story = makeSlowStory();
  const first = await serveStory(story.path);
  await using player = await createPlayer(browser, first);
  const { page } = player;
  await player.open();
  await player.choose("wait");
  await page.locator(".strip", { hasText: "Halfway down" }).waitFor();
  await page.getByRole("textbox", { name: "What do you do?" }).fill("then I look up");

  await first.end("SIGKILL");
  await page.getByText("Connection lost.").waitFor();
  await serveStory(story.path, first.port, first.data);
  await page.getByText("Back again.").waitFor();
  expect(await page.locator(".turn").count()).toBe(2);
  expect(await page.getByRole("button", { name: "lamp lit: yes" }).count()).toBe(1);
  expect(await page.getByRole("textbox", { name: "What do you do?" }).inputValue()).toBe("then I look up");

  story.letGo();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator(".turn.head").getByText("You reach the bottom.").waitFor();
  await player.turnsDone(1);
  const texts = await page.locator(".turn.head .prose").allInnerTexts();
  expect(texts.filter((text) => text.includes("You reach the bottom."))).toHaveLength(1);
});

test("[U1.8] an interrupted turn can be discarded", async () => {
  using story = makeSlowStory();
  const first = await serveStory(story.path);
  await using player = await createPlayer(browser, first);
  const { page } = player;
  await player.open();
  await player.choose("wait");
  await page.locator(".strip", { hasText: "Halfway down" }).waitFor();
  await first.end("SIGKILL");
  await serveStory(story.path, first.port, first.data);
  await page.getByRole("button", { name: "Discard" }).click();
  await expect.poll(() => page.locator(".turn").count()).toBe(1);
  await page.locator(".choice").first().waitFor();
});

test(
  "[U1.8] seven tabs show the same story, each event once, also when the tab that reads for all closes",
  PATIENT,
  async () => {
    using story = makeSlowStory();
    const server = await serveStory(story.path);
    await using player = await createPlayer(browser, server);
    await player.open();
    await player.page.locator(".choice").first().waitFor();
    const address = player.page.url();
    const pages = [player.page];
    for (let count = 1; count < 7; count++) {
      const page = await player.context.newPage();
      await page.goto(address);
      await page.locator(".choice").first().waitFor();
      pages.push(page);
    }
    await player.choose("wait");
    for (const page of pages) await page.locator(".strip", { hasText: "Halfway down" }).waitFor();

    await pages.shift()?.close();
    story.letGo();
    for (const page of pages) {
      await page.locator(".turn.head").getByText("You reach the bottom.").waitFor();
      expect(await page.getByRole("button", { name: "lamp lit: yes" }).count()).toBe(1);
    }
  },
);

test("[U1.8] seven tabs with seven stories: more than the connections a browser allows", PATIENT, async () => {
  using story = makeSlowStory();
  story.letGo();
  const server = await serveStory(story.path);
  await using player = await createPlayer(browser, server);
  await player.open();
  await player.page.locator(".choice").first().waitFor();
  const pages = [player.page];
  for (let count = 1; count < 7; count++) {
    const { body } = await server.api("POST", "/api/sessions", {});
    const page = await player.context.newPage();
    await page.goto(`${server.url}/s/${(body as { sessionId: string }).sessionId}/narrative`);
    await page.locator(".choice").first().waitFor();
    pages.push(page);
  }
  for (const page of pages) await page.locator(".choice").filter({ hasText: "wait" }).click();
  for (const page of pages) {
    await page.locator(".turn.head").getByText("You reach the bottom.").waitFor();
    expect(await page.locator(".turn").count()).toBe(2);
  }
});

test("[U1.3] Esc stops the turn; while it runs the input is busy and nothing can be sent", async () => {
  using story = makeSlowStory();
  const server = await serveStory(story.path);
  await using player = await createPlayer(browser, server);
  const { page } = player;
  await player.open();
  await player.choose("wait");
  await page.locator(".strip", { hasText: "Halfway down" }).waitFor();
  expect(await page.getByRole("progressbar", { name: "Wait" }).count()).toBe(1);
  expect(await page.getByRole("form", { name: "Your move" }).getAttribute("aria-busy")).toBe("true");
  expect(await page.locator(".send").isDisabled()).toBe(true);
  await page.keyboard.press("Escape");
  await player.turnsDone(1);
  expect(await page.locator(".turn.head .aside-note").count()).toBe(1);
  await player.type("look");
  await page.locator(".turn.head").getByText("Nothing but rope.").waitFor();
});

test("[U1.2] a failing tool is retried in plain words, and its error shows inline with details", async () => {
  using story = makeSlowStory();
  const server = await serveStory(story.path);
  await using player = await createPlayer(browser, server);
  const { page } = player;
  await player.open();
  await player.choose("fail");
  await page.getByText(/retry \d of 3/).waitFor();
  await player.turnsDone(1);
  // Four attempts complained; the player reads it once.
  const complaint = page.locator(".turn.head .notice", { hasText: "The wick is wet. (4 times)" });
  expect(await complaint.count()).toBe(1);
  await complaint.getByRole("button", { name: "Show details" }).click();
  await complaint.getByText("WICK_WET").waitFor();
});

test("[K1.9] a question to the player is a card with what, why and the answers", async () => {
  using story = makeSlowStory();
  const server = await serveStory(story.path);
  await using player = await createPlayer(browser, server);
  const { page } = player;
  await player.open();
  await player.choose("ask");
  const card = page.getByRole("region", { name: "A question to you" });
  await card.waitFor();
  expect(await card.innerText()).toContain("No answer means no.");
  const answers = card.getByRole("button");
  expect(await answers.count()).toBeGreaterThan(1);
  await answers.first().click();
  await card.waitFor({ state: "detached" });
  await player.turnsDone(1);
});
