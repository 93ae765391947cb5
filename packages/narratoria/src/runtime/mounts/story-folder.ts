/**
 * What a story's folder says: its `story.json` and its mounts. A little plain JSON is read here and now; whatever could
 * take long, by its size or its language, is read in a story's process (`story-processes.ts`). `load-story.ts` goes on.
 */
import { join } from "node:path";
import { ownModule } from "../../installation.ts";
import type { StoryFile } from "../../story/story-file.ts";
import { SKILL_FILE } from "./agent-skill.ts";
import { entriesIn } from "./folder-names.ts";
import type { StoryProblem } from "./story-problem.ts";
import { findMounts, MOUNT_FOLDERS } from "./mounts.ts";
import { TOOLS_FILE } from "./namel3ss-project.ts";
import { SETTINGS_FILE } from "./namel3ss-settings.ts";
import { readStoryFile, STORY_FILE } from "./read-story-file.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import { storyProcesses } from "./story-processes.ts";
import type { Job } from "./story-job.ts";
import { statAt } from "./story-text.ts";

export interface StoryFolder {
  file: StoryFile;
  fileProblems: StoryProblem[];
  mounts: Map<string, ResolvedTool>;
  mountProblems: StoryProblem[];
}

/** As JSON: a map is a list of pairs. */
export interface FolderReading extends Omit<StoryFolder, "mounts"> {
  mounts: [name: string, tool: ResolvedTool][];
}

const READ_FOLDER: Job<{ dir: string }, FolderReading> = {
  module: ownModule("runtime/mounts/story-folder-jobs"),
  name: "readFolder",
  timeLimitMs: 20_000,
  mostAnswerBytes: 16 * 1024 * 1024,
};

export async function readStoryFolder(dir: string, signal?: AbortSignal): Promise<StoryFolder> {
  if (isQuicklyRead(dir)) return readFolderHere(dir);
  const outcome = await storyProcesses.run(READ_FOLDER, { dir }, { key: dir, signal });
  if (outcome.kind === "answer") return { ...outcome.answer, mounts: new Map(outcome.answer.mounts) };
  const message = `the story's folder could not be read: ${outcome.message}`;
  return { file: {}, fileProblems: [{ file: STORY_FILE, message }], mounts: new Map(), mountProblems: [] };
}

/** As long as it takes. */
export function readFolderHere(dir: string): StoryFolder {
  const { file, problems } = readStoryFile(dir);
  const { mounts, problems: mountProblems } = findMounts(dir, file.mounts ?? []);
  return { file, fileProblems: firstOf(problems), mounts, mountProblems: firstOf(mountProblems) };
}

/** Nobody mends more at a time. */
const MOST_PROBLEMS = 200;

export function firstOf(problems: readonly StoryProblem[]): StoryProblem[] {
  return problems.slice(0, MOST_PROBLEMS);
}

/** So much JSON takes milliseconds, whatever it says. */
const LITTLE_BYTES = 32 * 1024;
const FEW_MOUNTS = 64;

/** YAML and TOML can take long at any size, and their parsers take a moment to load. */
function isQuicklyRead(dir: string): boolean {
  const folders = MOUNT_FOLDERS.flatMap((folder) =>
    entriesIn(join(dir, folder), FEW_MOUNTS + 1).map(({ name }) => join(folder, name)),
  );
  if (folders.length > FEW_MOUNTS) return false;
  const slow = [TOOLS_FILE, SETTINGS_FILE, ...folders.map((folder) => join(folder, SKILL_FILE))];
  if (slow.some((file) => sizeOf(join(dir, file)) !== null)) return false;
  const files = [STORY_FILE, ...folders.map((folder) => join(folder, "tool.json"))];
  return files.reduce((sum, file) => sum + (sizeOf(join(dir, file)) ?? 0), 0) <= LITTLE_BYTES;
}

function sizeOf(path: string): number | null {
  return statAt(path)?.size ?? null;
}
