/** What is mounted in a story, in the words of `narratoria tools` and of the tools view. */
import type { ModuleKind, ToolProtocol } from "../../story/module-descriptor.ts";
import type { HealthOf, MountHealth } from "../mounts/mount-health.ts";
import type { Permissions } from "./permissions.ts";
import { inRealPlace } from "./policy.ts";
import type { MountedStory } from "../seams/resolved-tool.ts";

export interface MountSummary {
  name: string;
  /** The folder of the story it is mounted in. */
  story: string;
  protocol: ToolProtocol;
  kind: ModuleKind;
  description: string | null;
  /** What it needs; paths lead where they really lead. */
  capabilities: string[];
  /** What it was granted as it is now. */
  grants: string[];
  health: MountHealth;
}

export async function mountSummaries(
  story: MountedStory,
  permissions: Pick<Permissions, "grantsOf">,
  healthOf: HealthOf,
): Promise<MountSummary[]> {
  const summaries = [...story.mounts.values()].map(async (tool) => {
    const { skill, needs, manifest } = tool;
    return {
      name: skill,
      story: story.dir,
      protocol: manifest?.protocol ?? "narratoria/0",
      kind: manifest?.kind ?? "tool",
      description: manifest?.description ?? null,
      capabilities: needs.map((capability) => inRealPlace(capability, story.dir)),
      grants: await permissions.grantsOf({ storyDir: story.dir, tool }),
      health: healthOf(story.dir, skill),
    };
  });
  return Promise.all(summaries);
}
