/**
 * Tools let the host go first when there is less CPU than is wanted, so that whoever plays is answered; and tools of sessions
 * that have had much lately let those of others go first. Between equals the kernel shares as between any processes.
 */
import { writeFileSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import type { Haste } from "../runtime/seams/sandbox.ts";

/** Steps of `nice` below us, each four fifths of the one before; what it starts inherits them, and it cannot take them back. */
const STEPS: Readonly<Record<Haste, number>> = { seldom: 5, usual: 10, greedy: 15 };

export function yieldToHost(pid: number | undefined, haste: Haste = "usual"): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, priorityOf(haste));
  } catch {
    // Gone already.
  }
  yieldAsGroup(pid, haste);
}

/** Who is not root may say it once in a tenth of a second, over all processes. */
const AGAIN_MS = 150;
const MOST_TRIES = 10;

/**
 * Where Linux shares between sessions of processes first (autogroups), `nice` holds only within one, and each tool has its
 * own: then the session as a whole goes back. In bubblewrap it begins with the namespace's init.
 */
export function yieldAsGroup(pid: number | undefined, haste: Haste = "usual", tries = 1): void {
  if (pid === undefined) return;
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(priorityOf(haste)), { flag: "r+" });
  } catch (error) {
    // Gone already, or a system that has no such thing.
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || tries === MOST_TRIES) return;
    setTimeout(() => yieldAsGroup(pid, haste, tries + 1), AGAIN_MS * tries).unref();
  }
}

function priorityOf(haste: Haste): number {
  return Math.min(constants.priority.PRIORITY_LOW, getPriority() + STEPS[haste]);
}
