/** Signals to a whole process group. */

export function signalGroup(leader: number | undefined, signal: "SIGTERM" | "SIGKILL"): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch {
    // ESRCH: everybody in the group is gone already.
  }
}
