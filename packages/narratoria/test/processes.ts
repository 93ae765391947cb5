/** Looks for processes by a mark in their command line: what a test started must be gone when it says so. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export function processesMentioning(mark: string): string[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .map(commandLine)
    .filter((line) => line.includes(mark));
}

/** A dead process that nobody has asked for its exit code is not alive. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*(?=\) )/s, ""));
  } catch {
    return false;
  }
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

/** The command lines of what still works in a folder: tools and their descendants start in the story's. */
export function processesWorkingIn(folder: string): string[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((pid) => workingDirectory(pid).startsWith(folder))
    .map(commandLine);
}

function workingDirectory(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}
