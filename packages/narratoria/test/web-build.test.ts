/** What the browser gets: the colours as their seed gives them, and no more script than a first visit should load. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { buildWeb } from "../web/build.ts";
import { renderColors } from "../web/colors.ts";

const MAX_COMPRESSED_BYTES = 300_000;
const web = path.resolve(import.meta.dirname, "../web");

test("[U1.1] the colours are those that #673AB7 gives; `npm run colors` writes them", () => {
  const written = readFileSync(path.join(web, "src/theme/colors.css"), "utf8");
  const withoutLayout = (css: string): string => css.replaceAll(/\s+/g, " ");
  expect(withoutLayout(written)).toBe(withoutLayout(renderColors()));
  expect(written).toContain("--md-sys-color-primary: #d3bcfd;");
});

test("[U1.1] the first load is at most 300 kB of compressed script", async () => {
  const assets = path.join(await buildWeb(), "assets");
  const scripts = readdirSync(assets).filter((file) => file.endsWith(".js"));
  // All of them: what is loaded later counts until it is clear that a first visit does without.
  const sizes = scripts.map((file) => gzipSync(readFileSync(path.join(assets, file))).length);
  expect(sizes.length).toBeGreaterThan(1);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_COMPRESSED_BYTES);
});

test("[Z1.2] the page has no script or style of its own in its HTML, which the content policy would refuse", async () => {
  const html = readFileSync(path.join(await buildWeb(), "index.html"), "utf8");
  expect(html.match(/<script(?![^>]*\bsrc=)[^>]*>/g)).toBeNull();
  expect(html).not.toMatch(/<style|\son\w+=|https?:\/\//);
});

test("a second build has nothing to do", async () => {
  const folder = await buildWeb();
  const builtAt = statSync(path.join(folder, "index.html")).mtimeMs;
  const said: string[] = [];
  await buildWeb((line) => said.push(line));
  expect(said).toEqual([]);
  expect(existsSync(folder)).toBe(true);
  expect(statSync(path.join(folder, "index.html")).mtimeMs).toBe(builtAt);
});
