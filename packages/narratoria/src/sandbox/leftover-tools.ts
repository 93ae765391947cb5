/**
 * Ends tools and modules that outlived the host which started them. They are found by what stands in their environment:
 * the request id, which was logged before they started, or the name of a host that is no more. No process of anybody
 * else's can be meant. A full sandbox dies with its host anyway, and `warden.ts` sees to most of the rest.
 */
import { readdirSync, readFileSync } from "node:fs";
import { HAS_PROC } from "../runtime/seams/proc.ts";
import { isGone } from "../runtime/seams/host-name.ts";
import { removeLeftoverFolders } from "./own-folders.ts";
import { signalGroup } from "./process-group.ts";
import { hostNamedBy } from "./warden.ts";

export function endLeftoverTools(requestIds: readonly string[]): void {
  if (requestIds.length === 0) return;
  const wanted = new Set(requestIds.map((id) => `NARRATORIA_REQUEST_ID=${id}`));
  endProcessesWith((variable) => wanted.has(variable));
}

/** What hosts left that are no more, whatever they kept and wherever: first who could still write, then the folders. */
export async function sweepLeftovers(): Promise<void> {
  endProcessesWith((variable) => {
    const host = hostNamedBy(variable);
    return host !== null && isGone(host);
  });
  await removeLeftoverFolders();
}

function endProcessesWith(isMeant: (variable: string) => boolean): void {
  if (!HAS_PROC) return;
  for (const pid of readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)) {
    if (!environmentOf(pid).some(isMeant)) continue;
    signalGroup(pid, "SIGKILL");
    end(pid);
  }
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    // Gone meanwhile, or somebody else's.
    return [];
  }
}

/** It may be no leader of a group, but a child that moved to a session of its own. */
function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone with its group.
  }
}
