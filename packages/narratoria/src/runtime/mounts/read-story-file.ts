/** Reads `story.json`. `story-folder.ts` reads the mounts beside it. */
import { isJsonObject, readJson } from "@narratoria/tool/json";
import { formatPointer } from "../../story/json-pointer.ts";
import { storyFileSchema, type StoryFile } from "../../story/story-file.ts";
import type { StoryProblem } from "./story-problem.ts";
import { MOST_BYTES, readStoryText } from "./story-text.ts";

export const STORY_FILE = "story.json";

/** What could be read of `story.json`; empty when there is none. */
export function readStoryFile(
  dir: string,
  mostBytes: number = MOST_BYTES.storyFile,
): { file: StoryFile; problems: StoryProblem[] } {
  const text = readStoryText(dir, STORY_FILE, mostBytes);
  // A folder with nothing but a story.ink plays too.
  if (text.kind === "missing") return { file: {}, problems: [] };
  if (text.kind === "refused") return { file: {}, problems: [{ file: STORY_FILE, message: `it ${text.why}` }] };
  const reading = readJson(text.text);
  if (reading.kind !== "value") return { file: {}, problems: [jsonProblem(STORY_FILE, reading)] };
  const parsed = storyFileSchema.safeParse(reading.value);
  if (parsed.success) return { file: parsed.data, problems: [] };
  const problems = parsed.error.issues.map((issue) => ({
    file: STORY_FILE,
    pointer: formatPointer(issue.path),
    message: issue.message,
  }));
  // The mounts are read all the same: they have problems of their own, and tags may name them.
  const declared = isJsonObject(reading.value) ? reading.value["mounts"] : undefined;
  return { file: Array.isArray(declared) ? { mounts: declared } : {}, problems };
}

/** What is wrong with JSON text, with its line where the parser tells. */
export function jsonProblem(
  file: string,
  reading: { kind: "too_deep" } | { kind: "invalid"; reason: string },
): StoryProblem {
  if (reading.kind === "too_deep") return { file, line: 1, message: "the JSON is nested too deep" };
  const line = /\(line (\d+) column \d+\)/.exec(reading.reason)?.[1];
  return { file, line: line === undefined ? 1 : Number(line), message: `not valid JSON: ${reading.reason}` };
}
