import type { Door } from "../door.ts";

const steps = Array.from({ length: 30 }, (_, n) => `a${n}: &a${n} [*a${n - 1}, *a${n - 1}, *a${n - 1}]`);
const SKILL = `---\nname: a\ndescription: d\na-1: &a-1 [x]\n${steps.join("\n")}\n---\n`.replaceAll("a-1", "b");

export default {
  mustNot: "fill memory by YAML whose aliases triple thirty times",
  attack: async (host) => {
    const story = host.story({ "story.ink": "Here.\n", "skills/a/SKILL.md": SKILL, "skills/a/scripts/x.py": "" });
    const session = await host.begin(story);
    const tools = JSON.stringify((await host.api("GET", "/api/tools")).body);
    return session === null || tools.length < 1_000_000 ? null : "the skill is told of in more than a megabyte";
  },
} satisfies Door;
