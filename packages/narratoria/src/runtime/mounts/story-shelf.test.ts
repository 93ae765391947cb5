/** Changes on disk reach the next turn; while an author is in the middle of one, players keep what they had. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { NarratorKind, StoryLoading } from "./load-story.ts";
import { createStoryShelf, type StoryShelf } from "./story-shelf.ts";

const made: string[] = [];
afterAll(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

const narrator: NarratorKind = {
  defaultFile: "plans.json",
  open: async () => ({
    kind: "narrator",
    narrator: { next: () => Promise.reject(new Error("not asked here")), close: () => Promise.resolve() },
  }),
};
const manifest = { kind: "tool", transport: { type: "stdio", command: ["sh"] }, capabilities: [] };

describe("a story on the shelf", () => {
  let dir: string;
  let shelf: StoryShelf;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "narratoria-shelf-"));
    made.push(dir);
    write("plans.json", []);
    write("story.json", { title: "One", mounts: [{ name: "bell", ...manifest }] });
    shelf = createStoryShelf(dir, () => [], { stub: narrator });
  });
  const write = (file: string, content: unknown): void => writeFileSync(join(dir, file), JSON.stringify(content));

  test("is opened once while nothing changes", async () => {
    expect(await shelf.open(dir)).toBe(await shelf.open(dir));
  });

  test("that changed is opened again, its mounts with it", async () => {
    const before = await shelf.open(dir);
    mkdirSync(join(dir, "tools/drum"), { recursive: true });
    write("tools/drum/tool.json", { name: "drum", ...manifest });
    const after = await shelf.open(dir);
    expect(mountsOf(before)).toEqual(["bell"]);
    expect(mountsOf(after)).toEqual(["bell", "drum"]);
  });

  test("with a mistake in it says so, and a turn gets what could last be told", async () => {
    const before = await shelf.open(dir);
    write("story.json", { title: 7 });
    expect(await shelf.open(dir)).toMatchObject({ kind: "invalid", problems: [{ pointer: "/title" }] });
    expect(await shelf.openForTurn(dir)).toBe(before);
    write("story.json", { title: "Two" });
    expect(await shelf.openForTurn(dir)).toMatchObject({ kind: "story", story: { title: "Two" } });
  });
});

function mountsOf(loading: StoryLoading): string[] {
  return loading.kind === "story" ? [...loading.story.mounts.keys()] : [];
}
