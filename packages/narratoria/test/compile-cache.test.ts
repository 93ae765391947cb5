/** Compiled code is run as it lies there: a folder that somebody else prepared is never used. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compileCacheFolder } from "../src/cli/compile-cache.ts";

const isRoot = process.getuid?.() === 0;
const ANOTHER_USER = 65_534;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "narratoria-home-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe("[Z1.8] compiled code", () => {
  test("a folder that others may write to is not used, and not mended either: something may lie in it", () => {
    const folder = join(home, "narratoria/compiled");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o777);
    expect(compileCacheFolder({ XDG_CACHE_HOME: home })).toBeNull();
    expect(modeOf(folder)).toBe(0o777);
  });

  test.each(["narratoria", "narratoria/compiled"])("%s as a link is not followed", (place) => {
    const elsewhere = join(home, "elsewhere");
    mkdirSync(elsewhere, { mode: 0o700 });
    if (place !== "narratoria") mkdirSync(join(home, "narratoria"), { mode: 0o700 });
    symlinkSync(elsewhere, join(home, place));
    expect(compileCacheFolder({ XDG_CACHE_HOME: home })).toBeNull();
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test("below a folder in which others may replace it there is none", () => {
    chmodSync(home, 0o777);
    expect(compileCacheFolder({ XDG_CACHE_HOME: join(home, "cache") })).toBeNull();
    expect(existsSync(join(home, "cache/narratoria"))).toBe(false);
    chmodSync(home, 0o1777);
    expect(compileCacheFolder({ XDG_CACHE_HOME: join(home, "cache") })).toBe(join(home, "cache/narratoria/compiled"));
  });

  test.runIf(isRoot)("as root: one that another user made beforehand is not used", () => {
    const folder = join(home, "narratoria/compiled");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chownSync(folder, ANOTHER_USER, ANOTHER_USER);
    expect(compileCacheFolder({ XDG_CACHE_HOME: home })).toBeNull();
    chownSync(join(home, "narratoria"), ANOTHER_USER, ANOTHER_USER);
    expect(compileCacheFolder({ XDG_CACHE_HOME: home })).toBeNull();
    // As with sudo and the HOME of an ordinary user.
    rmSync(join(home, "narratoria"), { recursive: true });
    chownSync(home, ANOTHER_USER, ANOTHER_USER);
    expect(compileCacheFolder({ XDG_CACHE_HOME: home })).toBeNull();
  });

  test("a relative folder of the environment is none", () => {
    expect(compileCacheFolder({ XDG_CACHE_HOME: "here" })).not.toContain("here");
  });
});

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}
