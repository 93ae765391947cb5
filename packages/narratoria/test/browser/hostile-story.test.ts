/** A story that puts script into every field it has: the page shows it as text and runs none of it. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeStory, shellTool } from "../made-story.ts";
import { createPlayground, type Playground, serve, type Serving } from "../serve-process.ts";
import { launchChromium } from "./chromium.ts";
import { createPlayer } from "./player.ts";

/** Each one would leave a mark if it ran. */
const SCRIPT = "<script>window.ran='script'</script>";
const IMAGE = "<img src=x onerror=\"window.ran='image'\">";
const LINK = "[a link](javascript:window.ran='link')";
const DATA_LINK = "[data](data:text/html,<script>window.ran=1</script>)";
const REMOTE_IMAGE = "![remote](http://192.0.2.1/pixel.png)";
const FRAME = "<iframe srcdoc=\"<script>parent.ran='frame'</script>\"></iframe>";
const BIDI = "safe\u202Egnp.exe\u2066\u200B";
const ALL = [SCRIPT, IMAGE, LINK, DATA_LINK, REMOTE_IMAGE, FRAME, BIDI].join(" ");

let browser: Browser;
let ground: Playground;
let server: Serving;
const story = makeHostileStory();

beforeAll(async () => {
  ground = createPlayground();
  const options = ["--port", "0", "--data", ground.data, "--story", story.path];
  [browser, server] = await Promise.all([launchChromium(), serve(options)]);
}, 60_000);

afterAll(async () => {
  await browser.close();
  await server.end("SIGTERM");
  ground[Symbol.dispose]();
  story[Symbol.dispose]();
});

test("[Z1.2] nothing a story or a tool wrote runs, in any place of the app", async () => {
  await using player = await createPlayer(browser, server);
  const { page } = player;
  const requested: string[] = [];
  page.on("request", (request) => requested.push(new URL(request.url()).host));
  page.on("dialog", (dialog) => void dialog.dismiss());
  await player.open();
  await page.locator(".choice").first().waitFor();
  await page.locator(".choice").first().click();
  await player.turnsDone(1);

  const shown = await page.locator(".narrative").innerText();
  for (const text of [SCRIPT, IMAGE, FRAME]) expect(shown).toContain(text);
  expect(await page.locator(".column a[href^='javascript:'], .column a[href^='data:']").count()).toBe(0);
  expect(await page.locator(".column script, .column iframe, .column img[onerror]").count()).toBe(0);
  for (const chip of await page.locator(".chip").all()) await chip.click();
  for (const button of await page.getByRole("button", { name: "Show details" }).all()) await button.click();

  const address = page.url();
  for (const place of ["tools", "assets", "state"]) {
    await page.goto(address.replace("narrative", place));
    await page.locator(".place").waitFor();
    for (const button of await page.getByRole("button", { name: /^Show/ }).all()) await button.click();
  }
  await player.open();
  await page.locator(".tile").first().waitFor();

  expect(await page.evaluate(() => "ran" in window)).toBe(false);
  expect(new Set(requested)).toEqual(new Set([new URL(server.url).host]));
});

test("[Z1.2] an asset of HTML or SVG opened by itself runs nothing either", async () => {
  const { body } = await server.api("POST", "/api/sessions", {});
  const { sessionId } = body as { sessionId: string };
  await server.until(sessionId, (view) => view.choices.length > 0);
  await server.api("POST", `/api/sessions/${sessionId}/prompts`, { text: "go" });
  const view = await server.until(sessionId, ({ turns }) => turns.length > 1 && turns[1]?.status !== "running");
  const passages = view.turns[1]?.passages ?? [];
  const assets = passages.flatMap((passage) =>
    passage.kind === "asset" && passage.asset.id ? [passage.asset.id] : [],
  );
  expect(assets).toHaveLength(2);
  await using player = await createPlayer(browser, server);
  await player.open();
  for (const id of assets) {
    // A browser downloads what may not be shown, which counts as a failed visit.
    await player.page.goto(`${server.url}/api/assets/${id}`).catch(() => undefined);
    expect(await player.page.evaluate(() => "ran" in window)).toBe(false);
  }
});

function makeHostileStory() {
  const print = (fields: object): string => `cat <<'END'\n${JSON.stringify({ version: "0", ...fields })}\nEND`;
  const asset = (assetId: string, mediaType: string, file: string): string => {
    const event = {
      version: "0",
      type: "asset",
      assetId,
      kind: ALL,
      mediaType,
      path: "DIR",
      metadata: { alt: ALL, caption: ALL },
    };
    return `cat <<END\n${JSON.stringify(event).replace('"DIR"', `"$NARRATORIA_ASSET_DIR/${file}"`).replaceAll("`", "\\`")}\nEND`;
  };
  const script = [
    print({ type: "log", level: "info", message: ALL, fields: { [SCRIPT]: ALL } }),
    print({ type: "state_patch", patch: { [SCRIPT]: { [IMAGE]: ALL }, [BIDI]: SCRIPT } }),
    print({ type: "ui_event", event: SCRIPT, payload: { [IMAGE]: ALL } }),
    print({ type: "error", errorCode: SCRIPT, errorMessage: ALL }),
    `echo "<svg xmlns='http://www.w3.org/2000/svg' onload='window.ran=1'><script>window.ran=1</script></svg>" > "$NARRATORIA_ASSET_DIR/a.svg"`,
    `echo "<!doctype html><script>window.ran=1</script>" > "$NARRATORIA_ASSET_DIR/a.html"`,
    asset("picture", "image/svg+xml", "a.svg"),
    asset("page", "text/html", "a.html"),
    print({
      type: "ui_event",
      event: "narrative_choice",
      payload: { choices: [{ label: ALL, hint: ALL, difficulty: ALL }] },
    }),
  ].join("\n");
  return makeStory({
    ...shellTool("evil", [], script),
    "plans.json": [
      { opening: true, narrative: ALL, choices: ["go"] },
      {
        match: "go",
        plan: { narrative: `${ALL}\n\n${ALL}`, tools: [{ toolId: SCRIPT, toolPath: "evil" }] },
        narrative: ALL,
      },
    ],
    "story.json": { title: ALL, author: ALL, description: ALL, narrator: "stub", state: { [SCRIPT]: SCRIPT } },
  });
}
