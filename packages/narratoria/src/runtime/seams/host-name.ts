/** What a host calls itself in all that may outlive it, so that the next one knows whose it was: folders, processes, containers. */
import { readFileSync, readlinkSync } from "node:fs";

/** Our number, since when it is ours, and in which numbering. */
export function hostName(): string {
  return (ourName ??= `${process.pid}.${startOf(process.pid)}.${numbering()}`);
}
let ourName: string | undefined;

/** Whether the host of that name is no more. */
export function isGone(host: string): boolean {
  const [pid, start, within] = host.split(".");
  // In another numbering (a container that shares the temporary folder) we cannot tell.
  return within === numbering() && startOf(Number(pid)) !== start;
}

/** In the kernel's ticks since it started; 0 when there is no such process. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "0";
  } catch {
    return "0";
  }
}

function numbering(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}
