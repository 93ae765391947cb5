/**
 * Files that bubblewrap reads from descriptors: the filter of system calls, and what is copied into a tool's world. Each
 * launch opens them anew, because who reads a descriptor moves on in it for all who share it.
 */
import { closeSync, existsSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COPIED_FILES } from "./bubblewrap-arguments.ts";
import { makeOwnFolder } from "./own-folders.ts";
import { systemCallFilter } from "./seccomp.ts";

export interface HandedFiles {
  /** The arguments that tell bubblewrap of them. */
  arguments: string[];
  /** What it gets, from descriptor `FIRST_HANDED` on. */
  descriptors: number[];
  close(): void;
}

export const FIRST_HANDED = 7;

export function openHandedFiles(): HandedFiles {
  const handed: HandedFiles = { arguments: [], descriptors: [], close: () => handed.descriptors.forEach(closeSync) };
  const hand = (file: string, tell: (descriptor: string) => string[]): void => {
    handed.arguments.push(...tell(String(FIRST_HANDED + handed.descriptors.length)));
    handed.descriptors.push(openSync(file, "r"));
  };
  try {
    if (filter() !== null) hand(`/proc/self/fd/${filter()}`, (descriptor) => ["--seccomp", descriptor]);
    for (const file of COPIED_FILES.filter((path) => existsSync(path)))
      hand(file, (descriptor) => ["--perms", "0444", "--file", descriptor, file]);
    return handed;
  } catch (error) {
    handed.close();
    throw error;
  }
}

/** Written once, to a file without a name; null on a machine whose system calls we do not know. */
function filter(): number | null {
  return (theFilter ??= { descriptor: writeFilter() }).descriptor;
}
let theFilter: { descriptor: number | null } | undefined;

function writeFilter(): number | null {
  const program = systemCallFilter();
  if (program === null) return null;
  const folder = makeOwnFolder("tool");
  try {
    writeFileSync(join(folder, "filter"), program, { mode: 0o400 });
    return openSync(join(folder, "filter"), "r");
  } finally {
    rmSync(folder, { recursive: true });
  }
}
