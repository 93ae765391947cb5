/** Where a path really leads, and whether that lies inside a folder. */
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** No system knows a longer one: what lies deeper does not exist. */
const MOST_PATH = 4096;

/**
 * The real path; where something does not exist, the real path of its nearest existing parent with the rest behind.
 * Never throws, whatever the path: stories and plans name them.
 */
export function realLocation(path: string, links = 40): string {
  let place = path.length <= MOST_PATH ? path : path.slice(0, Math.max(1, path.lastIndexOf(sep, MOST_PATH)));
  for (;;) {
    const real = findReal(place, links);
    if (real !== null) return join(real, relative(place, path));
    const parent = dirname(place);
    if (parent === place) return path;
    place = parent;
  }
}

/** Asked of the system at once; in JavaScript each folder on the way would be a question. */
const realPath = process.platform === "win32" ? realpathSync : realpathSync.native;

function findReal(place: string, links: number): string | null {
  try {
    // Asked first: an error made at each of two thousand steps takes its time.
    if (existsSync(place)) return realPath(place);
    // A link to something that is not there yet leads where it points, not where it lies.
    if (links > 0 && isLink(place)) return realLocation(resolve(dirname(place), readlinkSync(place)), links - 1);
  } catch {
    // Too long, not for us to look at, no path at all, or gone meanwhile.
  }
  return null;
}

/** Both must be real locations. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`));
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
