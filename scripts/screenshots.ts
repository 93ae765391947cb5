/** `npm run screenshots`: plays the default story in the real app and keeps pictures of it for the docs. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { launchChromium } from "../packages/narratoria/test/browser/chromium.ts";
import { createPlayer, DESKTOP, PHONE } from "../packages/narratoria/test/browser/player.ts";
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
