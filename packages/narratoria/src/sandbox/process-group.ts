/** Signals to a whole process group, and the end of a PID namespace. */
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

export function signalGroup(leader: number | undefined, signal: "SIGTERM" | "SIGKILL"): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch {
    // ESRCH: everybody in the group is gone already.
  }
}

const LONGEST_WAIT_MS = 2_000;
const LONGEST_WAIT_FOR_GROUP_MS = 200;

/** Waits until a killed process is gone. The init of a PID namespace goes last: then all others in it are gone. */
export async function waitUntilEnded(pid: number | undefined): Promise<void> {
  if (pid === undefined) return;
  const latest = performance.now() + LONGEST_WAIT_MS;
  while ((await isAlive(pid)) && performance.now() < latest) await sleep(1);
}

/** Waits until a killed group is gone. Not for long: in a container without an init its dead may never be buried. */
export async function waitUntilGroupEnded(leader: number | undefined): Promise<void> {
  if (leader === undefined) return;
  const latest = performance.now() + LONGEST_WAIT_FOR_GROUP_MS;
  while (hasMembers(leader) && performance.now() < latest) await sleep(1);
}

function hasMembers(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch {
    return false;
  }
}

async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The state follows the program's name, which may hold anything. Z: dead, its exit code not yet asked for.
  return stat !== "" && !/^\) [ZX]/.test(stat.slice(stat.lastIndexOf(")")));
}
