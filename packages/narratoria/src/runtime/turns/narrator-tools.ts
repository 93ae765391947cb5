/**
 * The tools a narrator is told of: what plans may use, with what each takes, reads and changes. Some are started to say
 * that; of one that may not run now, its manifest is all there is.
 */
import type { ToolRegistry } from "../mounts/tool-registry.ts";
import type { Permissions } from "../policy/permissions.ts";
import type { NarratorTool } from "../seams/narrator.ts";
import { isToolOfPlans, type MountedStory, type ResolvedTool, type StoryIdentity } from "../seams/resolved-tool.ts";
import type { ToolOffer, ToolRunner } from "../seams/tool-runner.ts";

export type DescribeTools = (story: StoryIdentity & MountedStory, signal: AbortSignal) => Promise<NarratorTool[]>;

/** Asks a mount once what it offers: a changed mount is another one, with another reference. */
export function describeTools(
  registry: ToolRegistry,
  runner: Pick<ToolRunner, "offers">,
  permissions: Pick<Permissions, "judge">,
): DescribeTools {
  const known = new Map<string, Promise<ToolOffer[]>>();

  async function offersOf(story: StoryIdentity, tool: ResolvedTool, signal: AbortSignal): Promise<ToolOffer[]> {
    const { refusal } = await permissions.judge({ storyDir: story.dir, tool });
    if (refusal !== null) return [offerOfManifest(tool)];
    const reference = registry.refer(story, tool);
    const key = JSON.stringify(reference);
    const asked = known.get(key) ?? runner.offers(reference, signal);
    known.set(key, asked);
    // Who could not say it now may be able to next time.
    asked.then((offers) => offers.length === 0 && known.delete(key)).catch(() => known.delete(key));
    return asked.catch(() => []);
  }

  return async (story, signal) => {
    const tools = [...story.mounts.values()].filter(isToolOfPlans);
    const described = tools.map(async (tool) => {
      const offers = await offersOf(story, tool, signal);
      return offers.map((offer) => ({ name: tool.skill, ...scopeOf(tool), ...offer }));
    });
    return (await Promise.all(described)).flat();
  };
}

function offerOfManifest({ manifest }: ResolvedTool): ToolOffer {
  return { operation: "run", description: manifest?.description ?? null, inputs: manifest?.inputs ?? null };
}

/** A tool without a manifest is sent everything, and may change everything. */
function scopeOf({ manifest }: ResolvedTool): Pick<NarratorTool, "reads" | "writes"> {
  if (manifest === null) return { reads: null, writes: null };
  return { reads: manifest.reads ?? [], writes: manifest.writes ?? null };
}
