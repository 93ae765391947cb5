import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Door } from "../door.ts";

const FILES = ["story.json", "story.ink", "tools/a/tool.json", "skills/a/SKILL.md", "namel3ss.toml"];

export default {
  mustNot: "take the host's time or memory by files of a story that lead to /dev/zero",
  attack: async (host) => {
    for (const file of FILES) {
      const others = { "story.ink": "Here.\n", "tools/a/x": "", "skills/a/x": "" };
      if (file === "story.ink") others["story.ink"] = "INCLUDE other.ink\n";
      const story = host.story(others);
      symlinkSync("/dev/zero", join(story, file === "story.ink" ? "other.ink" : file));
      const isTold = (await host.begin(story)) !== null;
      if (isTold === file.startsWith("story")) return `${file}: the story ${isTold ? "is told" : "is refused"}`;
      if ((await host.api("GET", "/api/tools")).status !== 200) return `${file}: the tools cannot be listed`;
    }
    return null;
  },
} satisfies Door;
