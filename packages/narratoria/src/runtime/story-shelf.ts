/** The stories that can be told here: found in folders, opened once, kept open with their narrators. */
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadStory, readStoryFile, type NarratorKind, type StoryLoading } from "./load-story.ts";
import type { StorySummary } from "./session-service.ts";

export interface StoryShelf {
  readonly defaultDir: string;
  list(): StorySummary[];
  open(dir: string): Promise<StoryLoading>;
  close(): Promise<void>;
}

/** `folders` hold stories, one folder each; the default story may lie anywhere. */
export function createStoryShelf(
  folders: readonly string[],
  defaultDir: string,
  kinds: Readonly<Record<string, NarratorKind>>,
): StoryShelf {
  const opened = new Map<string, Promise<StoryLoading>>();

  function open(dir: string): Promise<StoryLoading> {
    const place = resolve(dir);
    const known = opened.get(place);
    if (known !== undefined) return known;
    const loading = loadStory(place, kinds).then((loaded) => {
      // A story with errors is read anew the next time: its author is mending it.
      if (loaded.kind === "invalid") opened.delete(place);
      return loaded;
    });
    opened.set(place, loading);
    return loading;
  }

  function list(): StorySummary[] {
    const dirs = folders.flatMap((folder) => foldersIn(folder).map((name) => resolve(folder, name)));
    return [...new Set([resolve(defaultDir), ...dirs])].filter(isStory).map((dir) => {
      const file = readStoryFile(dir).file;
      return {
        dir,
        title: file?.title ?? dir.split("/").at(-1) ?? dir,
        author: file?.author ?? null,
        description: file?.description ?? null,
      };
    });
  }

  async function close(): Promise<void> {
    for (const loading of opened.values()) {
      const loaded = await loading;
      if (loaded.kind === "story") await loaded.narrator.close?.();
    }
  }
  return { defaultDir, list, open, close };
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

function isStory(dir: string): boolean {
  return ["story.json", "story.ink"].some((file) => statSync(join(dir, file), { throwIfNoEntry: false })?.isFile());
}
