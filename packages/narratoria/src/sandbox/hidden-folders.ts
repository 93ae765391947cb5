/** Folders that stay out of sight although what a tool may see contains them, like a data folder inside a story. */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { isInside, realLocation } from "../runtime/mounts/real-location.ts";
import type { Mount } from "./bubblewrap-arguments.ts";

export function hiddenMounts(hidden: readonly string[], visible: readonly string[]): Mount[] {
  const places = visible.flatMap((folder) => hiddenWithin(folder, hidden));
  return places.map((place): Mount => ({ place, how: "--tmpfs" }));
}

/** Those that lie in a folder, as paths in it. */
export function hiddenWithin(folder: string, hidden: readonly string[]): string[] {
  const real = realLocation(folder);
  const places = hidden.filter((path) => existsSync(path)).map((path) => realLocation(path));
  // The story itself may be kept in the data folder: what was asked for stays visible.
  const within = places.filter((place) => place !== real && isInside(place, real));
  return within.map((place) => join(folder, relative(real, place)));
}
