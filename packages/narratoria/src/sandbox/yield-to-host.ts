/**
 * Tools let the host go first: when there is less CPU than is wanted, each of their processes gets a third of what the
 * host gets, so that whoever plays is answered. Between tools the kernel shares as between any processes.
 */
import { constants, getPriority, setPriority } from "node:os";

/** Steps of `nice`; what it starts inherits them, and it cannot take them back. */
const STEPS_BELOW_US = 5;

export function yieldToHost(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.min(constants.priority.PRIORITY_LOW, getPriority() + STEPS_BELOW_US));
  } catch {
    // Gone already.
  }
}
