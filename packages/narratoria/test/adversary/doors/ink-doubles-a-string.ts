import type { Door } from "../door.ts";

const INK = `VAR s = "abcdefgh"
Here.
+ [Grow] -> grow(60)
== grow(n)
{ n == 0:
  {s}
  -> END
}
~ s = s + s
-> grow(n - 1)
`;

export default {
  mustNot: "take the host's memory by ink that doubles a string",
  once: true,
  attack: async (host) => {
    const session = await host.begin(host.story({ "story.ink": INK }));
    const view = session === null ? null : await host.say(session, "grow");
    return view?.turns.at(-1)?.status === "running" ? "the turn goes on" : null;
  },
} satisfies Door;
