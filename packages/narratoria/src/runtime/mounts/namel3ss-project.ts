/**
 * An existing namel3ss project in a story's folder: the tools of `.namel3ss/tools.yaml` and of the packs it enabled. `mounts.ts`
 * mounts them beside the story's own.
 */
import { formatPointer } from "../../story/json-pointer.ts";
import type { MountProblem } from "./mount-problem.ts";
import { mountBinding } from "./namel3ss-binding.ts";
import { readMapping, readProjectYaml } from "./namel3ss-files.ts";
import { readPacks, type PackTool } from "./namel3ss-packs.ts";
import { readSettings } from "./namel3ss-settings.ts";

export const TOOLS_FILE = ".namel3ss/tools.yaml";

export interface Namel3ssProject {
  /** Packs come first: a binding does not take the place of a pack's tool. */
  tools: PackTool[];
  /** For tools that name no time limit of their own. */
  timeoutMs: number | null;
  problems: MountProblem[];
}

export function readNamel3ssProject(storyDir: string): Namel3ssProject {
  const problems: MountProblem[] = [];
  const settings = readSettings(storyDir, problems);
  const tools = readPacks(storyDir, settings, problems);
  const context = { storyDir, dir: storyDir, file: TOOLS_FILE, at: ["tools"], url: settings.serviceUrl };
  const yaml = readProjectYaml(storyDir, TOOLS_FILE, problems);
  for (const [name, binding] of readMapping(TOOLS_FILE, "tools", yaml, problems)) {
    const tool = mountBinding(name, binding, context, problems);
    if (tool !== null) tools.push({ tool, file: TOOLS_FILE, pointer: formatPointer(["tools", name]) });
  }
  return { tools, timeoutMs: settings.timeoutMs, problems };
}
