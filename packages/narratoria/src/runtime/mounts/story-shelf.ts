/** The stories that can be told here: found in folders, kept open with their narrators, read anew when they change. */
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadStory, type NarratorKind, type StoryLoading } from "./load-story.ts";
import { readStoryFile } from "./read-story-file.ts";
import type { StorySummary } from "../seams/session-service.ts";
import { fingerprintStory } from "./story-fingerprint.ts";
import { statAt } from "./story-text.ts";

export interface StoryShelf {
  readonly defaultDir: string;
  list(): StorySummary[];
  /** The story as it is on disk now. */
  open(dir: string): Promise<StoryLoading>;
  /** The same, but while its author is in the middle of a change: as it last could be told. */
  openForTurn(dir: string): Promise<StoryLoading>;
  close(): Promise<void>;
}

type Told = Extract<StoryLoading, { kind: "story" }>;

/** A list names stories; a `story.json` beyond this is read when its story is told, not before. */
const MOST_LISTED_BYTES = 64 * 1024;

/** The default story comes first; somebody may have allowed its folder, whatever else that holds. */
export function createStoryShelf(
  defaultDir: string,
  otherDirs: () => readonly string[],
  kinds: Readonly<Record<string, NarratorKind>>,
  allowRiskyDefault = false,
): StoryShelf {
  const closing = new AbortController();
  const newest = new Map<string, { fingerprint: string; loading: Promise<StoryLoading> }>();
  const lastGood = new Map<string, Told>();
  const replaced: Told[] = [];

  function open(dir: string): Promise<StoryLoading> {
    const place = resolve(dir);
    const fingerprint = fingerprintStory(place);
    const known = newest.get(place);
    if (known?.fingerprint === fingerprint) return known.loading;
    const allowRisky = allowRiskyDefault && place === resolve(defaultDir);
    const loading = loadStory(place, kinds, { allowRisky, signal: closing.signal }).then(async (loaded) => {
      if (loaded.kind === "story") await replace(place, loaded);
      return loaded;
    });
    newest.set(place, { fingerprint, loading });
    return loading;
  }

  async function openForTurn(dir: string): Promise<StoryLoading> {
    const loaded = await open(dir);
    return loaded.kind === "story" ? loaded : (lastGood.get(resolve(dir)) ?? loaded);
  }

  /** A turn in progress may still ask the old narrator, which then wakes up again: so it is closed once more later. */
  async function replace(place: string, loaded: Told): Promise<void> {
    const old = lastGood.get(place);
    lastGood.set(place, loaded);
    if (old !== undefined) replaced.push(old);
    for (const { narrator } of replaced.splice(0, replaced.length - 1)) await narrator.close();
    await old?.narrator.close();
  }

  function list(): StorySummary[] {
    return [...new Set([defaultDir, ...otherDirs()].map((dir) => resolve(dir)))].filter(isStory).map((dir) => {
      const { file } = readStoryFile(dir, MOST_LISTED_BYTES);
      return {
        dir,
        title: file.title ?? dir.split("/").at(-1) ?? dir,
        author: file.author ?? null,
        description: file.description ?? null,
      };
    });
  }

  async function close(): Promise<void> {
    closing.abort();
    await Promise.all([...newest.values()].map(({ loading }) => loading));
    for (const { narrator } of [...lastGood.values(), ...replaced]) await narrator.close();
  }
  return { defaultDir, list, open, openForTurn, close };
}

/** What lies in a folder of stories, one folder each. */
export function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .toSorted()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function isStory(dir: string): boolean {
  return ["story.json", "story.ink"].some((file) => statAt(join(dir, file))?.isFile());
}
