import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Door } from "../door.ts";

export default {
  mustNot: "take for a story a folder in which somebody lives or keeps keys, by a link neither",
  attack: async (host) => {
    const place = host.place();
    symlinkSync(join(host.folder, "home"), join(place, "linked-home"));
    const keys = { ".ssh/x": "", id_ed25519: "", ".aws/x": "", "server.pem": "", ".netrc": "" };
    const withKeys = Object.keys(keys).map((name) => host.story({ "story.ink": "Here.\n", [name]: "" }));
    const inKeys = join(place, ".gnupg/story");
    mkdirSync(inKeys, { recursive: true });
    writeFileSync(join(inKeys, "story.ink"), "Here.\n");
    const folders = ["/", "/etc", "/proc/self", host.folder, join(host.folder, "home"), join(host.folder, "data")];
    for (const folder of [...folders, join(place, "linked-home"), inKeys, ...withKeys])
      if ((await host.begin(folder)) !== null) return `${folder} is told from`;
    return null;
  },
} satisfies Door;
