/** Whether what a process was started from is still what lies on the disk. */
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** Changes when one of the files does. */
export function versionOfFiles(files: readonly string[]): string {
  return files.map(stampOf).join("\n");
}

/** Changes also when something is added beside one of them, which may now be imported instead. */
export function versionOfModules(files: readonly string[]): string {
  return versionOfFiles([...new Set([...files, ...files.map((file) => dirname(file))])]);
}

/** Changes when anything below a folder does; a plain file counts as itself. */
export function versionOfFolder(folder: string): string {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const names = isFolder ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  return [folder, ...names.map((name) => join(folder, name))].map(stampOf).join("\n");
}

/** Whether a file was touched after a moment, in milliseconds since 1970. */
export function hasChangedSince(files: readonly string[], moment: number): boolean {
  return files.some((file) => (statOf(file)?.ctimeMs ?? Infinity) > moment);
}

/** Not only the time of modification, which copying and unpacking set back. */
function stampOf(path: string): string {
  const stat = statOf(path);
  return stat === undefined ? "gone" : `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
}

/** What cannot be looked at (no right to, a name that cannot be) is as good as gone. */
function statOf(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
