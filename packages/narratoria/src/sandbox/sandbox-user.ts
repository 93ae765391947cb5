/** Who a confined tool is: ourselves, unless we are root; root's tools run as nobody. */

const NOBODY = 65534;

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Options for `spawn`. It drops supplementary groups too. */
export function sandboxUser(): { uid?: number; gid?: number } {
  return isRoot() ? { uid: NOBODY, gid: NOBODY } : {};
}

/** The owner that files for a confined tool must have, or null when they are ours anyway. */
export function sandboxOwner(): { uid: number; gid: number } | null {
  return isRoot() ? { uid: NOBODY, gid: NOBODY } : null;
}
