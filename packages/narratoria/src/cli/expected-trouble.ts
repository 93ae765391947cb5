/** Which errors are no bug of ours but the machine's way of saying no, and in which words people are told. */
import { StoreError } from "../data.ts";
import { CannotOpen, diskTroubleIn } from "../index.ts";

/** Null for what nobody expects. */
export function wordsForTrouble(error: unknown): string | null {
  const isExpected = error instanceof CannotOpen || error instanceof StoreError || isOfSystem(error);
  return isExpected ? (diskTroubleIn(error)?.message ?? error.message) : null;
}

/** A file or folder that cannot be made, read or written. */
function isOfSystem(error: unknown): error is Error {
  return error instanceof Error && "syscall" in error;
}
