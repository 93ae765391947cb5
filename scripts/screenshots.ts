/** `npm run screenshots`: plays the default story in the real app and keeps pictures of it for the docs. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { launchChromium } from "../packages/narratoria/test/browser/chromium.ts";
import { createPlayer, DESKTOP, PHONE, type Player } from "../packages/narratoria/test/browser/player.ts";
import { createPlayground, serve } from "../packages/narratoria/test/serve-process.ts";
import { takeFindOutWhyPictures } from "./find-out-why-pictures.ts";

const folder = path.resolve(import.meta.dirname, "../docs/images");
/** The one with a picture comes last. */
const MOVES = ["Examine the mysterious door", "Light the torch"];

mkdirSync(folder, { recursive: true });
using ground = createPlayground();
const [browser, server] = await Promise.all([launchChromium(), serve(["--port", "0", "--data", ground.data])]);
try {
  for (const viewport of [DESKTOP, PHONE]) {
    await using player = await createPlayer(browser, server, { viewport, hasTouch: viewport === PHONE });
    await player.open();
    // A newcomer is in the story already; whoever comes second is asked.
    const begin = player.page.getByRole("button", { name: /The Lamp Under the Hill/ });
    await player.page.locator(".choice").or(begin).first().waitFor();
    if (await begin.isVisible()) await begin.click();
    for (const [index, move] of MOVES.entries()) {
      await player.choose(move);
      await player.turnsDone(index + 1);
    }
    await keep("narrative");
    if (viewport === DESKTOP) await takePlaces(player, server.url, keep);

    async function keep(place: string): Promise<void> {
      const file = path.join(folder, `${place}-${viewport.width}x${viewport.height}.png`);
      // Pictures and the focus ring come in softly.
      await player.page.waitForTimeout(500);
      await player.page.screenshot({ path: file, animations: "disabled" });
      console.log(`Wrote ${path.relative(process.cwd(), file)}`);
    }
  }
  await takeFindOutWhyPictures(browser, folder);
} finally {
  await browser.close();
  await server.end("SIGTERM");
}

/** The other places, in the middle of the story; the tree with a take and a path not taken. */
async function takePlaces(
  { page, ...player }: Player,
  url: string,
  keep: (place: string) => Promise<void>,
): Promise<void> {
  const session = `${url}/s/${player.sessionId()}`;
  await page.goto(`${session}/state`);
  await page.locator(".state-row.is-changed").first().click();
  await page.locator(".why-chain").waitFor();
  await keep("state");
  await page.goto(`${session}/assets`);
  await page.locator(".asset-tile").first().click();
  await page.locator(".asset-detail").waitFor();
  await keep("assets");

  await page.goto(`${session}/narrative`);
  const head = page.locator(".turn.head");
  await head.getByRole("button", { name: /^Retry/ }).click();
  await head.getByText("take 2 of 2").waitFor();
  await player.choose("Open");
  await player.turnsDone(3);
  await page.locator(".turn", { hasText: "Light the torch" }).last().getByRole("button", { name: /^Edit/ }).click();
  await page.getByRole("textbox", { name: "Say it differently" }).fill("Read the letter");
  await page.keyboard.press("Enter");
  await head.getByText("take 3 of 3").waitFor();
  await page.goto(`${session}/tree`);
  await page.getByRole("treeitem", { name: /you are here/ }).waitFor();
  await keep("tree");
}
