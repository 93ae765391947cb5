import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Door } from "../door.ts";

export default {
  mustNot: "read or change, as another user, anything of what is kept",
  attack: async (host) => {
    await host.say((await host.begin()) ?? "", "paint");
    const data = join(host.folder, "data");
    const open = ["", ...readdirSync(data, { recursive: true, encoding: "utf8" })].filter(
      (name) => (lstatSync(join(data, name)).mode & 0o077) !== 0,
    );
    return open.length === 0 ? null : `open to others: ${open.join()}`;
  },
} satisfies Door;
