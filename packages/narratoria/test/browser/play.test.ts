/** The default story, played in a real browser against a real server. */
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPlayground, serve, type Playground, type Serving } from "../serve-process.ts";
import { launchChromium } from "./chromium.ts";
import { createPlayer, readWalkthrough } from "./player.ts";

let browser: Browser;
let server: Serving;
let ground: Playground;

beforeAll(async () => {
  ground = createPlayground();
  [browser, server] = await Promise.all([launchChromium(), serve(["--port", "0", "--data", ground.data])]);
}, 60_000);

afterAll(async () => {
  await browser.close();
  await server.end("SIGTERM");
  ground[Symbol.dispose]();
});

test("[U1.4] a newcomer lands in the opening scene; whoever returns is asked where to go on", async () => {
  await using player = await createPlayer(browser, server);
  await player.open();
  await player.page.waitForURL(/\/s\/[^/]+\/narrative$/);
  const opening = player.page.getByRole("region", { name: "Opening scene" });
  await opening.getByText("The vote was unanimous.").waitFor();
  expect(await player.page.locator(".choice").count()).toBeGreaterThan(1);
  expect(new URL(player.page.url()).search).toBe("");

  await player.open();
  await player.page.getByRole("heading", { name: "Go on" }).waitFor();
  await player.page.getByRole("link", { name: /The Lamp Under the Hill/ }).click();
  await opening.getByText("The vote was unanimous.").waitFor();
  expect(player.complaints).toEqual([]);
});

test("[U1.1] the first load is at most 300 kB of compressed script", async () => {
  await using player = await createPlayer(browser, server);
  const scripts: Promise<Buffer>[] = [];
  player.page.on("response", (response) => {
    if (response.url().endsWith(".js")) scripts.push(response.body());
  });
  const { body } = await server.api("POST", "/api/sessions", {});
  await player.open(`/s/${(body as { sessionId: string }).sessionId}/narrative`);
  await player.page.locator(".choice").first().waitFor();
  // Markdown is the last to come.
  await player.page.locator(".prose .paragraph").first().waitFor();
  const sizes = (await Promise.all(scripts)).map((script) => gzipSync(script).length);
  expect(sizes.length).toBeGreaterThan(1);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000);
});

describe("to an ending", () => {
  test("[U1.2] by clicks", { timeout: 120_000 }, async () => {
    await using player = await createPlayer(browser, server);
    await player.open();
    await player.page.getByRole("button", { name: /The Lamp Under the Hill/ }).click();
    for (const [index, label] of readWalkthrough("put-out").entries()) {
      await player.choose(label);
      await player.turnsDone(index + 1);
    }
    await player.page.getByText("The end: Put Out").waitFor();
    expect(player.complaints).toEqual([]);
  });

  test("[U1.3] by typing", { timeout: 180_000 }, async () => {
    await using player = await createPlayer(browser, server);
    await player.open();
    await player.page.getByRole("button", { name: /The Lamp Under the Hill/ }).click();
    for (const [index, line] of readWalkthrough("all-up-typed").entries()) {
      await player.type(line);
      await player.turnsDone(index + 1);
    }
    await player.page.getByText("The end: All Up").waitFor();
    expect(player.complaints).toEqual([]);
  });

  test("[U1.9] by keyboard alone: numbers choose, Tab reaches everything", { timeout: 120_000 }, async () => {
    await using player = await createPlayer(browser, server);
    const { page } = player;
    await player.open();
    await page.getByRole("button", { name: /The Lamp Under the Hill/ }).waitFor();
    // Sessions come first; the last stop of the page is the story to begin.
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    for (const [index, label] of readWalkthrough("no-one-yet").entries()) {
      await page.locator(".choice").filter({ hasText: label }).first().waitFor();
      const labels = await page.locator(".choice-label").allInnerTexts();
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("move");
      await page.keyboard.press(String(labels.indexOf(label) + 1));
      await player.turnsDone(index + 1);
    }
    await page.getByText("The end: No One Yet").waitFor();
    expect(player.complaints).toEqual([]);
  });
});

test("[U1.2] a consequence is a chip that opens to where it came from", async () => {
  await using player = await createPlayer(browser, server);
  const { page } = player;
  await player.open();
  await page.getByRole("button", { name: /The Lamp Under the Hill/ }).click();
  await player.choose("Light the torch");
  const chip = page.getByRole("button", { name: "torch lit: yes" });
  await chip.click();
  await page.getByText("Set by torch-lighter, because you said “Light the torch”.").first().waitFor();
  expect(await chip.getAttribute("aria-expanded")).toBe("true");
  const picture = page.getByRole("img", { name: "A lit torch on a dark stone wall." });
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
});

test("[U1.4] undo, another take, arrow keys between takes, edit, fork; a reload returns to the exact place", async () => {
  await using player = await createPlayer(browser, server);
  const { page } = player;
  await player.open();
  await page.getByRole("button", { name: /The Lamp Under the Hill/ }).click();
  await player.choose("Examine the mysterious door");
  await player.turnsDone(1);
  const head = page.locator(".turn.head");

  await head.getByRole("button", { name: /^Retry/ }).click();
  await head.getByText("take 2 of 2").waitFor();
  // The button went with the first take; whoever pressed it goes on in the input.
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("move");
  await page.keyboard.press("ArrowLeft");
  await head.getByText("take 1 of 2").waitFor();

  await head.getByRole("button", { name: /^Edit/ }).click();
  await page.getByRole("textbox", { name: "Say it differently" }).fill("Read the letter");
  await page.keyboard.press("Enter");
  await head.getByText("take 3 of 3").waitFor();
  await head.getByText("Kindly return the flask.").waitFor();

  const [address, words] = [page.url(), await player.newest()];
  await page.reload();
  await head.getByText("take 3 of 3").waitFor();
  expect(page.url()).toBe(address);
  // Markdown comes a moment after the words.
  await expect.poll(() => player.newest()).toBe(words);

  await head.getByRole("button", { name: /^Fork/ }).click();
  await page.waitForURL((url) => url.href !== address);
  await head.getByText("Kindly return the flask.").waitFor();

  await head.getByRole("button", { name: /^Undo/ }).click();
  await expect.poll(() => page.locator(".turn").count()).toBe(1);
  expect(player.complaints).toEqual([]);
});

test("[U1.3] Shift+Enter breaks the line, a draft outlives a reload, an empty prompt is not sent", async () => {
  await using player = await createPlayer(browser, server);
  const { page } = player;
  await player.open();
  await page.getByRole("button", { name: /The Lamp Under the Hill/ }).click();
  const field = page.getByRole("textbox", { name: "What do you do?" });
  await field.press("Enter");
  await field.pressSequentially("look");
  await field.press("Shift+Enter");
  await field.pressSequentially("around");
  expect(await field.inputValue()).toBe("look\naround");
  await page.reload();
  await expect.poll(() => field.inputValue()).toBe("look\naround");
  expect(await page.locator(".turn").count()).toBe(1);
});

test("[U1.3] a prompt that is refused stays in the field, with kind words beside it", async () => {
  await using player = await createPlayer(browser, server);
  const { page } = player;
  await player.open();
  await page.getByRole("button", { name: /The Lamp Under the Hill/ }).click();
  await page.locator(".choice").first().waitFor();
  const tooLong = "a long story ".repeat(6_000);
  await player.type(tooLong);
  await page.getByRole("alert").waitFor();
  expect(await page.getByRole("textbox", { name: "What do you do?" }).inputValue()).toBe(tooLong);
  await page.getByRole("alert").getByRole("button", { name: "Dismiss" }).click();
  expect(await page.getByRole("alert").count()).toBe(0);
});
