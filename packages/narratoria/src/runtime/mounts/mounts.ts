/**
 * What is mounted in a story: the manifests its `story.json` declares, what lies in its `tools/` and `skills/` (Agent
 * Skills too), and the tools of a namel3ss project that lives in the same folder.
 */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import type { Json } from "@narratoria/tool/json";
import { readAgentSkill, SKILL_FILE } from "./agent-skill.ts";
import type { MountProblem } from "./mount-problem.ts";
import { entriesIn } from "./folder-names.ts";
import { readNamel3ssProject } from "./namel3ss-project.ts";
import { mountManifest, readManifest, type ManifestReading } from "./read-manifest.ts";
import { isInside, realLocation } from "./real-location.ts";
import { bareTool } from "./resolve-tool.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";

export interface Mounts {
  mounts: Map<string, ResolvedTool>;
  problems: MountProblem[];
}

/** Where mounts lie in a story's folder, beside those that `story.json` declares. */
export const MOUNT_FOLDERS: readonly string[] = ["tools", "skills"];
/** In each of these folders, and in `story.json`. */
const MOST_MOUNTS = 1_000;

/** `declared` is `story.json`'s list of manifests. One broken mount never hides the others. */
export function findMounts(storyDir: string, declared: readonly Json[]): Mounts {
  const mounts = new Map<string, ResolvedTool>();
  const problems: MountProblem[] = [];

  function add(reading: ManifestReading, file: string, at: string): void {
    if (reading.kind === "invalid") {
      for (const { pointer, message } of reading.problems) problems.push({ file, pointer: at + pointer, message });
    } else if (mounts.has(reading.tool.skill)) {
      problems.push({ file, pointer: `${at}/name`, message: `another mount is called ${reading.tool.skill} already` });
    } else {
      mounts.set(reading.tool.skill, reading.tool);
    }
  }

  if (declared.length > MOST_MOUNTS) problems.push(tooMany("story.json", "/mounts"));
  declared.slice(0, MOST_MOUNTS).forEach((manifest, index) => {
    add(mountManifest(manifest, storyDir, storyDir), "story.json", `/mounts/${index}`);
  });
  for (const folder of MOUNT_FOLDERS) {
    const entries = entriesIn(join(storyDir, folder), MOST_MOUNTS + 1);
    if (entries.length > MOST_MOUNTS) problems.push(tooMany(folder, ""));
    for (const { name } of entries.slice(0, MOST_MOUNTS)) {
      const path = join(storyDir, folder, name);
      const manifestFile = join(path, "tool.json");
      const skillFile = join(folder, name, SKILL_FILE);
      if (existsSync(manifestFile)) add(readManifest(manifestFile, storyDir), join(folder, name, "tool.json"), "");
      else if (existsSync(join(storyDir, skillFile))) {
        for (const reading of readAgentSkill(path, storyDir)) add(reading, skillFile, "");
      } else if (folder === "tools" && isExecutableFile(path)) {
        const skill = name.slice(0, name.length - extname(name).length);
        if (!isInside(realLocation(path), realLocation(storyDir))) {
          problems.push({ file: join(folder, name), pointer: "", message: "it leads out of the story folder" });
          continue;
        }
        // A manifest says more: an executable beside it with the same name is what the manifest runs.
        if (!mounts.has(skill)) mounts.set(skill, bareTool(path, skill));
      }
    }
  }
  const project = readNamel3ssProject(storyDir);
  problems.push(...project.problems);
  for (const { tool, file, pointer } of project.tools) add({ kind: "tool", tool }, file, pointer);
  for (const [name, tool] of mounts) mounts.set(name, withTimeout(tool, project.timeoutMs));
  return { mounts, problems };
}

/** The project's own time limit, for Python tools that name none. */
function withTimeout(tool: ResolvedTool, timeoutMs: number | null): ResolvedTool {
  const { manifest } = tool;
  if (timeoutMs === null || manifest?.protocol !== "namel3ss/1" || manifest.timeoutMs !== undefined) return tool;
  return { ...tool, manifest: { ...manifest, timeoutMs } };
}

function tooMany(file: string, pointer: string): MountProblem {
  return { file, pointer, message: `there are more than ${MOST_MOUNTS} mounts; the rest is left out` };
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
