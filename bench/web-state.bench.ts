/** The web under load: a state of 100,000 leaves opens at once, and a tree of 2,000 turns pans without a stutter. */
import type { Page } from "playwright-core";
import { launchChromium } from "../packages/narratoria/test/browser/chromium.ts";
import { LEAVES } from "../packages/narratoria/test/browser/gallery-story.ts";
import { type Gallery, openGallery } from "../packages/narratoria/test/browser/gallery.ts";
import { manyTurns } from "../packages/narratoria/test/browser/many-turns.ts";
import { createPlayer } from "../packages/narratoria/test/browser/player.ts";
import { compareInterleaved, type Benchmark, type Row } from "./compare.ts";

const OPENS_WITHIN_MS = 300;
const LONGEST_FRAME_MS = 50;

const benchmark: Benchmark = { title: "The web: milliseconds in Chromium", run };
export default benchmark;

async function run(): Promise<Row[]> {
  const [browser, gallery] = await Promise.all([launchChromium(), openGallery()]);
  try {
    await using player = await createPlayer(browser, gallery.server, { serviceWorkers: "block" });
    await player.open();
    return [await openState(player.page, gallery), await panTree(player.page, gallery)];
  } finally {
    await browser.close();
    await gallery[Symbol.asyncDispose]();
  }
}

async function openState(page: Page, gallery: Gallery): Promise<Row> {
  const [large, small] = [await gallery.play("grow"), await gallery.play("light")];
  const open = async (sessionId: string): Promise<number> => {
    await page.goto(`${gallery.server.url}/s/${sessionId}/narrative`);
    await page.locator(".choice").first().waitFor();
    return page.evaluate<number>(OPEN_STATE);
  };
  const rounds = { rounds: 5, warmUps: 1 };
  const compared = await compareInterleaved(
    () => open(large.sessionId),
    () => open(small.sessionId),
    rounds,
  );
  const target = { met: compared.measured <= OPENS_WITHIN_MS, text: `within ${OPENS_WITHIN_MS} ms` };
  return { name: `${LEAVES.toLocaleString("en")} leaves open, against four`, ...compared, unit: "ms", target };
}

/** The frame that took longest while the picture moves from one corner to the other. */
async function panTree(page: Page, gallery: Gallery): Promise<Row> {
  const { sessionId, turns } = await gallery.play();
  let turnCount = 0;
  await page.route("**/tree", async (route) =>
    route.request().resourceType() === "fetch"
      ? route.fulfill({ json: manyTurns(turns[0]?.turnId ?? "", turnCount) })
      : route.continue(),
  );
  const pan = async (count: number): Promise<number> => {
    turnCount = count;
    await page.goto(`${gallery.server.url}/s/${sessionId}/tree`);
    await page.locator(".turn-mark").first().waitFor();
    return page.evaluate<number>(PAN_TREE);
  };
  const compared = await compareInterleaved(
    () => pan(2_000),
    () => pan(20),
    { rounds: 5, warmUps: 1 },
  );
  const target = { met: compared.measured <= LONGEST_FRAME_MS, text: `no frame over ${LONGEST_FRAME_MS} ms` };
  return { name: "2,000 turns pan, longest frame, against 20", ...compared, unit: "ms", target };
}

/** The last turn made all the leaves, so their place is open: until the first lines have been painted. */
const OPEN_STATE = `(async () => {
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  const began = performance.now();
  [...document.querySelectorAll("m3e-nav-item")].find((item) => item.textContent.includes("State")).click();
  while (document.querySelectorAll(".state-row").length < 4) await frame();
  await frame();
  return performance.now() - began;
})()`;

const PAN_TREE = `(async () => {
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  const picture = document.querySelector(".picture");
  let longest = 0;
  let before = await frame();
  for (let step = 0; step < 60; step++) {
    picture.scrollTo((picture.scrollWidth * step) / 60, (picture.scrollHeight * step) / 60);
    const now = await frame();
    longest = Math.max(longest, now - before);
    before = now;
  }
  return longest;
})()`;
