import { join } from "node:path";
import type { Door } from "../door.ts";

const EVIL = "a\u001b[8m\u001b[2J\u009b2J\u001b]0;owned\u0007\u202e\u2066\u061c\r\nnarratoria: all is well";

export default {
  mustNot: "steer the terminal, or begin a line of its own there, by any name in a story or a plan",
  attack: async (host) => {
    const transport = { type: "stdio", command: [EVIL] };
    const mount = { name: EVIL, kind: "tool", protocol: "narratoria/0", transport, capabilities: [`fs.read:/${EVIL}`] };
    const tools = [{ toolId: EVIL, toolPath: EVIL, [EVIL]: 1, dependencies: [EVIL] }];
    const story = host.story({
      "story.json": {
        title: EVIL,
        [EVIL]: 1,
        mounts: [
          { ...mount, description: EVIL },
          { ...mount, protocol: EVIL },
        ],
      },
      [`tools/${EVIL.replaceAll("/", "")}/tool.json`]: { [EVIL]: EVIL },
      "plan.json": { requestId: EVIL, narrative: EVIL, tools },
      // What is told may have lines of its own.
      "plans.json": [{ opening: true, narrative: EVIL.replaceAll("\n", " "), choices: [EVIL], [EVIL]: EVIL }],
    });
    const commands = [
      ["tools", "--story", story],
      ["run", join(story, "plan.json")],
      ["play", "--story", story, "--script", join(story, "plan.json")],
    ];
    for (const args of commands) {
      const { stdout, stderr } = await host.command(args);
      const found = STEERING.exec(stdout + stderr);
      if (found !== null) return `${args[0]} prints ${JSON.stringify(found[0])}: ${JSON.stringify(stdout + stderr)}`;
    }
    return null;
  },
} satisfies Door;

const STEERING =
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point.
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u202a-\u202e\u2066-\u2069]|^narratoria: all is/m;
