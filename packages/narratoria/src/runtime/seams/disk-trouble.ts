/** A full disk is no bug: what asks for a write then is refused in words, and works again when there is room. */

export const NO_ROOM = "There is no room left on the disk, so this could not be kept. Make some room and try again.";

export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && /disk.*full|ENOSPC|no space/i.test(error.message);
}
