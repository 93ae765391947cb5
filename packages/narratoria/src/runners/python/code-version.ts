/** Whether code that a Python process has imported is still what lies on the disk. */
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** Changes when one of the files does, or when something is added beside it, which may now be imported instead. */
export function versionOf(files: readonly string[]): string {
  const paths = new Set([...files, ...files.map((file) => dirname(file))]);
  return [...paths].map(stampOf).join("\n");
}

/** Changes when anything below a folder does; a plain file counts as itself. */
export function versionOfFolder(folder: string): string {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const names = isFolder ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  return [folder, ...names.map((name) => join(folder, name))].map(stampOf).join("\n");
}

/** Whether a file was touched after a moment, in milliseconds since 1970. */
export function hasChangedSince(files: readonly string[], moment: number): boolean {
  return files.some((file) => (statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? Infinity) > moment);
}

/** Not only the time of modification, which copying and unpacking set back. */
function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "gone" : `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
}
