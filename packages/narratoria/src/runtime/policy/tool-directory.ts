/** The tools mounted in the stories there are, with what they need and what they were granted; grants can be changed. */
import { readStoryFile } from "../mounts/load-story.ts";
import type { HealthOf } from "../mounts/mount-health.ts";
import { mountSummaries, type MountSummary } from "./mount-summaries.ts";
import { findMounts } from "../mounts/mounts.ts";
import type { Permissions } from "./permissions.ts";
import { isCapability } from "../../story/capabilities.ts";
import type { Refusal, StorySummary } from "../seams/session-service.ts";

export interface ToolDirectory {
  list(): MountSummary[];
  grant(name: string, capability: string): Granted | Refusal;
  /** What a policy file grants cannot be taken away here. */
  revoke(name: string, capability: string): Granted | Refusal;
}

export interface Granted {
  granted: string[];
}

export function createToolDirectory(
  stories: () => StorySummary[],
  permissions: Pick<Permissions, "grants" | "grant" | "revoke">,
  healthOf?: HealthOf,
): ToolDirectory {
  const grantsOf = (name: string): string[] => {
    const grants = permissions.grants();
    return Object.hasOwn(grants, name) ? [...(grants[name] ?? [])] : [];
  };
  const list = (): MountSummary[] =>
    stories().flatMap(({ dir }) => {
      const { mounts } = findMounts(dir, readStoryFile(dir).file?.mounts ?? []);
      return mountSummaries({ dir, mounts }, permissions, healthOf);
    });
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
