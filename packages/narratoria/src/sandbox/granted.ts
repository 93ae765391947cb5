/** What the granted capabilities mean for the walls of a sandbox. Whether they are granted is the policy's business. */
import { resolve } from "node:path";
import { isInside } from "../runtime/mounts/real-location.ts";

/**
 * The paths a tool may read and write besides its own. One that lies below a path it may write is left out: it is
 * visible already, and the tool could have put a link there that leads us elsewhere.
 */
export function grantedPaths(grants: readonly string[], storyDir: string): { read: string[]; write: string[] } {
  const scopesOf = (capability: string): string[] => {
    const prefix = `${capability}:`;
    return grants
      .filter((grant) => grant.startsWith(prefix))
      .map((grant) => resolve(storyDir, grant.slice(prefix.length)));
  };
  const write = outermost(scopesOf("fs.write"));
  const read = scopesOf("fs.read").filter((path) => !write.some((folder) => isInside(path, folder)));
  return { read, write };
}

export function hasGrantedPaths(grants: readonly string[]): boolean {
  return grants.some((grant) => grant.startsWith("fs.read:") || grant.startsWith("fs.write:"));
}

/** All or nothing: a host list in the grant is for the person who grants, not for the kernel. */
export function mayUseNetwork(grants: readonly string[]): boolean {
  return grants.some((grant) => grant === "net.fetch" || grant.startsWith("net.fetch:"));
}

function outermost(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  return unique.filter((path) => !unique.some((other) => other !== path && isInside(path, other)));
}
