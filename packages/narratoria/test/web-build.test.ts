/** What the browser gets: the colours as their seed gives them, and a page that the content policy lets run. */
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { buildWeb } from "../web/build.ts";
import { renderColors } from "../web/colors.ts";

const web = path.resolve(import.meta.dirname, "../web");

test("[U1.1] the colours are those that #673AB7 gives; `npm run colors` writes them", () => {
  const written = readFileSync(path.join(web, "src/theme/colors.css"), "utf8");
  const withoutLayout = (css: string): string => css.replaceAll(/\s+/g, " ");
  expect(withoutLayout(written)).toBe(withoutLayout(renderColors()));
  expect(written).toContain("--md-sys-color-primary: #d3bcfd;");
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
