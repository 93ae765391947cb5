/** Folders that stay out of sight although what a tool may see contains them, like a data folder inside a story. */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { isInside, realLocation } from "../runtime/mounts/real-location.ts";
import type { Mount } from "./bubblewrap-arguments.ts";

export function hiddenMounts(hidden: readonly string[], visible: readonly string[]): Mount[] {
  const mounts: Mount[] = [];
  for (const folder of hidden.filter((path) => existsSync(path)).map((path) => realLocation(path))) {
    for (const place of visible) {
      const real = realLocation(place);
      // The story itself may be kept in the data folder: what was asked for stays visible.
      if (folder !== real && isInside(folder, real))
        mounts.push({ place: join(place, relative(real, folder)), how: "--tmpfs" });
    }
  }
  return mounts;
}
