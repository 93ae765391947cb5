/** What can be said of a story's folder before anything is opened or made for it: that it is none. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

/** Either of them makes a folder a story. */
const STORY_FILES = ["story.json", "story.ink"];

/** Null when it may be one, or nobody named one. */
export function objectToStory(folder: string | undefined): string | null {
  if (folder === undefined) return null;
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return `there is no story folder ${folder}`;
  if (stat.isDirectory() && STORY_FILES.some((file) => existsSync(join(folder, file)))) return null;
  return `${folder} is no story: that is a folder with a ${STORY_FILES.join(" or a ")} in it`;
}
