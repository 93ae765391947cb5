/**
 * From a plan's `toolPath` to the program that runs. A narrator, above all a model, writes plans: only a mount, or what
 * lies inside the story folder or a folder the person at the keyboard allowed, can ever be chosen.
 */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { skillNameOf } from "../../story/skill-name.ts";
import { isInside, realLocation } from "./real-location.ts";
import { readManifest } from "./read-manifest.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";
import { DEFAULT_LIMITS } from "../seams/sandbox.ts";
import { describeNoFile, statAt } from "./story-text.ts";

export type ToolResolution =
  | { kind: "tool"; tool: ResolvedTool }
  | { kind: "path_forbidden"; message: string }
  | { kind: "bad_manifest"; message: string };

export interface ToolSources {
  storyDir: string;
  /** Further folders that tools may come from (`--allow-tools`). */
  allowed: readonly string[];
  mounts: ReadonlyMap<string, ResolvedTool>;
}

export function resolveTool(toolPath: string, sources: ToolSources): ToolResolution {
  const mounted = sources.mounts.get(toolPath);
  if (mounted !== undefined) return { kind: "tool", tool: mounted };
  if (toolPath.includes("\0")) return { kind: "path_forbidden", message: "the path holds a zero byte" };
  const path = realLocation(resolve(sources.storyDir, toolPath));
  const home = [sources.storyDir, ...sources.allowed]
    .map((folder) => realLocation(folder))
    .find(isInside.bind(null, path));
  if (home === undefined) {
    const message = `${toolPath} lies outside the story folder; allow its folder with --allow-tools`;
    return { kind: "path_forbidden", message };
  }
  // Judged without opening it: opening a pipe would wait for somebody at its other end.
  const stat = statAt(path);
  const otherThing = stat === null || stat.isDirectory() ? null : describeNoFile(stat);
  if (otherThing !== null) return { kind: "path_forbidden", message: `${toolPath} ${otherThing}` };
  const skill = skillNameOf(toolPath);
  const manifestFile = join(path, "tool.json");
  if (!existsSync(manifestFile)) return { kind: "tool", tool: bareTool(path, skill, [home]) };
  const reading = readManifest(manifestFile, home);
  if (reading.kind === "invalid") {
    const problems = reading.problems.map(({ pointer, message }) => `${pointer || "/"}: ${message}`).join("; ");
    return { kind: "bad_manifest", message: `${manifestFile}: ${problems}` };
  }
  if (reading.tool.needs.length > 0 && isOtherThanMounted(sources.mounts.get(skill), path)) {
    // Grants go by name: what a plan finds elsewhere under a mount's name must not get that mount's.
    return { kind: "path_forbidden", message: `${toolPath} is not the mount named ${skill}` };
  }
  const source = home === realLocation(sources.storyDir) ? reading.tool.source : "installed_pack";
  return { kind: "tool", tool: { ...reading.tool, skill, source } };
}

function isOtherThanMounted(mounted: ResolvedTool | undefined, path: string): boolean {
  return mounted !== undefined && realLocation(mounted.dir) !== path;
}

/** An executable without a manifest speaks the tool protocol, needs nothing, and may write anywhere in the state. */
export function bareTool(path: string, skill: string, folders: readonly string[] = []): ResolvedTool {
  const nothing = { limits: DEFAULT_LIMITS, needs: [], source: "binding", manifest: null } as const;
  return { skill, command: [path], dir: dirname(path), readFolders: folders, ...nothing };
}
