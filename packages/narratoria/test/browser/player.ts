/** Somebody who plays in a real browser: opens the app, types, clicks, and looks at what the page shows. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { STORY_DIR } from "../default-story.ts";
import type { Serving } from "../serve-process.ts";

export interface Player extends AsyncDisposable {
  page: Page;
  context: BrowserContext;
  /** What the page complained about: errors thrown, refused by the content policy, or logged. */
  complaints: string[];
  open(path?: string): Promise<void>;
  type(text: string): Promise<void>;
  choose(label: string): Promise<void>;
  /** Until nothing runs and so many turns, besides the opening, are there. */
  turnsDone(count: number): Promise<void>;
  /** The newest turn's words. */
  newest(): Promise<string>;
  sessionId(): string;
}

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 640 };

export async function createPlayer(
  browser: Browser,
  server: Pick<Serving, "url" | "token">,
  options: BrowserContextOptions & { scheme?: string } = {},
): Promise<Player> {
  const { scheme = "dark", ...contextOptions } = options;
  const context = await browser.newContext({ viewport: DESKTOP, ...contextOptions });
  // As text: what runs in the page has globals that scripts of Node do not know.
  await context.addInitScript(`localStorage.setItem("narratoria:scheme", ${JSON.stringify(scheme)})`);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  return {
    page,
    context,
    complaints,
    open: async (path = "/") => void (await page.goto(`${server.url}${path}?token=${server.token}`)),
    type: async (text) => {
      await page.getByRole("textbox", { name: "What do you do?" }).fill(text);
      // While the story answers, nothing can be sent.
      await page.locator(".send:enabled").waitFor();
      await page.keyboard.press("Enter");
    },
    choose: (label) => page.locator(".choice").filter({ hasText: label }).first().click(),
    turnsDone: async (count) => {
      await page.locator(".turn").nth(count).waitFor({ state: "attached" });
      await page.locator(".strip").waitFor({ state: "detached" });
    },
    newest: () => page.locator(".turn.head").innerText(),
    sessionId: () => /\/s\/([^/]+)/.exec(page.url())?.[1] ?? "",
    [Symbol.asyncDispose]: () => context.close(),
  };
}

export function readWalkthrough(name: string): string[] {
  const text = readFileSync(join(STORY_DIR, "walkthroughs", `${name}.txt`), "utf8");
  return text.split("\n").filter((line) => line.trim() !== "");
}
