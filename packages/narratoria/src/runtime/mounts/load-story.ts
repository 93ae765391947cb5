/**
 * Reads a story folder whole: `story.json`, its mounts, and what its narrator tells from. Either all of it is right, or
 * every problem is listed and nothing is loaded. `narrators/` hand in the kinds of narrators there are.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isJsonObject, readJson, type JsonObject } from "@narratoria/tool/json";
import { formatPointer } from "../../story/json-pointer.ts";
import { storyFileSchema, type StoryFile, type Voice } from "../../story/story-file.ts";
import { findMounts } from "./mounts.ts";
import type { Narrator } from "../seams/narrator.ts";
import { isInside, realLocation } from "./real-location.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";

export interface Story {
  dir: string;
  title: string;
  version: string | null;
  author: string | null;
  description: string | null;
  /** What a session of this story is for; the title when the story does not say. */
  goal: string;
  narrator: string;
  /** What the narrator tells from, in the story's folder. */
  narratorFile: string;
  initialState: JsonObject;
  mounts: ReadonlyMap<string, ResolvedTool>;
  synonyms: Readonly<Record<string, readonly string[]>>;
  voice: Voice;
}

export interface StoryProblem {
  /** From the story's folder. */
  file: string;
  line?: number | undefined;
  /** Where in a JSON file. */
  pointer?: string | undefined;
  message: string;
}

/** One way to tell stories. */
export interface NarratorKind {
  /** The file it tells from when the story names none; null when it needs no file. */
  defaultFile: string | null;
  open(story: Story): Promise<NarratorOpening>;
}

export type NarratorOpening = { kind: "narrator"; narrator: Narrator } | { kind: "invalid"; problems: StoryProblem[] };

export type StoryLoading =
  | { kind: "story"; story: Story; narrator: Narrator }
  | { kind: "invalid"; problems: StoryProblem[] };

export async function loadStory(dir: string, kinds: Readonly<Record<string, NarratorKind>>): Promise<StoryLoading> {
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) {
    return { kind: "invalid", problems: [{ file: dir, message: "there is no such folder" }] };
  }
  const { file, problems: fileProblems } = readStoryFile(dir);
  const { mounts, problems: brokenMounts } = findMounts(dir, file.mounts ?? []);
  const problems: StoryProblem[] = [...fileProblems, ...brokenMounts];

  const narrator = file.narrator ?? findNarrator(dir, kinds);
  const kind = Object.hasOwn(kinds, narrator) ? kinds[narrator] : undefined;
  if (kind === undefined) {
    const message = `there is no narrator named ${narrator}; there are ${Object.keys(kinds).join(", ")}`;
    return { kind: "invalid", problems: [...problems, { file: STORY_FILE, pointer: "/narrator", message }] };
  }
  const story = describe(dir, file, mounts, narrator, file.narratorFile ?? kind.defaultFile ?? STORY_FILE);
  const missing = findMissingFile(story, file);
  if (missing !== null) return { kind: "invalid", problems: [...problems, missing] };

  const opening = await kind.open(story);
  if (opening.kind === "invalid") return { kind: "invalid", problems: [...problems, ...opening.problems] };
  // A broken mount that nothing in the story calls does not stop it; `narratoria tools` says what is wrong with it.
  if (fileProblems.length === 0) return { kind: "story", story, narrator: opening.narrator };
  await opening.narrator.close?.();
  return { kind: "invalid", problems };
}

const STORY_FILE = "story.json";
const DEFAULT_NARRATOR = "ink";

/** The first kind of narrator that finds something to tell from. */
function findNarrator(dir: string, kinds: Readonly<Record<string, NarratorKind>>): string {
  const fitting = Object.entries(kinds).find(
    ([, { defaultFile }]) => defaultFile !== null && existsSync(join(dir, defaultFile)),
  );
  return fitting?.[0] ?? DEFAULT_NARRATOR;
}

/** What could be read of `story.json`; empty when there is none. */
export function readStoryFile(dir: string): { file: StoryFile; problems: StoryProblem[] } {
  const path = join(dir, STORY_FILE);
  // A folder with nothing but a story.ink plays too.
  if (!existsSync(path)) return { file: {}, problems: [] };
  const reading = readJson(readFileSync(path, "utf8"));
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

function describe(
  dir: string,
  file: StoryFile,
  mounts: Story["mounts"],
  narrator: string,
  narratorFile: string,
): Story {
  const title = file.title ?? basename(resolve(dir));
  return {
    dir,
    title,
    version: file.version ?? null,
    author: file.author ?? null,
    description: file.description ?? null,
    goal: file.goal ?? title,
    narrator,
    narratorFile,
    initialState: file.state ?? {},
    mounts,
    synonyms: file.synonyms ?? {},
    voice: file.voice ?? {},
  };
}

function findMissingFile({ dir, narratorFile }: Story, file: StoryFile): StoryProblem | null {
  const path = realLocation(join(dir, narratorFile));
  const isThere = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  if (isThere && isInside(path, realLocation(dir))) return null;
  if (file.narratorFile === undefined || file.narratorFile === null) {
    return { file: narratorFile, message: "the story has no such file, and nothing else to tell from" };
  }
  return { file: STORY_FILE, pointer: "/narratorFile", message: `${narratorFile} is no file in the story's folder` };
}
