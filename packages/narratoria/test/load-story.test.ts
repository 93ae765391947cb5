/** Story folders, right and wrong: every problem in one go, and nothing half-loaded. */
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { NARRATOR_KINDS } from "../src/narrators/narrator-kinds.ts";
import { loadStory } from "../src/runtime/mounts/load-story.ts";
import type { StoryProblem } from "../src/runtime/mounts/story-problem.ts";
import { makeStoryFolder, startSession } from "./narrator-session.ts";

const HELLO = "Hello.\n* [Wave] You wave. -> END\n";

async function problemsOf(files: Record<string, string>, tools?: string[]): Promise<StoryProblem[]> {
  const loading = await loadStory(makeStoryFolder(files, tools), NARRATOR_KINDS);
  return loading.kind === "invalid" ? loading.problems : [];
}

describe("[N1.1] a story folder that is right", () => {
  test("loads with what story.json says", async () => {
    const json = { title: "T", version: "1.2.0", author: "A", goal: "Win", state: { x: 1 }, unknown: true };
    const loading = await loadStory(
      makeStoryFolder({ "story.ink": HELLO, "story.json": JSON.stringify(json) }, ["dice.sh"]),
      NARRATOR_KINDS,
    );
    if (loading.kind !== "story") throw new Error("invalid");
    const { story } = loading;
    expect(story).toMatchObject({ title: "T", version: "1.2.0", author: "A", description: null, goal: "Win" });
    expect([story.narrator, story.initialState, [...story.mounts.keys()]]).toEqual(["ink", { x: 1 }, ["dice"]]);
    await loading.narrator.close();
  });

  test("needs no more than a story.ink, which may include others", async () => {
    const files = { "story.ink": "INCLUDE rooms/hall.ink\n-> hall\n", "rooms/hall.ink": "== hall\nA hall. -> END\n" };
    const loading = await loadStory(makeStoryFolder(files), NARRATOR_KINDS);
    if (loading.kind !== "story") throw new Error(JSON.stringify(loading.problems));
    expect((await startSession(loading.narrator).turn(null)).text).toBe("A hall.");
    await loading.narrator.close();
  });

  test("is told by the stub when there is a plans.json", async () => {
    const loading = await loadStory(makeStoryFolder({ "plans.json": "[]" }), NARRATOR_KINDS);
    expect(loading).toMatchObject({ kind: "story", story: { narrator: "stub", narratorFile: "plans.json" } });
  });
});

describe("[N1.1] a story folder with problems", () => {
  test("names all of them at once: JSON, mounts, ink and tags", async () => {
    const problems = await problemsOf({
      "story.json": '{"title": 7, "voice": {"unmatched": []}, "mounts": [{"name": "x"}]}',
      "story.ink": "INCLUDE cave.ink\nText # tool: a lantern\n# tool: b lantern\n-> nowhere\n",
      "cave.ink": "== cave\n-> nothing\n",
    });
    const places = new Set(problems.map(({ file, line, pointer }) => `${file}:${line ?? pointer}`));
    for (const place of [
      "story.json:/title",
      "story.json:/voice/unmatched",
      "story.ink:2",
      "story.ink:3",
      "story.ink:4",
      "cave.ink:2",
    ]) {
      expect(places).toContain(place);
    }
    expect([...places].some((place) => place.startsWith("story.json:/mounts/0"))).toBe(true);
  });

  test("a broken mount that nothing calls does not stop the story or the other mounts", async () => {
    const files = { "story.json": '{"title": "A", "mounts": [{"name": "x"}]}', "story.ink": HELLO };
    const loading = await loadStory(makeStoryFolder(files, ["dice.sh"]), NARRATOR_KINDS);
    if (loading.kind !== "story") throw new Error("invalid");
    expect([...loading.story.mounts.keys()]).toEqual(["dice"]);
  });

  test("the line of broken JSON", async () => {
    const problems = await problemsOf({ "story.json": '{\n  "title": "x",\n  oops\n}', "story.ink": HELLO });
    expect(problems).toEqual([{ file: "story.json", line: 3, message: expect.stringContaining("not valid JSON") }]);
  });

  test("the line that ink itself refuses", async () => {
    expect(await problemsOf({ "story.ink": "One\n* [Two # alias: a\nThree { x" })).toEqual(
      expect.arrayContaining([{ file: "story.ink", line: 2, message: expect.stringContaining("']'") }]),
    );
  });

  test("an include that is missing, or lies outside", async () => {
    const dir = makeStoryFolder({ "story.ink": "INCLUDE gone.ink\nINCLUDE ../out.ink\nINCLUDE link.ink\nHi.\n" });
    const outside = makeStoryFolder({ "secret.ink": "secret" });
    symlinkSync(join(outside, "secret.ink"), join(dir, "link.ink"));
    const loading = await loadStory(dir, NARRATOR_KINDS);
    expect(loading).toMatchObject({ kind: "invalid" });
    const problems = loading.kind === "invalid" ? loading.problems : [];
    expect(problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))).toEqual([
      { file: "story.ink", line: 1, message: "gone.ink does not exist" },
      { file: "story.ink", line: 2, message: "../out.ink lies outside the story folder" },
      { file: "story.ink", line: 3, message: "link.ink lies outside the story folder" },
    ]);
  });

  test("no folder, no narrator of that name, nothing to tell from", async () => {
    expect(await loadStory("/nowhere/at/all", NARRATOR_KINDS)).toMatchObject({ kind: "invalid" });
    expect(await problemsOf({ "story.json": '{"narrator": "oracle"}' })).toMatchObject([{ pointer: "/narrator" }]);
    expect(await problemsOf({ "story.json": "{}" })).toMatchObject([{ file: "story.ink" }]);
    expect(await problemsOf({ "story.json": '{"narratorFile": "../x.ink"}' })).toMatchObject([
      { pointer: "/narratorFile" },
    ]);
  });

  test("plans of the stub: JSON, patterns and the plans themselves", async () => {
    const dir = makeStoryFolder({});
    const tools = [{ toolId: "a", toolPath: "x", dependencies: ["a"] }];
    const entries = [{ match: "x", plan: { tools } }, { pattern: "/(/" }, {}, { match: "y", plans: [{ tools: 1 }] }];
    writeFileSync(join(dir, "plans.json"), JSON.stringify(entries));
    const loading = await loadStory(dir, NARRATOR_KINDS);
    const problems = loading.kind === "invalid" ? loading.problems : [];
    expect(problems.map(({ pointer }) => pointer)).toEqual([
      "/0/plan/tools/0/dependencies/0",
      "/1/pattern",
      "/2",
      "/3/plans/0/tools",
    ]);
  });
});
