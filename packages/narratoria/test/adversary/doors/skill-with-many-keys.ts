import type { Door } from "../door.ts";

const KEYS = Array.from({ length: 60_000 }, (_, index) => `k${index}: 1`).join("\n");

export default {
  mustNot: "hold up others by a SKILL.md with sixty thousand keys",
  once: true,
  attack: async (host) => {
    const story = host.story({ "story.ink": "Here.\n", "skills/a/SKILL.md": `---\n${KEYS}\n---\n` });
    const [session, other] = await Promise.all([host.begin(story), host.begin()]);
    await host.say(other ?? "", "light");
    return session === null ? "the whole story is refused" : null;
  },
} satisfies Door;
