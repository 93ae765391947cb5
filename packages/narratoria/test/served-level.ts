/** How a served host comes to a level of the sandbox: the full one where there is one, a partial one without bubblewrap. */
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

export const LEVELS = ["full", "partial", "none"] as const;

/** `folder` is made where it takes one. */
export function environmentOfLevel(
  level: (typeof LEVELS)[number],
  folder: string,
): { args: string[]; env: NodeJS.ProcessEnv } {
  if (level === "partial") return { args: [], env: { PATH: pathWithoutBubblewrap(folder) } };
  return { args: level === "none" ? ["--no-sandbox"] : [], env: {} };
}

/** Everything a host and its tools find on their way but bubblewrap. */
function pathWithoutBubblewrap(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const name of ["sh", "sleep", "chmod", "rm", "head", "grep", "python3"])
    symlinkSync(`/usr/bin/${name}`, join(folder, name));
  symlinkSync(process.execPath, join(folder, "node"));
  return folder;
}
