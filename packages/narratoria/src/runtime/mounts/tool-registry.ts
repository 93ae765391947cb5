/**
 * Tools by reference: what a call names, and what that is on this machine. A reference is made of what a story is and
 * not of where it lies, so that another machine with the same story makes the same; it changes when the tool does, so
 * that it never means another program than the one that was judged.
 */
import { hash } from "node:crypto";
import { isAbsolute, relative } from "node:path";
import type { Mounted, ResolvedTool, StoryIdentity } from "../seams/resolved-tool.ts";
import type { ToolReference } from "../seams/tool-runner.ts";
import { TOOLS } from "../../installation.ts";
import { isInside, realLocation } from "./real-location.ts";

export interface ToolRegistry {
  refer(story: StoryIdentity, tool: ResolvedTool): ToolReference;
  /** Null when nobody has referred to such a tool here. */
  find(reference: ToolReference): Mounted | null;
}

/** More than any story mounts; the oldest are forgotten first, and known again when next referred to. */
const MOST_TOOLS = 10_000;

export function createToolRegistry(): ToolRegistry {
  const registered = new Map<string, Mounted>();
  const references = new WeakMap<ResolvedTool, ToolReference>();
  const nameStory = createStoryNames();

  function refer(story: StoryIdentity, tool: ResolvedTool): ToolReference {
    const named = nameStory(story);
    const known = references.get(tool);
    if (known?.story === named.name && registered.has(keyOf(known))) return known;
    const reference = { story: named.name, tool: tool.skill, digest: digestOf(describe(tool, named.places)) };
    references.set(tool, reference);
    const [oldest] = registered.keys();
    if (registered.size >= MOST_TOOLS && oldest !== undefined) registered.delete(oldest);
    registered.set(keyOf(reference), { storyDir: story.dir, tool });
    return reference;
  }
  return { refer, find: (reference) => registered.get(keyOf(reference)) ?? null };
}

interface NamedStory {
  readonly name: string;
  /** Its folder, as it is called and as it is really. */
  readonly places: readonly string[];
}

/** Of several copies of a story on one machine each has a name of its own: a reference to one must not find another. */
function createStoryNames(): (story: StoryIdentity) => NamedStory {
  const copies = new Map<string, Map<string, NamedStory>>();
  return ({ dir, title, version }) => {
    const story = JSON.stringify([title, version]);
    const ofStory = copies.get(story) ?? new Map<string, NamedStory>();
    copies.set(story, ofStory);
    const known = ofStory.get(dir);
    if (known !== undefined) return known;
    const identity = digestOf([title, version]);
    const name = ofStory.size === 0 ? identity : `${identity}~${ofStory.size + 1}`;
    const named = { name, places: [dir, realLocation(dir)] };
    ofStory.set(dir, named);
    return named;
  };
}

/** What a tool is, wherever its story lies. */
function describe(
  { command, dir, manifest, needs, limits, env }: ResolvedTool,
  storyPlaces: readonly string[],
): unknown {
  const portable = (path: string): string => portablePath(path, storyPlaces);
  return [command.map(portable), portable(dir), manifest, needs, limits, env ?? {}];
}

/** What lies in the story's folder or comes with Narratoria is named by its way from there. */
function portablePath(path: string, storyPlaces: readonly string[]): string {
  if (!isAbsolute(path)) return path;
  if (path === process.execPath) return "node:";
  const place = storyPlaces.find((folder) => isInside(path, folder));
  if (place !== undefined) return `story:${relative(place, path)}`;
  return isInside(path, TOOLS) ? `builtin:${relative(TOOLS, path)}` : path;
}

function keyOf({ story, tool, digest }: ToolReference): string {
  return JSON.stringify([story, tool, digest]);
}

function digestOf(value: unknown): string {
  return hash("sha256", JSON.stringify(value), "hex").slice(0, 32);
}
