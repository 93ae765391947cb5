/** What is mounted in a story, in the words of `narratoria tools` and of the tools view. */
import type { ModuleKind, ToolProtocol } from "../../story/module-descriptor.ts";
import { UNKNOWN_HEALTH, type HealthOf, type MountHealth } from "../mounts/mount-health.ts";
import type { Permissions } from "./permissions.ts";
import type { ResolvedTool } from "../seams/resolved-tool.ts";

export interface MountSummary {
  name: string;
  /** The folder of the story it is mounted in. */
  story: string;
  protocol: ToolProtocol;
  kind: ModuleKind;
  description: string | null;
  /** What it needs. */
  capabilities: string[];
  /** What it was granted. */
  grants: string[];
  health: MountHealth;
}

export function mountSummaries(
  story: { dir: string; mounts: ReadonlyMap<string, ResolvedTool> },
  permissions: Pick<Permissions, "grants">,
  healthOf: HealthOf = () => UNKNOWN_HEALTH,
): MountSummary[] {
  const grants = new Map(Object.entries(permissions.grants()));
  return [...story.mounts.values()].map(({ skill, needs, manifest }) => ({
    name: skill,
    story: story.dir,
    protocol: manifest?.protocol ?? "narratoria/0",
    kind: manifest?.kind ?? "tool",
    description: manifest?.description ?? null,
    capabilities: [...needs],
    grants: [...(grants.get(skill) ?? [])],
    health: healthOf(story.dir, skill),
  }));
}
