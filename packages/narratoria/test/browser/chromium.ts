/** The system's Chromium for tests and screenshots: no download, a fresh profile each time. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

export function launchChromium(): Promise<Browser> {
  const given = process.env["CHROMIUM"];
  const executablePath = given ?? PLACES.find((place) => existsSync(place));
  if (executablePath === undefined) throw new Error("no Chromium found: install it, or say where it is in CHROMIUM");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-quic", ...QUIET] });
}
