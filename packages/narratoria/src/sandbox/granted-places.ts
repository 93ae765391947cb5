/**
 * Between the look at a granted path (`runtime/mounts/find-place.ts`) and its mounting it can be swapped: what bubblewrap
 * mounted is compared with what was looked at.
 */
import { lstatSync } from "node:fs";
import { identityOf } from "../runtime/mounts/find-place.ts";

/** What a tool must find at a place. */
export interface ExpectedMount {
  place: string;
  identity: string;
}

/** Between the look and the mount a folder can be swapped: what the first process inside sees is what counts. */
export function findSwapped(initPid: number | undefined, expected: readonly ExpectedMount[]): string | null {
  const swapped = expected.find(({ place, identity }) => {
    const found = lstatSync(`/proc/${initPid}/root${place}`, { bigint: true, throwIfNoEntry: false });
    return found === undefined || identityOf(found) !== identity;
  });
  return swapped === undefined ? null : `${swapped.place} was granted, and is another one since`;
}
