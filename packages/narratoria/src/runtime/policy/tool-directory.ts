/** The tools mounted in the stories there are, with what they need and what they were granted; grants can be changed. */
import type { HealthOf } from "../mounts/mount-health.ts";
import { mountSummaries, type MountSummary } from "./mount-summaries.ts";
import { readStoryFolder } from "../mounts/story-folder.ts";
import type { Permissions } from "./permissions.ts";
import { isCapability } from "../../story/capabilities.ts";
import type { Refusal, StorySummary } from "../seams/session-service.ts";

export interface ToolDirectory {
  list(): Promise<MountSummary[]>;
  grant(name: string, capability: string): Promise<Granted | Refusal>;
  /** What a policy file grants cannot be taken away here. */
  revoke(name: string, capability: string): Promise<Granted | Refusal>;
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
  const list = async (): Promise<MountSummary[]> => {
    const folders = stories().map(async ({ dir }) => ({ dir, mounts: (await readStoryFolder(dir)).mounts }));
    return (await Promise.all(folders)).flatMap((folder) => mountSummaries(folder, permissions, healthOf));
  };
  const check = async (name: string, capability: string): Promise<Refusal | null> => {
    if (!(await list()).some((tool) => tool.name === name)) return refuse("not_found", `there is no tool ${name}`);
    return isCapability(capability) ? null : refuse("bad_request", `${capability} is no capability`);
  };
  return {
    list,
    grant: async (name, capability) => {
      const refusal = await check(name, capability);
      if (refusal !== null) return refusal;
      permissions.grant(name, capability);
      return { granted: grantsOf(name) };
    },
    revoke: async (name, capability) => {
      const refusal = await check(name, capability);
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
