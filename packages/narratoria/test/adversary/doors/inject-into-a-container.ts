import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Door } from "../door.ts";

export default {
  mustNot: "add to the command line of a container by a path, or read a secret or want a right there",
  once: true,
  attack: async (host) => {
    const place = host.place();
    // A docker that writes down what it is told.
    const docker = `#!/bin/sh\nprintf '%s\\n' "$@" >> ${place}/said\necho '{"ok": true, "result": 1}'\n`;
    writeFileSync(join(place, "docker"), docker, { mode: 0o755 });
    mkdirSync(join(place, "a,readonly=false,source=b"));
    const start = async (scope: string): Promise<string> => {
      const needs = [`fs.read:${scope}`, "secrets.read:DOOR_SECRET"];
      const box = { name: "it", kind: "tool", protocol: "namel3ss/1", entry: "a:b", transport: { type: "stdio" } };
      const mounts = [{ ...box, capabilities: needs, container: { image: "box:1" } }];
      const story = host.story({
        "story.json": { title: "T", mounts },
        "plan.json": { requestId: "r", narrative: "", tools: [{ toolId: "it", toolPath: "it" }] },
        "policy.json": { grants: { it: [...needs, "exec.spawn:box:1"] } },
      });
      const args = ["run", join(story, "plan.json"), "--policy", join(story, "policy.json")];
      await host.command(args, { PATH: `${place}:${process.env["PATH"]}` });
      return existsSync(join(place, "said")) ? readFileSync(join(place, "said"), "utf8") : "";
    };
    const injected = await start(join(place, "a,readonly=false,source=b"));
    if (injected.includes("--mount")) return `it is started: ${injected}`;
    const said = await start(place);
    const confined = [
      "--network\nnone",
      "--cap-drop\nALL",
      "no-new-privileges",
      "--read-only",
      "--user",
      "--pull=never",
    ];
    const missing = confined.filter((words) => !said.includes(words));
    return said.includes("swordfish") || missing.length > 0 ? `without ${missing.join()}: ${said}` : null;
  },
} satisfies Door;
