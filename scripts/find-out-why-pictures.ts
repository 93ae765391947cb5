/** The pictures of docs/find-out-why.md: its story, played until the valve fails. `screenshots.ts` calls this. */
import path from "node:path";
import type { Browser } from "playwright-core";
import { createPlayer } from "../packages/narratoria/test/browser/player.ts";
import { makePumpStory } from "../packages/narratoria/test/browser/pump-story.ts";
import { createPlayground, serve } from "../packages/narratoria/test/serve-process.ts";

export async function takeFindOutWhyPictures(browser: Browser, folder: string): Promise<void> {
  using ground = createPlayground();
  using story = makePumpStory();
  const server = await serve(["--port", "0", "--data", ground.data, "--story", story.path]);
  try {
    await using player = await createPlayer(browser, server);
    const { page } = player;
    const keep = async (name: string): Promise<void> => {
      const file = path.join(folder, `why-${name}-1280x800.png`);
      await page.waitForTimeout(500);
      await page.screenshot({ path: file, animations: "disabled" });
      console.log(`Wrote ${path.relative(process.cwd(), file)}`);
    };
    await player.open();
    await player.choose("Open the valve");
    await player.turnsDone(1);
    await keep("story");
    await page.getByRole("complementary").getByRole("link", { name: /valve/ }).click();
    await page.getByRole("group", { name: "stderr" }).waitFor();
    await keep("tools");
    await page.getByRole("button", { name: "Graph" }).click();
    await page.locator(".graph-node").first().waitFor();
    await keep("graph");
    await page.getByRole("button", { name: "Timeline" }).click();
    await keep("timeline");
    await page.getByRole("button", { name: "Copy stderr" }).scrollIntoViewIfNeeded();
    await keep("stderr");
  } finally {
    await server.end("SIGTERM");
  }
}
