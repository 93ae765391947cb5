/** Files that people hand in, with bytes that are no UTF-8 (an error with its line, never a replacement), or with a byte order mark. */
import { Buffer } from "node:buffer";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readStoryFolder } from "../src/runtime/mounts/story-folder.ts";
import { createStoryFolder, narratoria, type StoryFolder } from "./narratoria-command.ts";
import { createPlayground } from "./playground.ts";

const MARK = "\uFEFF";
const REPLACEMENT = "\uFFFD";

/** "BAD" stands for a byte that begins no character. */
function write(story: { path: string }, name: string, text: string): string {
  const file = join(story.path, name);
  mkdirSync(dirname(file), { recursive: true });
  const [first = "", ...others] = text.split("BAD").map((piece) => Buffer.from(piece));
  writeFileSync(file, Buffer.concat([Buffer.from(first), ...others.flatMap((piece) => [Buffer.of(0xe4), piece])]));
  return file;
}

const plan = (narrative: string): string =>
  `{"requestId": "p",\n"narrative": "${narrative}",\n"tools": [{"toolId": "a", "toolPath": "completes"}]}`;

describe("[T2.3] what `run` is handed", () => {
  async function run(story: StoryFolder, planText: string, more: readonly string[] = []) {
    return narratoria(["run", write(story, "plan.json", planText), ...more]);
  }

  test("a plan that is no UTF-8 is invalid, and its line is named", async () => {
    using story = createStoryFolder();
    const { exitCode, stdout, stderr } = await run(story, plan("Die HBADhle"));
    expect([exitCode, stdout.includes(REPLACEMENT), stderr.includes(REPLACEMENT)]).toEqual([2, false, false]);
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
    expect(error.code).toBe("invalid_plan");
    expect(error.message).toContain("plan.json is not valid UTF-8 (line 2)");
  });

  test("a plan in UTF-16 is told what to do", async () => {
    using story = createStoryFolder();
    const file = join(story.path, "plan.json");
    writeFileSync(file, Buffer.from(MARK + plan("x"), "utf16le"));
    const { exitCode, stdout } = await narratoria(["run", file]);
    expect([exitCode, stdout]).toEqual([2, expect.stringContaining("plan.json is UTF-16; save it as UTF-8")]);
  });

  test.each([
    ["--state", '{"a": "BAD"}'],
    ["--policy", '{"grants":\n {"BAD": []}}'],
  ])("%s", async (option, text) => {
    using story = createStoryFolder();
    const { exitCode, stderr } = await run(story, plan("x"), [option, write(story, "other.json", text)]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("other.json is not valid UTF-8")]);
  });

  test("with a byte order mark each of them is fine", async () => {
    using story = createStoryFolder();
    const state = write(story, "state.json", `${MARK}{"hour": 7}`);
    const policy = write(story, "policy.json", `${MARK}{"grants": {}}`);
    const { exitCode, stdout } = await run(story, MARK + plan("Die Höhle"), ["--state", state, "--policy", policy]);
    expect(JSON.parse(stdout)).toMatchObject({ narrative: "Die Höhle", aggregatedState: { hour: 7 } });
    expect(exitCode).toBe(0);
  });
});

const MANIFEST = `{"name": "echo", "kind": "tool", "protocol": "namel3ss/1", "entry": "a:b",
  "transport": {"type": "stdio"}, "capabilities": [], "description": "MARKED"}`;

/** Each with a place for a word: a bad one is a problem of that file, a good one after a mark is none. */
const STORY_FILES = [
  ["story.json", '{"title":\n "MARKED"}', "(line 2)"],
  ["tools/echo/tool.json", MANIFEST, "(line 2)"],
  ["skills/maps/SKILL.md", "---\nname: maps\ndescription: MARKED\n---\nText.\n", "(line 3)"],
  [".namel3ss/tools.yaml", "tools:\n  echo: {entry: 'a:b', purity: pure} # MARKED\n", "(line 2)"],
  ["namel3ss.toml", "# MARKED\n[python_tools]\n", "(line 1)"],
] as const;

describe("[T2.3] what a story is made of", () => {
  async function problemsOf(file: string, text: string): Promise<unknown> {
    using playground = createPlayground();
    write({ path: playground.story }, file, text);
    const { fileProblems, mountProblems } = await readStoryFolder(playground.story);
    return [...fileProblems, ...mountProblems];
  }

  test.each(STORY_FILES)("%s that is no UTF-8", async (file, text, line) => {
    expect(await problemsOf(file, text.replace("MARKED", "HBADhle"))).toEqual([
      expect.objectContaining({ file, message: expect.stringContaining(`is not valid UTF-8 ${line}`) }),
    ]);
  });

  test.each(STORY_FILES)("%s with a byte order mark", async (file, text) => {
    expect(await problemsOf(file, MARK + text.replace("MARKED", "Höhle"))).toEqual([]);
  });

  test("ink, and a script to play it by", { timeout: 90_000 }, async () => {
    using playground = createPlayground();
    const script = write({ path: playground.root }, "lines.txt", `${MARK}# HBADhle\nListen\n`);
    const { exitCode, stdout, stderr } = await playground.play([], ["--script", script]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("lines.txt: line 1: not valid UTF-8")]);
    expect(stdout).not.toContain("You listen.");

    write({ path: playground.root }, "lines.txt", `${MARK}Listen\r\n`);
    const played = await playground.play([], ["--script", script]);
    expect([played.exitCode, played.stdout]).toEqual([0, expect.stringContaining("You listen.")]);

    write({ path: playground.story }, "story.ink", "A cave.\nA cBADve.\n-> END\n");
    const broken = await playground.play(["Listen"]);
    expect([broken.exitCode, broken.stderr]).toEqual([2, expect.stringContaining("is not valid UTF-8 (line 2)")]);
  });
});
