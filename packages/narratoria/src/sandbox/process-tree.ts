/** A process and what it has started, as /proc tells it. `watch-usage.ts` and `cpu-time.ts` count what they use. */
import { readdirSync, readFileSync } from "node:fs";

/** A process and all its descendants. In a PID namespace orphans fall to its init, so none is missed. */
export function processesBelow(root: number): number[] {
  const found = [root];
  for (const pid of found) {
    // Children belong to the thread that started them: looking at the first one only would miss some.
    for (const thread of list(`/proc/${pid}/task`)) {
      const children = read(`/proc/${pid}/task/${thread}/children`).split(" ");
      for (const child of children) if (child !== "") found.push(Number(child));
    }
  }
  return found;
}

/** Empty when it is gone, as any process may be the next moment. */
export function read(file: string): string {
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
