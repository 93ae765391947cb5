/** What the granted capabilities mean for the walls of a sandbox. Whether they are granted is the policy's business. */

export function grantedPaths(grants: readonly string[], capability: "fs.read" | "fs.write"): string[] {
  const prefix = `${capability}:`;
  return grants.filter((grant) => grant.startsWith(prefix)).map((grant) => grant.slice(prefix.length));
}

/** All or nothing: a host list in the grant is for the person who grants, not for the kernel. */
export function mayUseNetwork(grants: readonly string[]): boolean {
  return grants.some((grant) => grant === "net.fetch" || grant.startsWith("net.fetch:"));
}
