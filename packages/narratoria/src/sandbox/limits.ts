/** The limits the kernel keeps for us: set by a program of their own, or by the shell that is there anyway. */
import { mostDescriptors } from "../runtime/seams/descriptors.ts";
import type { ToolLimits } from "../runtime/seams/sandbox.ts";

const MEGABYTE = 1024 * 1024;

/** Without a process limit: the kernel counts all processes of a user, and here the user is shared. */
export function limitedCommand(command: readonly string[], limits: ToolLimits): string[] {
  return [
    "/usr/bin/prlimit",
    `--nofile=${openFiles(limits)}`,
    `--fsize=${limits.fileSizeMb * MEGABYTE}`,
    // First SIGXCPU, which says what happened; a second later SIGKILL.
    `--cpu=${limits.cpuSeconds}:${limits.cpuSeconds + 1}`,
    "--core=0",
    "--",
    ...command,
  ];
}

/** The same for a shell, whose own processes it limits; in a user namespace of its own. One program less to start. */
export function limitsAsScript(limits: ToolLimits): string {
  const set = [
    // -p in dash and busybox, -u in bash and ksh, where -p is the size of pipes and cannot be set.
    `{ ulimit -p ${limits.processes} 2>/dev/null || ulimit -u ${limits.processes}; }`,
    `ulimit -n ${openFiles(limits)}`,
    `ulimit -f ${limits.fileSizeMb * (MEGABYTE / 512)}`,
    `ulimit -S -t ${limits.cpuSeconds}`,
    `ulimit -H -t ${limits.cpuSeconds + 1}`,
    "ulimit -c 0",
  ];
  return set.join(" && ");
}

/** Nobody may raise what we ourselves are held to. */
function openFiles(limits: ToolLimits): number {
  return Math.min(limits.openFiles, mostDescriptors());
}
