import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Door } from "../door.ts";

export default {
  mustNot: "have compiled code loaded from the temporary folder that everybody shares",
  attack: async (host) => {
    const shared = host.place();
    const planted = join(shared, "node-compile-cache");
    mkdirSync(planted);
    for (const folder of [shared, planted]) chmodSync(folder, 0o1777);
    // Whoever runs the tests may have chosen a folder; a player has not.
    await host.command(["--help"], { TMPDIR: shared, NODE_COMPILE_CACHE: undefined });
    // Who reads there also writes there.
    if (readdirSync(planted).length > 0) return "it is used";
    const own = join(host.folder, "home/.cache/narratoria/compiled");
    const isPrivate = (statSync(own).mode & 0o077) === 0 && readdirSync(own).length > 0;
    return isPrivate ? null : "its own folder is open to others, or not used";
  },
} satisfies Door;
