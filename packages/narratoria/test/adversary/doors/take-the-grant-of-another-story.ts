import { renameSync } from "node:fs";
import { askingStory, type Door } from "../door.ts";

export default {
  mustNot: "use what was granted to a tool of the same name in another story, a copy of it or a renamed one",
  attack: async (host) => {
    const granted = host.story(askingStory(["net.fetch"]));
    const first = (await host.begin(granted)) ?? "";
    await host.say(first, "go");
    await host.answer(first, "always");
    if ((await host.say(first, "go")).asks.length > 0) return "what was granted is not";
    const copy = host.story(askingStory(["net.fetch"]));
    const renamed = host.story(askingStory(["net.fetch"]));
    renameSync(renamed, `${renamed}-renamed`);
    for (const story of [copy, `${renamed}-renamed`]) {
      const session = (await host.begin(story)) ?? "";
      if ((await host.say(session, "go")).asks.length === 0) return `nobody is asked in ${story}`;
      await host.answer(session, "no");
    }
    return null;
  },
} satisfies Door;
