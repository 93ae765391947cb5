/** Who has just installed the packages: a folder that every user can read, with a Node in it, and somebody to be. */
import { chmodSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installedPackages, type InstalledPackages } from "../installed-packages.ts";

export interface Newcomer {
  installed: InstalledPackages;
  root: string;
  node: string;
  leave(): void;
}

export const isRoot = process.getuid?.() === 0;
/** Nobody is called this: a number is user enough. */
export const ORDINARY = { uid: 43_210, gid: 43_210 };
/** What `spawn` is told of a user; nothing means ourselves. */
export type Who = Partial<typeof ORDINARY>;

export async function arrive(): Promise<Newcomer> {
  const installed = await installedPackages();
  const root = mkdtempSync(join(tmpdir(), "narratoria-newcomer-"));
  chmodSync(root, 0o755);
  // Ours may lie where only we can read it.
  const node = join(root, "node");
  cpSync(process.execPath, node);
  return { installed, root, node, leave: () => rmSync(root, { recursive: true, force: true }) };
}
