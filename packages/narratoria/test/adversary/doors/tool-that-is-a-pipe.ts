import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Door } from "../door.ts";

export default {
  mustNot: "block the host for good by a named pipe in the place of a tool or its program",
  attack: async (host) => {
    const transport = { type: "stdio", command: ["./pipe"] };
    const mount = { name: "it", kind: "tool", protocol: "narratoria/0", transport, capabilities: [] };
    const plans = ["pipe", "it"].map((toolPath) => ({ match: toolPath, plan: { tools: [{ toolId: "t", toolPath }] } }));
    const story = host.story({ "story.json": { title: "T", mounts: [mount] }, "plans.json": plans });
    execFileSync("mkfifo", ["-m", "644", join(story, "pipe")]);
    const session = await host.begin(story);
    for (const prompt of ["pipe", "it"]) {
      const turn = (await host.say(session ?? "", prompt)).turns.at(-1);
      if (turn?.status !== "completed") return `${prompt}: the turn is ${turn?.status}`;
    }
    return null;
  },
} satisfies Door;
