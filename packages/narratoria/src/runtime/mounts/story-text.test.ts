/** Only plain files of the story, up to a size, and never a wait: a pipe nobody writes to is judged, not opened. */
import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { resolveTool } from "./resolve-tool.ts";
import { readStoryText } from "./story-text.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "narratoria-text-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("[Z1.7] a file of the story is read, also through a link that stays inside", () => {
  writeFileSync(join(dir, "a.txt"), "\uFEFFHällo");
  symlinkSync("a.txt", join(dir, "b.txt"));
  for (const file of ["a.txt", "b.txt"]) expect(readStoryText(dir, file, 9)).toEqual({ kind: "text", text: "Hällo" });
  expect(readStoryText(dir, "c.txt", 9)).toEqual({ kind: "missing" });
});

test.each([
  ["pipe", "is a named pipe, not a file", (path: string) => execFileSync("mkfifo", [path])],
  ["folder", "is a folder, not a file", (path: string) => mkdirSync(path)],
  ["zero", "lies outside the story folder", (path: string) => symlinkSync("/dev/zero", path)],
  ["environ", "lies outside the story folder", (path: string) => symlinkSync("/proc/self/environ", path)],
  ["loop", "is a link that leads nowhere", (path: string) => symlinkSync("loop", path)],
  ["gone", "is a link that leads nowhere", (path: string) => symlinkSync("nothing", path)],
  ["../out", "lies outside the story folder", () => {}],
  ["large", "is larger than 4 KiB", (path: string) => writeFileSync(path, Buffer.alloc(4097))],
  ["hole", "is larger than 4 KiB", (path: string) => (writeFileSync(path, ""), truncateSync(path, 2 ** 40))],
])("[Z1.7] %s: %s", (name, why, make) => {
  make(join(dir, name));
  expect(readStoryText(dir, name, 4096)).toEqual({ kind: "refused", why: expect.stringContaining(why) });
});

test("[Z1.7] a device and a socket are no files either", async () => {
  expect(readStoryText("/dev", "zero", 9)).toMatchObject({ why: expect.stringContaining("is a device") });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(dir, "socket"), resolve));
  expect(readStoryText(dir, "socket", 9)).toMatchObject({ why: expect.stringContaining("is a socket") });
  server.close();
});

test("[Z1.7] a plan cannot choose a pipe, or a folder whose manifest is one", () => {
  execFileSync("mkfifo", [join(dir, "pipe")]);
  mkdirSync(join(dir, "tool"));
  execFileSync("mkfifo", [join(dir, "tool", "tool.json")]);
  const sources = { storyDir: dir, allowed: [], mounts: new Map() };
  const said = (toolPath: string): unknown => resolveTool(toolPath, sources);
  expect(said("pipe")).toEqual({ kind: "path_forbidden", message: "pipe is a named pipe, not a file" });
  expect(said("tool")).toMatchObject({ kind: "bad_manifest", message: expect.stringContaining("is a named pipe") });
});
