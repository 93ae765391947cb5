import type { Door } from "../door.ts";

export default {
  mustNot: "stop the host by a story.json of two hundred thousand levels",
  attack: async (host) => {
    const deep = `{"state":${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}}`;
    const session = await host.begin(host.story({ "story.ink": "Here.\n", "story.json": deep }));
    return session === null ? null : "it is told";
  },
} satisfies Door;
