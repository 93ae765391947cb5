/** The tools mounted in the stories there are, with what they need and what they were granted; grants can be changed. */
import { readStoryFile } from "./load-story.ts";
import { findMounts } from "./mounts.ts";
import type { Permissions } from "./permissions.ts";
import { isCapability } from "./policy.ts";
import type { Refusal, StorySummary } from "./session-service.ts";

export interface ToolDirectory {
  list(): MountedTool[];
  grant(name: string, capability: string): Granted | Refusal;
  /** What a policy file grants cannot be taken away here. */
  revoke(name: string, capability: string): Granted | Refusal;
}

export interface MountedTool {
  name: string;
  /** The folder of the story it is mounted in. */
  story: string;
  protocol: string;
  /** What it needs. */
  capabilities: string[];
  /** What it was granted. */
  grants: string[];
}

export interface Granted {
  granted: string[];
}

export function createToolDirectory(
  stories: () => StorySummary[],
  permissions: Pick<Permissions, "grants" | "grant" | "revoke">,
): ToolDirectory {
  const grantsOf = (name: string): string[] => {
    const grants = permissions.grants();
    return Object.hasOwn(grants, name) ? [...(grants[name] ?? [])] : [];
  };
  const list = (): MountedTool[] =>
    stories().flatMap(({ dir }) =>
      [...findMounts(dir, readStoryFile(dir).file?.mounts ?? []).mounts.values()].map(({ skill, needs, manifest }) => ({
        name: skill,
        story: dir,
        protocol: manifest?.protocol ?? "narratoria/0",
        capabilities: [...needs],
        grants: grantsOf(skill),
      })),
    );
  const check = (name: string, capability: string): Refusal | null => {
    if (!list().some((tool) => tool.name === name)) return refuse("not_found", `there is no tool ${name}`);
    return isCapability(capability) ? null : refuse("bad_request", `${capability} is no capability`);
  };
  return {
    list,
    grant: (name, capability) => {
      const refusal = check(name, capability);
      if (refusal !== null) return refusal;
      permissions.grant(name, capability);
      return { granted: grantsOf(name) };
    },
    revoke: (name, capability) => {
      const refusal = check(name, capability);
      if (refusal !== null) return refusal;
      permissions.revoke(name, capability);
      const granted = grantsOf(name);
      if (!granted.includes(capability)) return { granted };
      return refuse("conflict", `${capability} is granted by the policy file; take it out there`);
    },
  };
}

function refuse(code: Refusal["code"], message: string): Refusal {
  return { kind: "refused", code, message };
}
