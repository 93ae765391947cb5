/**
 * Folders we make in the temporary folder for as long as something runs. Their names say which host made them, so that
 * the next one removes what a host that was killed could not.
 */
import { execFile } from "node:child_process";
import { lstatSync, mkdtempSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { hostName, isGone } from "../runtime/seams/host-name.ts";
import { isReachable, isSandboxUser } from "./sandbox-user.ts";

/** `kind` says what lies in it: a tool's own files, a copy to write to, copies to read, what is kept for a command only. */
export function makeOwnFolder(kind: "tool" | "write" | "stage" | "data"): string {
  return mkdtempSync(join(temporaryFolder(), `narratoria-${kind}-${hostName()}-`));
}

/**
 * A tool may have taken away our right to look into its folders, or made them deeper than a path can be: what Node
 * cannot remove the system's own program can, which walks from folder to folder without following links.
 */
export async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    await removeThoroughly(folder);
  }
}

/** What hosts left that are no more: in the temporary folder, of our own or the sandbox's user, and named by a dead one. */
export async function removeLeftoverFolders(): Promise<void> {
  const parent = temporaryFolder();
  for (const name of await readdir(parent).catch(() => [])) {
    const host = /^narratoria-(?:tool|write|stage|data)-(\d+\.\d+\.\d+)-\w{6}$/.exec(name)?.[1];
    if (host !== undefined && isGone(host) && isOurs(join(parent, name))) await removeThoroughly(join(parent, name));
  }
}

async function removeThoroughly(folder: string): Promise<void> {
  const run = promisify(execFile);
  await run("chmod", ["-R", "u+rwX", "--", folder]).catch(() => {});
  await run("rm", ["-rf", "--one-file-system", "--", folder]).catch(() => {});
}

/** Where they lie. */
export function temporaryFolder(): string {
  return isReachable(tmpdir()) ? tmpdir() : "/tmp";
}

function isOurs(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && (stat.uid === process.getuid?.() || isSandboxUser(stat.uid));
}
