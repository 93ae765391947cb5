/**
 * Modules that tell a story or keep its context are called before any plan is made, and so before anybody is asked about
 * a tool. Whether they may run below the full sandbox is asked here; `call-module.ts` refuses what was not confirmed.
 */
import type { Player } from "../seams/player.ts";
import { isToolOfPlans, type ResolvedTool } from "../seams/resolved-tool.ts";
import type { Permissions } from "./permissions.ts";

export async function confirmModules(
  permissions: Pick<Permissions, "judge" | "decide">,
  story: { dir: string; mounts: ReadonlyMap<string, ResolvedTool> },
  player: Player,
): Promise<void> {
  for (const tool of story.mounts.values()) {
    const mount = { storyDir: story.dir, tool };
    if (isToolOfPlans(tool)) continue;
    const { refusal } = await permissions.judge(mount);
    if (refusal?.code === "UNCONFINED") await permissions.decide({ ...mount, toolId: tool.skill }, player);
  }
}
