/**
 * From a plan's `toolPath` to the program that runs. A narrator, above all a model, writes plans: only what lies inside
 * the story folder, or a folder the person at the keyboard allowed, can ever be chosen.
 */
import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { readJson } from "@narratoria/tool/json";
import { parseDescriptor, type ModuleDescriptor } from "../story/module-descriptor.ts";
import { skillNameOf } from "../story/skill-name.ts";
import { DEFAULT_LIMITS, type ToolLimits } from "./sandbox.ts";

export interface ResolvedTool {
  skill: string;
  command: readonly string[];
  limits: ToolLimits;
  grants: readonly string[];
  /** What a `tool.json` said; null for a bare executable. */
  manifest: ModuleDescriptor | null;
}

export type ToolResolution =
  | { kind: "tool"; tool: ResolvedTool }
  | { kind: "path_forbidden"; message: string }
  | { kind: "bad_manifest"; message: string };

export interface ToolFolders {
  storyDir: string;
  /** Further folders that tools may come from (`--allow-tools`). */
  allowed: readonly string[];
}

export function resolveTool(toolPath: string, folders: ToolFolders): ToolResolution {
  if (toolPath.includes("\0")) return { kind: "path_forbidden", message: "the path holds a zero byte" };
  const path = realLocation(resolve(folders.storyDir, toolPath));
  if (![folders.storyDir, ...folders.allowed].some((folder) => isInside(path, realLocation(folder)))) {
    return {
      kind: "path_forbidden",
      message: `${toolPath} lies outside the story folder; allow its folder with --allow-tools`,
    };
  }
  const skill = skillNameOf(toolPath);
  const manifestFile = join(path, "tool.json");
  if (!existsSync(manifestFile)) {
    return { kind: "tool", tool: { skill, command: [path], limits: DEFAULT_LIMITS, grants: [], manifest: null } };
  }
  return resolveManifest(manifestFile, skill);
}

function resolveManifest(file: string, skill: string): ToolResolution {
  const reading = readJson(readFileSync(file, "utf8"));
  if (reading.kind !== "value") return { kind: "bad_manifest", message: `${file} is not valid JSON` };
  const parsed = parseDescriptor(reading.value);
  if (parsed.kind === "invalid") {
    const problems = parsed.problems.map(({ pointer, message }) => `${pointer || "/"}: ${message}`).join("; ");
    return { kind: "bad_manifest", message: `${file}: ${problems}` };
  }
  const manifest = parsed.descriptor;
  const command = resolveCommand(manifest.transport.command ?? [], dirname(file));
  const limits = withDefaults(manifest.limits ?? {});
  return { kind: "tool", tool: { skill, command, limits, grants: [], manifest } };
}

function withDefaults(asked: NonNullable<ModuleDescriptor["limits"]>): ToolLimits {
  const given = Object.entries(asked).filter(([, value]) => typeof value === "number");
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(given) };
}

/** A command's program is a file beside the manifest unless it is an interpreter's bare name. */
function resolveCommand(command: readonly string[], folder: string): string[] {
  const [program = "", ...args] = command;
  if (!program.includes("/")) return [program === "node" ? process.execPath : program, ...args.map(fileIn(folder))];
  return [resolve(folder, program), ...args];
}

/** An interpreter is given the file by its full path: its working directory is the story's, not the manifest's. */
function fileIn(folder: string): (argument: string) => string {
  return (argument) => {
    const file = resolve(folder, argument);
    return !argument.startsWith("-") && existsSync(file) && statSync(file).isFile() ? file : argument;
  };
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`));
}

/** The real path; where something does not exist, the real path of its nearest existing parent with the rest behind. */
export function realLocation(path: string, links = 40): string {
  try {
    return realpathSync(path);
  } catch {
    // A link to something that is not there yet leads where it points, not where it lies.
    if (links > 0 && isLink(path)) return realLocation(resolve(dirname(path), readlinkSync(path)), links - 1);
    const parent = dirname(path);
    return parent === path ? path : join(realLocation(parent, links), relative(parent, path));
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
