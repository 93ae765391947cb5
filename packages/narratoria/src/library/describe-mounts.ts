/** What is mounted in a story's folder, what each mount asks for and was granted, and what could not be mounted. */
import { join, resolve } from "node:path";
import { NOTHING_KNOWN } from "../runtime/mounts/mount-health.ts";
import { readStoryFolder } from "../runtime/mounts/story-folder.ts";
import type { StoryProblem } from "../runtime/mounts/story-problem.ts";
import { mountSummaries, type MountSummary } from "../runtime/policy/mount-summaries.ts";
import { createPermissions } from "../runtime/policy/permissions.ts";
import type { Policy } from "../runtime/policy/policy.ts";
import { createToolContents } from "../runtime/policy/tool-content.ts";
import { DATA_FILES } from "../stores/data-folder-check.ts";
import { createGrantFile } from "../stores/grant-file.ts";

export interface StoryMounts {
  /** The folder's name when the story has none of its own. */
  title: string;
  tools: MountSummary[];
  problems: StoryProblem[];
}

/** Nothing is run, and what people granted is read from `dataDir`. */
export async function describeMounts(storyDir: string, dataDir: string, policy: Policy): Promise<StoryMounts> {
  const dir = resolve(storyDir);
  const permissions = createPermissions({
    policy,
    policyHoldsFor: () => true,
    contents: createToolContents({ hidden: [dataDir] }),
    keeper: createGrantFile(join(dataDir, DATA_FILES.grants)),
    // Nothing runs here.
    level: "full",
    allowUnconfined: false,
    mayAsk: false,
  });
  const { file, fileProblems, mounts, mountProblems } = await readStoryFolder(dir);
  return {
    title: file.title ?? dir,
    tools: await mountSummaries({ dir, mounts }, permissions, NOTHING_KNOWN),
    problems: [...fileProblems, ...mountProblems],
  };
}
