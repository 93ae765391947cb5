/** Where a path really leads, and whether that lies inside a folder. */
import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** The real path; where something does not exist, the real path of its nearest existing parent with the rest behind. */
export function realLocation(path: string, links = 40): string {
  try {
    return realpathSync(path);
  } catch {
    // A link to something that is not there yet leads where it points, not where it lies.
    if (links > 0 && isLink(path)) return realLocation(resolve(dirname(path), readlinkSync(path)), links - 1);
    const parent = dirname(path);
    return parent === path ? path : join(realLocation(parent, links), relative(parent, path));
  }
}

/** Both must be real locations. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`));
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
