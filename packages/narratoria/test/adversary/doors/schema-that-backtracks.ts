import { storyOf, type Door } from "../door.ts";

const MODULE = `
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  const inputs = { properties: { text: { pattern: "^(a+)+$" } } };
  const said = method === "describe" ? { name: "it", kind: "tool", version: "1.0.0", capabilities: [], inputs } : { ok: true, result: {}, status: "ok" };
  console.log(JSON.stringify({ id, ...said }));
}
`;

export default {
  mustNot: "hold up others by a schema of a module that backtracks for ever",
  once: true,
  attack: async (host) => {
    const transport = { type: "stdio", command: ["node", "module.mjs"] };
    const mount = { name: "it", version: "1.0.0", kind: "tool", protocol: "amplifier/1", transport, capabilities: [] };
    const input = { text: `${"a".repeat(60)}!` };
    const { "tools/it": _, ...files } = storyOf("", {
      "story.json": { title: "The Door", narrator: "stub", mounts: [mount] },
      "plans.json": [{ match: "go", plan: { tools: [{ toolId: "it", toolPath: "it", input, required: false }] } }],
      "module.mjs": MODULE,
    });
    const session = await host.begin(host.story(files));
    if (session === null) return "the story is refused";
    const going = host.say(session, "go");
    const other = await host.begin();
    await host.say(other ?? "", "light");
    await going;
    return null;
  },
} satisfies Door;
