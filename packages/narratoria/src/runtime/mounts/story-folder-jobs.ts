/** What a story's process does for `story-folder.ts`. */
import { readFolderHere, type FolderReading } from "./story-folder.ts";

export function readFolder({ dir }: { dir: string }): FolderReading {
  const folder = readFolderHere(dir);
  return { ...folder, mounts: [...folder.mounts] };
}
