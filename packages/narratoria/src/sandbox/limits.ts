/** The limits the kernel keeps for us. */
import type { ToolLimits } from "../runtime/seams/sandbox.ts";

/** The process limit counts all processes of a user, so it makes sense only in a user namespace of its own. */
export function limitedCommand(
  command: readonly string[],
  limits: ToolLimits,
  where: "own user namespace" | "shared user",
): string[] {
  const megabyte = 1024 * 1024;
  return [
    "/usr/bin/prlimit",
    ...(where === "own user namespace" ? [`--nproc=${limits.processes}`] : []),
    `--nofile=${limits.openFiles}`,
    `--fsize=${limits.fileSizeMb * megabyte}`,
    // First SIGXCPU, which says what happened; a second later SIGKILL.
    `--cpu=${limits.cpuSeconds}:${limits.cpuSeconds + 1}`,
    "--core=0",
    "--",
    ...command,
  ];
}
