import { launchChromium } from "./chromium.ts";
import { createPlayer, PHONE } from "./player.ts";
import { createPlayground, serve } from "../serve-process.ts";
import { makePumpStory } from "./pump-story.ts";
using ground = createPlayground();
using story = makePumpStory();
const [browser, server] = await Promise.all([launchChromium(), serve(["--port", "0", "--data", ground.data, "--story", story.path])]);
try {
    const { body } = await server.api("POST", "/api/sessions", {});
    const id = (body as any).sessionId;
    await server.until(id, ({ choices }) => choices.length > 0);
    await server.api("POST", `/api/sessions/${id}/prompts`, { text: "Open the valve" });
    await server.until(id, ({ turns }) => turns.length === 2 && turns[1]?.status !== "running");
    await server.api("POST", `/api/sessions/${id}/prompts`, { text: "unroll" });
    await server.until(id, ({ turns }) => turns.length === 3 && turns[2]?.status !== "running");
    {
    await using player = await createPlayer(browser, server, { viewport: PHONE, hasTouch: true });
    const { page } = player;
    await player.open(`/s/${id}/narrative`);
    await page.waitForTimeout(800);
    await page.screenshot({ path: "/tmp/dbg-p1.png" });
    await page.getByRole("link", { name: "1 tool failed" }).click();
    await page.locator(".tool-detail").evaluate((e) => e.scrollIntoView());
    await page.waitForTimeout(800);
    await page.screenshot({ path: "/tmp/dbg-p2.png" });
    await page.locator(".log").evaluate((e) => e.scrollIntoView());
    await page.waitForTimeout(500);
    await page.screenshot({ path: "/tmp/dbg-p3.png" });
    }
    await using player = await createPlayer(browser, server, { scheme: "light" });
    const { page } = player;
    await player.open(`/s/${id}/tools`);
    await page.locator(".log-line").first().waitFor();
    await page.waitForTimeout(800);
    await page.screenshot({ path: "/tmp/dbg-d1.png" });
    await page.getByText("show all").click();
    await page.waitForTimeout(800);
    await page.screenshot({ path: "/tmp/dbg-d2.png" });
    await page.keyboard.press("Escape");
    await page.goto(`${server.url}/s/${id}/tools`);
    await server.api("POST", `/api/sessions/${id}/prompts`, { text: "flood" });
    await page.waitForTimeout(2500);
    await page.screenshot({ path: "/tmp/dbg-d3.png" });
} finally { await browser.close(); await server.end("SIGTERM"); }
