/** The names in a folder, up to a number: a folder with a million entries takes no longer than one with a thousand. */
import { opendirSync, type Dir, type Dirent } from "node:fs";

/** In the order of their names; none where there is no such folder, or it may not be read. */
export function entriesIn(folder: string, most: number): Dirent[] {
  const entries: Dirent[] = [];
  let opened: Dir | null = null;
  try {
    opened = opendirSync(folder);
    for (let entry = opened.readSync(); entry !== null && entries.length < most; entry = opened.readSync()) {
      entries.push(entry);
    }
  } catch {
    // What was read so far is what there is.
  } finally {
    opened?.closeSync();
  }
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
