/**
 * Where granted paths lie. Who may write to a folder can put a link into it, and a grant below it would then lead
 * elsewhere: such a link is refused when a tool starts, in the sandbox and in a container.
 */
import { lstatSync, readlinkSync, statSync, type BigIntStats } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

export type GrantedPlace =
  | { kind: "place"; path: string; identity: string | null }
  | { kind: "refused"; reason: string };

/** Links of the system's own (`/var/run`) are followed: only root makes those, and no tool is root. */
export function findPlace(path: string, links = 40): GrantedPlace {
  const [, ...names] = resolve(path).split(sep);
  let at: string = sep;
  for (const [index, name] of names.entries()) {
    at = join(at, name);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined) return { kind: "place", path: resolve(path), identity: null };
    if (!stat.isSymbolicLink()) continue;
    const target = resolve(dirname(at), readlinkSync(at));
    if (stat.uid !== 0 || links === 0) {
      return {
        kind: "refused",
        reason: `${path} was granted, but ${at} is a link to ${target}: grant that place itself`,
      };
    }
    return findPlace(join(target, ...names.slice(index + 1)), links - 1);
  }
  const found = statSync(at, { bigint: true });
  if (found.isSocket())
    return {
      kind: "refused",
      reason: `${path} is a socket: there is nothing to read or write, only somebody to talk to`,
    };
  return { kind: "place", path: at, identity: identityOf(found) };
}

/** Which file it is, whatever it is called. */
export function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev} ${ino}`;
}
