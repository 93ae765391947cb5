import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { jsonProblem, readStoryFile } from "./read-story-file.ts";

let story: string;
beforeEach(() => {
  story = mkdtempSync(join(tmpdir(), "narratoria-file-"));
});
afterEach(() => rmSync(story, { recursive: true, force: true }));

function write(content: unknown): void {
  writeFileSync(join(story, "story.json"), typeof content === "string" ? content : JSON.stringify(content));
}

test("a story needs no story.json", () => {
  expect(readStoryFile(story)).toEqual({ file: {}, problems: [] });
});

test("what it says is read", () => {
  write({ title: "The inn", state: { oil: 3 } });
  expect(readStoryFile(story)).toEqual({ file: { title: "The inn", state: { oil: 3 } }, problems: [] });
});

test("what is wrong in it is told with its place; mounts are kept all the same", () => {
  write({ title: 7, mounts: [{ name: "lamp" }] });
  const { file, problems } = readStoryFile(story);
  expect(file).toEqual({ mounts: [{ name: "lamp" }] });
  expect(problems[0]).toMatchObject({ file: "story.json", pointer: "/title" });
  write([]);
  expect(readStoryFile(story).file).toEqual({});
  write({ title: 7, mounts: "lamp" });
  expect(readStoryFile(story).file).toEqual({});
});

test("what is no JSON is told with its line", () => {
  write('{\n "title": \n}');
  const { file, problems } = readStoryFile(story);
  expect([file, problems]).toMatchObject([{}, [{ file: "story.json", line: expect.any(Number) as number }]]);
  expect(problems[0]?.message).toMatch(/^not valid JSON: /);
  expect(jsonProblem("f", { kind: "too_deep" })).toEqual({
    file: "f",
    line: 1,
    message: "the JSON is nested too deep",
  });
  const reason = "Expected x (line 12 column 3)";
  expect(jsonProblem("f", { kind: "invalid", reason })).toEqual({
    file: "f",
    line: 12,
    message: `not valid JSON: ${reason}`,
  });
  expect(jsonProblem("f", { kind: "invalid", reason: "no" }).line).toBe(1);
});

test("what is too large, or no file, is refused", () => {
  write({ title: "The inn" });
  expect(readStoryFile(story, 4)).toEqual({
    file: {},
    problems: [{ file: "story.json", message: expect.stringMatching(/^it is larger than /) as string }],
  });
  rmSync(join(story, "story.json"));
  mkdirSync(join(story, "story.json"));
  expect(readStoryFile(story).problems[0]?.message).toMatch(/^it is a folder/);
});
