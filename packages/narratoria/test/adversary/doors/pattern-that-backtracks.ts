import type { Door } from "../door.ts";

export default {
  mustNot: "hold up others by a pattern of a story that backtracks for ever",
  once: true,
  attack: async (host) => {
    const story = host.story({ "plans.json": [{ pattern: "/^(a+)+$/", narrative: "Aaah." }] });
    const session = await host.begin(story);
    const view = await host.say(session ?? "", `${"a".repeat(60)} 1`);
    const told = JSON.stringify(view.turns.at(-1)?.passages);
    return told.includes("a".repeat(60)) ? null : `the prompt ends in a dead end: ${told}`;
  },
} satisfies Door;
