/**
 * Reads a story folder whole: `story.json`, its mounts, and what its narrator tells from. Either all of it is right, or
 * every problem is listed and nothing is loaded. `narrators/` hand in the kinds of narrators there are.
 */
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { JsonObject } from "@narratoria/tool/json";
import type { StoryFile, Voice } from "../../story/story-file.ts";
import type { Narrator } from "../seams/narrator.ts";
import { STORY_FILE } from "./read-story-file.ts";
import { isInside, realLocation } from "./real-location.ts";
import type { StoryProblem } from "./story-problem.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import { findStoryFolderRisk } from "./story-folder-risk.ts";
import { readStoryFolder } from "./story-folder.ts";
import { describeNoFile, statAt } from "./story-text.ts";

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
  /** A BCP 47 tag. */
  language: string;
}

/** One way to tell stories. */
export interface NarratorKind {
  /** The file it tells from when the story names none; null when it needs no file. */
  defaultFile: string | null;
  open(story: Story, signal: AbortSignal): Promise<NarratorOpening>;
}

export type NarratorOpening = { kind: "narrator"; narrator: Narrator } | { kind: "invalid"; problems: StoryProblem[] };

export type StoryLoading =
  | { kind: "story"; story: Story; narrator: Narrator }
  | { kind: "invalid"; problems: StoryProblem[] };

export interface LoadingOptions {
  /** Somebody has said that this folder is meant, whatever else it holds. */
  allowRisky: boolean;
  signal: AbortSignal;
}

export async function loadStory(
  dir: string,
  kinds: Readonly<Record<string, NarratorKind>>,
  { allowRisky, signal }: LoadingOptions = { allowRisky: false, signal: new AbortController().signal },
): Promise<StoryLoading> {
  if (!statAt(dir)?.isDirectory()) {
    return { kind: "invalid", problems: [{ file: dir, message: "there is no such folder" }] };
  }
  const risk = allowRisky ? null : findStoryFolderRisk(dir);
  if (risk !== null) return { kind: "invalid", problems: [{ file: dir, message: refuseRisk(risk) }] };
  const { file, fileProblems, mounts, mountProblems } = await readStoryFolder(dir, signal);
  const problems: StoryProblem[] = [...fileProblems, ...mountProblems];

  const narrator = file.narrator ?? findNarrator(dir, kinds);
  const kind = Object.hasOwn(kinds, narrator) ? kinds[narrator] : undefined;
  if (kind === undefined) {
    const message = `there is no narrator named ${narrator}; there are ${Object.keys(kinds).join(", ")}`;
    return { kind: "invalid", problems: [...problems, { file: STORY_FILE, pointer: "/narrator", message }] };
  }
  const story = describe(dir, file, mounts, narrator, file.narratorFile ?? kind.defaultFile ?? STORY_FILE);
  const missing = findMissingFile(story, file);
  if (missing !== null) return { kind: "invalid", problems: [...problems, missing] };

  const opening = await kind.open(story, signal);
  if (opening.kind === "invalid") return { kind: "invalid", problems: [...problems, ...opening.problems] };
  // A broken mount that nothing in the story calls does not stop it; `narratoria tools` says what is wrong with it.
  if (fileProblems.length === 0) return { kind: "story", story, narrator: opening.narrator };
  await opening.narrator.close();
  return { kind: "invalid", problems };
}

const DEFAULT_NARRATOR = "ink";

export function refuseRisk(risk: string): string {
  return `this folder ${risk}; move the story into a folder of its own, or allow it with --allow-story-folder`;
}

/** The first kind of narrator that finds something to tell from. */
function findNarrator(dir: string, kinds: Readonly<Record<string, NarratorKind>>): string {
  const fitting = Object.entries(kinds).find(
    ([, { defaultFile }]) => defaultFile !== null && existsSync(join(dir, defaultFile)),
  );
  return fitting?.[0] ?? DEFAULT_NARRATOR;
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
    language: file.language ?? "en",
  };
}

function findMissingFile({ dir, narratorFile }: Story, file: StoryFile): StoryProblem | null {
  const path = realLocation(join(dir, narratorFile));
  const stat = statAt(path);
  const otherThing = stat === null ? null : describeNoFile(stat);
  if (otherThing !== null) return { file: narratorFile, message: `it ${otherThing}` };
  if (stat !== null && isInside(path, realLocation(dir))) return null;
  if (file.narratorFile === undefined || file.narratorFile === null) {
    return { file: narratorFile, message: "the story has no such file, and nothing else to tell from" };
  }
  return { file: STORY_FILE, pointer: "/narratorFile", message: `${narratorFile} is no file in the story's folder` };
}
