/**
 * What is mounted in a story: the manifests its `story.json` declares, what lies in its `tools/` and `skills/` (Agent
 * Skills too), and the tools of a namel3ss project that lives in the same folder.
 */
import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import type { Json } from "@narratoria/tool/json";
import { formatPointer } from "../../story/json-pointer.ts";
import { readAgentSkill, SKILL_FILE } from "./agent-skill.ts";
import type { MountProblem } from "./mount-problem.ts";
import { readNamel3ssProject } from "./namel3ss-project.ts";
import { mountManifest, readManifest, type ManifestReading } from "./read-manifest.ts";
import { isInside, realLocation } from "./real-location.ts";
import { bareTool } from "./resolve-tool.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";

export interface Mounts {
  mounts: Map<string, ResolvedTool>;
  problems: MountProblem[];
}

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

  declared.forEach((manifest, index) => {
    add(mountManifest(manifest, storyDir, storyDir), "story.json", `/mounts/${index}`);
  });
  for (const folder of ["tools", "skills"]) {
    for (const name of namesIn(join(storyDir, folder))) {
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
  for (const tool of project.tools) {
    add({ kind: "tool", tool }, ".namel3ss/tools.yaml", formatPointer(["tools", tool.skill]));
  }
  for (const [name, tool] of mounts) mounts.set(name, withTimeout(tool, project.timeoutMs));
  return { mounts, problems };
}

/** The project's own time limit, for Python tools that name none. */
function withTimeout(tool: ResolvedTool, timeoutMs: number | null): ResolvedTool {
  const { manifest } = tool;
  if (timeoutMs === null || manifest?.protocol !== "namel3ss/1" || manifest.timeoutMs !== undefined) return tool;
  return { ...tool, manifest: { ...manifest, timeoutMs } };
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
