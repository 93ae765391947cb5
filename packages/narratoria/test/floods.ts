/** The tools that say far too much (`adversary/doors/`), in one story: for the bench, which measures what others notice. */
import type { Flood } from "./adversary/door.ts";
import choices from "./adversary/doors/flood-choices.ts";
import keys from "./adversary/doors/flood-keys.ts";
import large from "./adversary/doors/flood-large-ui-events.ts";
import patches from "./adversary/doors/flood-patches.ts";
import ui from "./adversary/doors/flood-ui-events.ts";
import { storyOf } from "./adversary/door.ts";
import { makeStory, type MadeStory } from "./made-story.ts";

export const FLOODS: Readonly<Record<string, Flood>> = { keys, patches, choices, ui, large };

/** A prompt of a flood's name sets it off. */
export function makeFloodedStory(): MadeStory {
  const tools = Object.entries(FLOODS).map(([name, { script }]) => [`tools/${name}`, storyOf(script)["tools/it"]]);
  const plans = Object.keys(FLOODS).map((name) => {
    const tool = { toolId: name, toolPath: name, required: false, retryPolicy: { maxRetries: 0, backoffMs: 0 } };
    return { match: name, plan: { tools: [tool] }, narrative: "It is over." };
  });
  return makeStory({
    ...(Object.fromEntries(tools) as Record<string, string>),
    "plans.json": [{ opening: true, narrative: "A dam." }, ...plans],
    "story.json": { title: "The Dam", narrator: "stub" },
  });
}
