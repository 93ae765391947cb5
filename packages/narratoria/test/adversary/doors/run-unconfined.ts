import { readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Door } from "../door.ts";

export default {
  mustNot: "run a program of a story, of whatever protocol, below the full sandbox that nobody confirmed",
  attack: async (host) => {
    const [bin, marks] = [host.place(), host.place()];
    for (const name of ["sh", "env", "python3"]) symlinkSync(`/usr/bin/${name}`, join(bin, name));
    const leave = `open("${marks}/"+__name__,"w")`;
    const mount = (name: string, protocol: string, more: object): object => ({
      ...{ name, kind: "tool", protocol, transport: { type: "stdio", command: ["python3", "mark.py"] } },
      ...{ capabilities: [], ...more },
    });
    const mounts = [
      mount("plain", "narratoria/0", {}),
      mount("module", "amplifier/1", {}),
      mount("function", "namel3ss/1", { entry: "mark:run", transport: { type: "stdio" } }),
    ];
    const names = ["plain", "module", "function", "tools/bare"];
    const tools = names.map((toolPath) => ({ toolId: toolPath, toolPath, required: false }));
    const story = host.story({
      "story.json": { title: "T", mounts },
      "mark.py": leave,
      "tools/bare": `#!/usr/bin/python3\n${leave}\n`,
      "plan.json": { requestId: "r", narrative: "", tools },
    });
    const { stdout } = await host.command(["run", join(story, "plan.json")], { PATH: bin });
    const refused = stdout.match(/"code": "UNCONFINED"/g)?.length ?? 0;
    const left = readdirSync(marks);
    return left.length === 0 && refused >= names.length ? null : `${left.join()} ran: ${stdout}`;
  },
} satisfies Door;
