import { storyOf, type Door } from "../door.ts";
import { processesWorkingIn } from "../../processes.ts";

/** Answers, and then works on without end. */
const MODULE = `
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  const said = method === "describe" ? { name: "it", kind: "tool", capabilities: [] } : { ok: true, result: {}, status: "ok" };
  console.log(JSON.stringify({ id, ...said }));
  if (method === "invoke") setInterval(() => { for (const end = Date.now() + 90; Date.now() < end; ); }, 100);
}
`;

export default {
  mustNot: "work on, by a module, when its session is deleted",
  attack: async (host) => {
    const transport = { type: "stdio", command: ["node", "module.mjs"] };
    const mount = { name: "it", kind: "tool", protocol: "amplifier/1", transport, capabilities: [] };
    const { "tools/it": _, ...files } = storyOf("", {
      "story.json": { title: "The Door", narrator: "stub", mounts: [mount] },
      "module.mjs": MODULE,
    });
    const story = host.story(files);
    const session = (await host.begin(story)) ?? "";
    const view = await host.say(session, "go");
    if (view.turns.at(-1)?.tools[0]?.status !== "completed") return `it does not run: ${JSON.stringify(view.turns)}`;
    if (processesWorkingIn(story).length === 0) return "there is nothing to end";
    await host.api("DELETE", `/api/sessions/${session}`);
    const left = processesWorkingIn(story);
    return left.length === 0 ? null : `left: ${left.join()}`;
  },
} satisfies Door;
