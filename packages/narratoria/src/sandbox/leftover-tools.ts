/**
 * Ends tools that outlived the host which started them. They are found by the request id in their environment, which
 * was logged before they started: no process of anybody else's can be meant. A full sandbox dies with its host anyway.
 */
import { readdirSync, readFileSync } from "node:fs";
import { signalGroup } from "./process-group.ts";

export function endLeftoverTools(requestIds: readonly string[]): void {
  if (requestIds.length === 0 || process.platform !== "linux") return;
  const wanted = new Set(requestIds.map((id) => `NARRATORIA_REQUEST_ID=${id}`));
  for (const pid of readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)) {
    if (!environmentOf(pid).some((variable) => wanted.has(variable))) continue;
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
