/**
 * 100,000 log lines at 20,000 a second, watched in Chromium: no task of the page may take longer than 200 ms, in the
 * story, in the log that follows the end, and when somebody scrolls and searches through it all afterwards.
 */
import type { Page } from "playwright-core";
import { launchChromium } from "../packages/narratoria/test/browser/chromium.ts";
import { createPlayer, type Player } from "../packages/narratoria/test/browser/player.ts";
import { FLOOD_LINES, makePumpStory } from "../packages/narratoria/test/browser/pump-story.ts";
import { createPlayground, serve, type Serving } from "../packages/narratoria/test/serve-process.ts";
import type { Benchmark, Row } from "./compare.ts";

const LONGEST_MS = 200;

const benchmark: Benchmark = { title: "The page while a tool prints 100,000 lines: its longest task", run };
export default benchmark;

async function run(): Promise<Row[]> {
  using ground = createPlayground();
  using story = makePumpStory();
  const options = ["--port", "0", "--data", ground.data, "--story", story.path];
  const [browser, server] = await Promise.all([launchChromium(), serve(options)]);
  try {
    await using player = await createPlayer(browser, server);
    await player.context.addInitScript({ content: WATCH_TASKS });
    await player.open();
    await player.page.locator(".choice").first().waitFor();
    const inStory = await longestTask(player.page, () => flood(player, 1));
    await player.type("Open the valve");
    await player.turnsDone(2);
    await player.page.goto(`${server.url}/s/${player.sessionId()}/tools`);
    await player.page.locator(".tool-card").first().waitFor();
    const inLog = await longestTask(player.page, () => floodInTools(player, server));
    const scrolling = await longestTask(player.page, () => scroll(player.page));
    const searching = await longestTask(player.page, () => search(player.page));
    return [
      row("reading the story meanwhile", inStory),
      row("following the log", inLog),
      row("scrolling through the log", scrolling),
      row("searching the log", searching),
    ];
  } finally {
    await browser.close();
    await server.end("SIGTERM");
  }
}

function row(name: string, measured: number): Row {
  const target = { met: measured <= LONGEST_MS, text: `no task over ${LONGEST_MS} ms` };
  return { name: `${name}, against the limit`, measured, baseline: LONGEST_MS, unit: "ms", target };
}

async function flood(player: Player, turns: number): Promise<void> {
  await player.type("flood");
  await player.turnsDone(turns);
}

async function floodInTools(player: Player, server: Serving): Promise<void> {
  const { page } = player;
  await server.api("POST", `/api/sessions/${player.sessionId()}/prompts`, { text: "flood" });
  await page.locator(".log-line").first().waitFor();
  await page.locator(".tool-detail.completed").waitFor({ timeout: 60_000 });
  await page.getByText(`line ${FLOOD_LINES}:`).waitFor();
}

/** From the end to the beginning, a screen at a time, faster than anybody reads. */
async function scroll(page: Page): Promise<void> {
  for (let step = 40; step >= 0; step--) {
    await page.evaluate(`{
      const list = document.querySelector(".log-list");
      list.scrollTop = list.scrollHeight * ${step / 40};
    }`);
    await page.waitForTimeout(30);
  }
  await page.getByText("line 1:", { exact: false }).first().waitFor();
}

async function search(page: Page): Promise<void> {
  await page.getByRole("searchbox", { name: "Search" }).fill("line 99999:");
  await page.getByText("1 line found", { exact: true }).waitFor();
}

/** Zero when no task took 50 ms, below which browsers do not tell. */
async function longestTask(page: Page, act: () => Promise<void>): Promise<number> {
  await page.evaluate("window.tasks.splice(0)");
  await act();
  await page.waitForTimeout(200);
  return page.evaluate<number>("Math.max(0, ...window.tasks)");
}

/** Runs in the page. */
const WATCH_TASKS = `
  window.tasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.tasks.push(duration);
  }).observe({ type: "longtask", buffered: true });
`;
