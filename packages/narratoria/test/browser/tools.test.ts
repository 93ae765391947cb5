/** The Tools place in a real browser: what failed and why, logs of any length, plans as pictures, grants. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPlayground, type Playground, serve, type Serving } from "../serve-process.ts";
import { launchChromium } from "./chromium.ts";
import { findProblems } from "./find-problems.ts";
import { createPlayer, PHONE, type Player } from "./player.ts";
import { FLOOD_LINES, makePumpStory } from "./pump-story.ts";

const SIZES = [
  { name: "1280x800", viewport: { width: 1280, height: 800 } },
  { name: "768x1024", viewport: { width: 768, height: 1024 } },
  { name: "360x640", viewport: PHONE },
];

const PATIENT = { timeout: 20_000 };

let browser: Browser;
let ground: Playground;
let server: Serving;
const story = makePumpStory();
/** A session in which the valve has failed. */
let failed = "";

beforeAll(async () => {
  ground = createPlayground();
  const options = ["--port", "0", "--data", ground.data, "--story", story.path];
  [browser, server] = await Promise.all([launchChromium(), serve(options)]);
  failed = await playedSession("Open the valve");
}, 60_000);

afterAll(async () => {
  await browser.close();
  await server.end("SIGTERM");
  ground[Symbol.dispose]();
  story[Symbol.dispose]();
});

async function playedSession(prompt: string): Promise<string> {
  const { body } = await server.api("POST", "/api/sessions", {});
  const { sessionId } = body as { sessionId: string };
  await server.until(sessionId, ({ choices }) => choices.length > 0);
  await server.api("POST", `/api/sessions/${sessionId}/prompts`, { text: prompt });
  await server.until(sessionId, ({ turns }) => turns.length === 2 && turns[1]?.status !== "running");
  return sessionId;
}

async function openTools(player: Player, sessionId: string): Promise<void> {
  await player.open(`/s/${sessionId}/tools`);
  await player.page.locator(".tool-detail").waitFor();
}

describe("[U1.5] docs/find-out-why.md, from the story to the line", () => {
  test("on a wide screen by the line of the tool beside the story", async () => {
    await using player = await createPlayer(browser, server);
    await player.open(`/s/${failed}/narrative`);
    await player.page.getByRole("complementary").getByRole("link", { name: /valve/ }).click();
    await followToTheLine(player.page);
    expect(player.complaints).toEqual([]);
  });

  test("on a phone by the mark on the turn", async () => {
    await using player = await createPlayer(browser, server, { viewport: PHONE, hasTouch: true });
    await player.open(`/s/${failed}/narrative`);
    await player.page.getByRole("link", { name: "1 tool failed" }).click();
    await followToTheLine(player.page);
    await player.page.reload();
    await player.page.getByRole("region", { name: "Details of valve" }).waitFor();
    expect(player.complaints).toEqual([]);
  });

  async function followToTheLine(page: Page): Promise<void> {
    const plans = page.getByRole("list", { name: "Plans of this turn" });
    await plans.getByText("Plan 1: failed").waitFor();
    await plans.getByText("Made because plan 1 failed, without valve.").waitFor();
    const detail = page.getByRole("region", { name: "Details of valve" });
    await detail.getByText("EXIT_NONZERO").first().waitFor();
    await detail.getByText("Turning the wheel None times.").waitFor();
    await detail.getByRole("button", { name: "Show details" }).click();
    expect(await detail.getByLabel("Details", { exact: true }).innerText()).toContain('"category": "process_error"');
    const stderr = detail.getByRole("group", { name: "stderr" });
    await stderr.getByText('tools/valve.py", line 14').waitFor();
    await stderr.getByText("TypeError: unsupported operand").waitFor();
    await detail
      .getByRole("button", { name: /plan:create/ })
      .first()
      .click();
    await page.getByRole("dialog").getByText('"event": "plan:create"').waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
});

test("[U1.5] each tool says how it stands in words: completed, failed with its attempts, skipped", async () => {
  await using player = await createPlayer(browser, server);
  await openTools(player, failed);
  const cards = await player.page.locator(".tool-card").allInnerTexts();
  expect(cards).toHaveLength(4);
  expect(cards[0]).toMatch(/gauge.*completed, attempt 1 of 4/s);
  expect(cards[1]).toMatch(/valve.*failed, attempt 2 of 2.*exited with code 1.*after read/s);
  expect(cards[2]).toMatch(/gauge.*skipped.*after turn, which failed/s);
  expect(cards[3]).toMatch(/bucket.*completed/s);
  const detail = player.page.getByRole("region", { name: "Details of valve" });
  await detail.getByRole("group", { name: "Attempts" }).getByRole("button", { name: "1: failed" }).click();
  await detail.getByText(/^Attempt 1 failed after .*, exit code 1$/).waitFor();
  await player.page.getByRole("button", { name: "Timeline" }).click();
  await player.page.getByRole("button", { name: /valve.*attempt 1 failed.*waited .* ms, attempt 2 failed/ }).waitFor();
});

test("[U1.5] the graph is loaded when it is shown, and its tools can be chosen with the keyboard", async () => {
  await using player = await createPlayer(browser, server);
  const { page } = player;
  const scripts: string[] = [];
  page.on("request", (request) => scripts.push(request.url()));
  await openTools(player, failed);
  expect(scripts.filter((url) => url.includes("plan-graph"))).toEqual([]);
  await page.getByRole("button", { name: "Graph" }).click();
  await page.locator(".graph-node").first().waitFor();
  expect(scripts.filter((url) => url.includes("plan-graph"))).not.toEqual([]);
  const skipped = page.locator(".graph-node.skipped");
  await skipped.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Details of gauge" }).waitFor();
  expect(await skipped.getAttribute("aria-pressed")).toBe("true");
  expect(await page.locator(".react-flow__edge").count()).toBe(2);
  expect(player.complaints).toEqual([]);
});

test(
  "[U1.5] 100,000 lines: follows the end while it runs, then filter, search, scroll, keys",
  { timeout: 90_000 },
  async () => {
    await using player = await createPlayer(browser, server);
    const { page } = player;
    const sessionId = await playedSession("Open the valve");
    await openTools(player, sessionId);
    await server.api("POST", `/api/sessions/${sessionId}/prompts`, { text: "flood" });
    const log = page.getByRole("listbox", { name: "Log lines" });
    const shown = async (): Promise<number> =>
      Number(/line (\d+):/.exec(await log.getByRole("option").last().innerText())?.[1]);
    await log.waitFor();
    await expect.poll(shown, PATIENT).toBeGreaterThan(20_000);
    expect(await page.getByRole("region", { name: "Details of flood" }).getByText("running").count()).toBeGreaterThan(
      0,
    );
    await page.locator(".tool-detail.completed").waitFor({ timeout: 60_000 });
    await expect.poll(shown, PATIENT).toBe(FLOOD_LINES);
    expect(await log.getByRole("option").count()).toBeLessThan(100);

    await page.getByLabel("Level").selectOption("warn");
    await page.getByText("100 lines found", { exact: true }).waitFor();
    await page.getByLabel("Level").selectOption("all");
    await page.getByRole("searchbox", { name: "Search" }).fill("LINE 54321:");
    await page.getByText("1 line found", { exact: true }).waitFor();
    expect(await log.innerText()).toMatch(/54321\s*info\s*line 54321:/);
    await page.getByRole("searchbox", { name: "Search" }).fill("");

    await log.focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Line 99,999" });
    await dialog.getByText("line 99999: the water rises").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await log.focus();
    await page.keyboard.press("Home");
    await log.getByText("line 1: the water").waitFor();
    expect(player.complaints).toEqual([]);
  },
);

test("[U1.5] a line of seven megabytes is cut, and all of it can be read; what is unseen in a line shows", async () => {
  await using player = await createPlayer(browser, server);
  const { page } = player;
  await openTools(player, await playedSession("unroll"));
  const log = page.getByRole("listbox", { name: "Log lines" });
  await log.getByText("harmless⟨U+202E⟩gnp.exe⟨U+200B⟩").waitFor();
  await log.getByText("<img src=x onerror=window.ran=1>").waitFor();
  await log.getByText("show all 6.7 MB").click();
  const text = page.getByRole("dialog").getByRole("group", { name: "The whole text" });
  await text.waitFor();
  const end = async (): Promise<string> => {
    await text.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    return (await text.innerText()).trimEnd().slice(-13);
  };
  await expect.poll(end, PATIENT).toBe("the end of it");
  expect(await text.locator("div > div").count()).toBeLessThan(50);
  expect(await page.evaluate(() => "ran" in window)).toBe(false);
});

test("[K1.5] grants are given and revoked, each after a question", async () => {
  await using player = await createPlayer(browser, server);
  const { page } = player;
  await openTools(player, failed);
  await page.getByRole("button", { name: "Mounted tools" }).click();
  const mounts = page.getByRole("list", { name: "Mounted tools" });
  const whisper = mounts.getByRole("listitem").filter({ hasText: "whisper" }).first();
  await whisper.getByText("speaks narratoria/0").waitFor();
  await mounts.getByText(/Failed when it was last used.*exited with code 1/).waitFor();

  await whisper.getByRole("button", { name: "Give net.fetch:example.org" }).click();
  await page.getByRole("dialog").locator("m3e-button", { hasText: "Cancel" }).click();
  expect(await grantsOf("whisper")).toEqual([]);
  await whisper.getByRole("button", { name: "Give net.fetch:example.org" }).click();
  await page.getByRole("dialog").locator("m3e-button", { hasText: "Give" }).click();
  await whisper.getByRole("button", { name: "Revoke net.fetch:example.org" }).click();
  expect(await grantsOf("whisper")).toEqual(["net.fetch:example.org"]);
  await page.getByRole("dialog").locator("m3e-button", { hasText: "Revoke" }).click();
  await whisper.getByRole("button", { name: "Give net.fetch:example.org" }).waitFor();
  expect(await grantsOf("whisper")).toEqual([]);

  async function grantsOf(name: string): Promise<string[]> {
    const { body } = await server.api("GET", "/api/tools");
    return (body as { name: string; grants: string[] }[]).find((tool) => tool.name === name)?.grants ?? [];
  }
});

test("[U1.5] Retry takes the turn again and shows the new take", async () => {
  await using player = await createPlayer(browser, server);
  const { page } = player;
  const sessionId = await playedSession("Open the valve");
  await openTools(player, sessionId);
  await page.getByRole("region", { name: "Details of valve" }).getByRole("button", { name: "Retry" }).click();
  const view = await server.until(
    sessionId,
    ({ turns }) => turns[1]?.takes.length === 2 && turns[1].status !== "running",
  );
  await page.getByRole("region", { name: "Details of valve" }).waitFor();
  expect(await page.locator(".tools-bar select").inputValue()).toBe(view.turns[1]?.turnId);
});

describe.each(SIZES)("[U1.9] the Tools place at $name", ({ viewport }) => {
  test("axe finds nothing in either scheme, and nothing scrolls sideways", { timeout: 90_000 }, async () => {
    await using player = await createPlayer(browser, server, { viewport, reducedMotion: "reduce" });
    const { page } = player;
    await openTools(player, failed);
    await page.getByRole("group", { name: "stderr" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("listbox").getByRole("option").first().click();
    await page.getByRole("group", { name: "The whole text" }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Graph" }).click();
    await page.locator(".graph-node").first().waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Timeline" }).click();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Mounted tools" }).click();
    await page.getByRole("button", { name: "Give net.fetch:example.org" }).click();
    await expectAccessible(page);
    expect(player.complaints).toEqual([]);
  });
});

async function expectAccessible(page: Page): Promise<void> {
  expect(await findProblems(page, page.url())).toEqual([]);
  const small = await page.locator("button, a[href], summary, select, input").evaluateAll((elements) =>
    elements
      .filter(
        (element) =>
          element.checkVisibility() && !element.closest(".skip-link, .react-flow__viewport, .react-flow__attribution"),
      )
      .map((element) => ({ box: element.getBoundingClientRect(), what: element.outerHTML.slice(0, 120) }))
      .filter(({ box }) => box.width < 43.9 || box.height < 35.9)
      .map(({ what }) => what),
  );
  expect(small).toEqual([]);
}
