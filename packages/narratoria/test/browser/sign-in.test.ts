/** Signing a browser in: what it keeps, what its addresses show, and what another server on this machine gets to see. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { narratoria } from "../narratoria-command.ts";
import { createPlayground, type Playground, serve, type Serving } from "../serve-process.ts";
import { launchChromium } from "./chromium.ts";
import { createPlayer } from "./player.ts";

let browser: Browser;
let ground: Playground;
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

async function serveStory(data: string, port = 0): Promise<Serving> {
  const server = await serve(["--port", String(port), "--data", `${ground.data}-${data}`, "--story", ground.story]);
  servers.push(server);
  return server;
}

test(
  "[Z1.8] the printed address signs in once; the key stays with the origin, over a reload, a tab and a restart",
  { timeout: 120_000 },
  async () => {
    const server = await serveStory("restart");
    await using player = await createPlayer(browser, server);
    const { page, context } = player;
    await page.goto(server.address);
    await page.locator(".choice").first().waitFor();
    const code = new URL(server.address).searchParams.get("code") ?? "?";
    expect(page.url()).not.toContain(code);
    await page.reload();
    await page.locator(".choice").first().waitFor();

    const tab = await context.newPage();
    await tab.goto(page.url());
    await tab.locator(".choice").first().waitFor();
    expect(await context.cookies()).toEqual([]);

    await server.end("SIGKILL");
    await page.getByText("Connection lost.").waitFor();
    await serveStory("restart", Number(new URL(server.url).port));
    await page.getByText("Connection lost.").waitFor({ state: "detached" });
    await player.choose("light");
    await player.turnsDone(1);
    await tab.getByText("You light.").first().waitFor();

    await using stranger = await createPlayer(browser, server);
    await stranger.page.goto(server.address);
    await stranger.page.getByText("This browser is not signed in").first().waitFor();
  },
);

test("[Z1.8] the token in an address is gone before anything else runs, also from the way back", async () => {
  const server = await serveStory("token");
  await using player = await createPlayer(browser, server);
  const { page } = player;
  const asked: string[] = [];
  page.on("request", (request) => asked.push(`${request.url()} ${request.headers()["referer"] ?? ""}`));
  await page.goto("about:blank");
  await page.goto(`${server.url}/?keep=1&token=${server.token}#here`);
  await page.locator(".choice").first().waitFor();
  expect(asked.filter((request) => request.includes(server.token))).toEqual([
    `${server.url}/?keep=1&token=${server.token} `,
  ]);
  await page.goBack();
  await page.goForward();
  await page.locator(".choice").first().waitFor();
  expect(page.url()).not.toContain(server.token);
  expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain(server.token);
});

test("[Z1.8] another server on this machine receives nothing that opens ours", async () => {
  const server = await serveStory("ports");
  await using player = await createPlayer(browser, server);
  await player.open();
  await player.page.locator(".choice").first().waitFor();
  const received: IncomingHttpHeaders[] = [];
  const other = createServer(({ headers }, response) => {
    received.push(headers);
    response
      .setHeader("content-type", "text/html")
      .end("<script>document.title = JSON.stringify(localStorage)</script>");
  });
  await new Promise<void>((listening) => other.listen(0, "127.0.0.1", listening));
  try {
    const page = await player.context.newPage();
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    expect(received.length).toBeGreaterThan(0);
    for (const headers of received) expect([headers.cookie, headers.authorization]).toEqual([undefined, undefined]);
    expect(await page.title()).not.toContain("key");
  } finally {
    other.closeAllConnections();
    other.close();
  }
});

test(
  "[U1.6] pictures and downloads come by signed addresses, and get new ones after a restart",
  { timeout: 120_000 },
  async () => {
    const server = await serveStory("pictures");
    await using player = await createPlayer(browser, server);
    const { page } = player;
    await player.open();
    await player.choose("paint");
    await expect.poll(() => shownPictures(page), { timeout: 60_000 }).toBe(1);
    const [before] = await sourcesOf(page);
    expect(before).toMatch(/\/api\/assets\/[\w-]+\?until=\d+&signature=[\w-]{43}$/);
    expect((await fetch(before?.replace(/signature=./, "signature=.") ?? "")).status).toBe(401);

    // As after a restart of the host: the page still knows an address, and it leads nowhere.
    await page.evaluate(`localStorage.setItem("narratoria:addresses",
      localStorage.getItem("narratoria:addresses").replaceAll("signature=", "signature=-"))`);
    await page.reload();
    await expect.poll(() => sourcesOf(page), { timeout: 60_000 }).toEqual([before]);
    await expect.poll(() => shownPictures(page), { timeout: 60_000 }).toBe(1);

    await page.goto(`${server.url}/`);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export" }).first().click();
    expect((await download).suggestedFilename()).toMatch(/\.narratoria/);
  },
);

test("[Z1.8] a new token signs everybody out", { timeout: 120_000 }, async () => {
  const server = await serveStory("rotate");
  await using player = await createPlayer(browser, server);
  await player.open();
  await player.page.locator(".choice").first().waitFor();
  await server.end("SIGTERM");
  expect((await narratoria(["token", "--rotate", "--data", `${ground.data}-rotate`])).exitCode).toBe(0);
  await serveStory("rotate", Number(new URL(server.url).port));
  await player.page.getByText("This browser is not signed in").first().waitFor();
});

async function shownPictures(page: Page): Promise<number> {
  return page.evaluate<number>(
    `[...document.querySelectorAll(".asset img")].filter((each) => each.src && each.naturalWidth > 0).length`,
  );
}

async function sourcesOf(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll(".asset img")].map((each) => each.src)`);
}
