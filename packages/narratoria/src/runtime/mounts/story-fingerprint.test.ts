/** Which changes on disk make a story one that must be loaded anew, and which do not. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fingerprintStory } from "./story-fingerprint.ts";

let story: string;
beforeEach(() => {
  story = mkdtempSync(join(tmpdir(), "narratoria-fingerprint-"));
  write("story.ink");
});
afterEach(() => rmSync(story, { recursive: true, force: true }));

function write(name: string, text = ""): string {
  const file = join(story, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

test.each([
  "story.json",
  "chapters/two.ink",
  ".namel3ss/tools.yaml",
  "mounts.yml",
  "namel3ss.toml",
  "skills/maps/SKILL.md",
  "tools/lamp",
  "tools/lamp.py",
  "skills/maps/scripts/draw",
  "a/b/c/d/deep.ink",
])("%s counts", (name) => {
  const before = fingerprintStory(story);
  write(name);
  expect(fingerprintStory(story)).not.toBe(before);
});

test.each([
  "notes.txt",
  "tools/lamp/data.bin",
  "skills/maps/reference",
  "elsewhere/lamp",
  "node_modules/x/package.json",
  ".git/config.json",
  ".venv/x.json",
  "__pycache__/x.json",
  "art/list.json",
  "music/list.json",
  "a/b/c/d/e/deep.ink",
])("%s does not", (name) => {
  const before = fingerprintStory(story);
  write(name);
  expect(fingerprintStory(story)).toBe(before);
});

test("another size, another time and another mode are changes; looking again is none", () => {
  const file = write("tools/lamp", "x");
  const time = new Date(1_000_000);
  utimesSync(file, time, time);
  const prints = [fingerprintStory(story)];
  const look = (): unknown => prints.push(fingerprintStory(story));
  writeFileSync(file, "xy");
  utimesSync(file, time, time);
  look();
  utimesSync(file, time, new Date(2_000_000));
  look();
  chmodSync(file, 0o755);
  look();
  expect(new Set(prints).size).toBe(4);
  expect(fingerprintStory(story)).toBe(prints.at(-1));
});

test("a file that goes away is a change, and a folder that is not there has nothing", () => {
  const before = fingerprintStory(story);
  rmSync(join(story, "story.ink"));
  expect(fingerprintStory(story)).not.toBe(before);
  expect(fingerprintStory(join(story, "nowhere"))).toBe("");
});
