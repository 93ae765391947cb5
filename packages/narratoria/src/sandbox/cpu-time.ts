/** The CPU time of a process and its descendants, as Linux counts it. Nobody's, where there is no /proc. */
import { readdirSync, readFileSync } from "node:fs";

/** The kernel counts hundredths of a second here, whatever its own clock does. */
const TICK_MS = 10;

export function cpuTimeBelow(root: number | undefined): number | null {
  if (root === undefined || read(`/proc/${root}/stat`) === "") return null;
  return treeBelow(root).reduce((sum, pid) => sum + cpuTimeOf(pid), 0) * TICK_MS;
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

function treeBelow(root: number): number[] {
  const found = [root];
  for (const pid of found) {
    // Children belong to the thread that started them.
    for (const thread of list(`/proc/${pid}/task`)) {
      const children = read(`/proc/${pid}/task/${thread}/children`).split(" ");
      for (const child of children) if (child !== "") found.push(Number(child));
    }
  }
  return found;
}

/** Empty when it is gone, as any process may be the next moment. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
