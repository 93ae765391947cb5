import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isInside, realLocation } from "./real-location.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "narratoria-location-")));
  mkdirSync(join(root, "real"));
  symlinkSync("real", join(root, "link"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("[P1.5] a link leads where it points, also where the rest does not exist yet", () => {
  expect(realLocation(join(root, "link"))).toBe(join(root, "real"));
  expect(realLocation(join(root, "link/not/there"))).toBe(join(root, "real/not/there"));
  symlinkSync("../elsewhere/soon", join(root, "real/soon"));
  expect(realLocation(join(root, "link/soon/file"))).toBe(join(root, "elsewhere/soon/file"));
});

test("[P1.5] links in a circle, a file as a folder and a zero byte lead nowhere else", () => {
  symlinkSync("round", join(root, "circle"));
  symlinkSync("circle", join(root, "round"));
  expect(realLocation(join(root, "circle/x"))).toBe(join(root, "circle/x"));
  expect(realLocation(join(root, "link/\0"))).toBe(join(root, "real/\0"));
});

test("[Z1.7] of a path longer than any system knows its beginning is still followed", () => {
  const rest = Array(2_000).fill("deep").join("/");
  expect(realLocation(`${root}/link/${rest}`)).toBe(join(root, "real", rest));
  const endless = `/${"x".repeat(10_000)}`;
  expect(realLocation(endless)).toBe(endless);
});

test.each([
  ["/a", "/a", true],
  ["/a/b", "/a", true],
  ["/a/..b", "/a", true],
  ["/a", "/a/b", false],
  ["/ab", "/a", false],
  ["/", "/a", false],
])("[P1.5] %s in %s: %s", (path, folder, inside) => {
  expect(isInside(path, folder)).toBe(inside);
});
