/** The tools mounted in the stories there are, with what they need and what they were granted; grants can be changed. */
import { isCapability } from "../../story/capabilities.ts";
import type { HealthOf } from "../mounts/mount-health.ts";
import { realLocation } from "../mounts/real-location.ts";
import { readStoryFolder } from "../mounts/story-folder.ts";
import type { Mounted, MountedStory } from "../seams/resolved-tool.ts";
import type { Refusal, StorySummary } from "../seams/session-service.ts";
import { mountSummaries, type MountSummary } from "./mount-summaries.ts";
import type { Permissions } from "./permissions.ts";
import { inRealPlace } from "./policy.ts";

export interface ToolDirectory {
  list(): Promise<MountSummary[]>;
  grant(tool: ToolName, capability: string): Promise<Granted | Refusal>;
  /** What a policy file grants cannot be taken away here. */
  revoke(tool: ToolName, capability: string): Promise<Granted | Refusal>;
}

export interface ToolName {
  name: string;
  /** The folder of the story it is mounted in; needed where several stories have a mount of that name. */
  story?: string | undefined;
}

export interface Granted {
  granted: string[];
}

export function createToolDirectory(
  stories: () => StorySummary[],
  permissions: Pick<Permissions, "grantsOf" | "grant" | "revoke">,
  healthOf: HealthOf,
): ToolDirectory {
  const folders = (): Promise<MountedStory[]> =>
    Promise.all(stories().map(async ({ dir }) => ({ dir, mounts: (await readStoryFolder(dir)).mounts })));

  async function find({ name, story }: ToolName, capability: string): Promise<Mounted | Refusal> {
    if (!isCapability(capability)) return refuse("bad_request", `${capability} is no capability`);
    const found = (await folders()).flatMap(({ dir, mounts }) => {
      const tool = mounts.get(name);
      const isMeant = story === undefined || realLocation(dir) === realLocation(story);
      return tool === undefined || !isMeant ? [] : [{ storyDir: dir, tool }];
    });
    const [mount] = found;
    if (mount === undefined) return refuse("not_found", `there is no tool ${name}`);
    return found.length === 1
      ? mount
      : refuse("bad_request", `several stories have a tool ${name}; say which with story`);
  }

  return {
    list: async () => {
      const lists = (await folders()).map((folder) => mountSummaries(folder, permissions, healthOf));
      return (await Promise.all(lists)).flat();
    },
    grant: async (tool, capability) => {
      const mount = await find(tool, capability);
      if ("kind" in mount) return mount;
      const outcome = await permissions.grant(mount, capability);
      if (outcome.kind === "granted") return { granted: await permissions.grantsOf(mount) };
      return refuse("conflict", `${tool.name} can only be allowed when it asks: it ${outcome.why}`);
    },
    revoke: async (tool, capability) => {
      const mount = await find(tool, capability);
      if ("kind" in mount) return mount;
      const place = inRealPlace(capability, mount.storyDir);
      permissions.revoke(mount, capability);
      permissions.revoke(mount, place);
      const granted = await permissions.grantsOf(mount);
      if (!granted.includes(capability) && !granted.includes(place)) return { granted };
      return refuse("conflict", `${capability} is granted by the policy file; take it out there`);
    },
  };
}

function refuse(code: Refusal["code"], message: string): Refusal {
  return { kind: "refused", code, message };
}
