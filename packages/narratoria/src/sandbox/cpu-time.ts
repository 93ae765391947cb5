/** The CPU time of a process and its descendants, as Linux counts it. Nobody's, where there is no /proc. */
import { processesBelow, read } from "./process-tree.ts";

/** The kernel counts hundredths of a second here, whatever its own clock does. */
const TICK_MS = 10;

export function cpuTimeBelow(root: number | undefined): number | null {
  if (root === undefined || read(`/proc/${root}/stat`) === "") return null;
  return processesBelow(root).reduce((sum, pid) => sum + cpuTimeOf(pid), 0) * TICK_MS;
}

/** Its own and that of its dead children, which it has buried. */
function cpuTimeOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  // The numbers follow the program's name, which may hold anything.
  const [user, system, childrenUser, childrenSystem] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 15)
    .map(Number);
  return (user ?? 0) + (system ?? 0) + (childrenUser ?? 0) + (childrenSystem ?? 0);
}
