/**
 * Where Node keeps compiled code between starts. Whoever can write there runs code as this user, and Node's own choice
 * is the temporary folder that everybody shares; so it is a folder of ours, or none.
 */
import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync } from "node:fs";
import module from "node:module";
import { dirname, isAbsolute, join } from "node:path";
import { homeFolder } from "../runtime/seams/home-folder.ts";
import {
  canBeReplacedIn,
  findObjection,
  isOpenToOthers,
  isWritableByOthers,
  makeFolders,
} from "../stores/private-folder.ts";

export function useCompileCache(env: NodeJS.ProcessEnv = process.env): void {
  const folder = compileCacheFolder(env);
  if (folder !== null) module.enableCompileCache(folder);
}

/** Null: nowhere that is surely ours. Starting is then slower, and nothing else. */
export function compileCacheFolder(env: NodeJS.ProcessEnv): string | null {
  const base = cacheFolderOfSystem(env);
  if (base === null) return null;
  try {
    makeFolders(base);
    const real = realpathSync(base);
    for (let above = real; ; above = dirname(above)) {
      if (canBeReplacedIn(above)) return null;
      if (above === dirname(above)) break;
    }
    const ours = join(real, "narratoria");
    const folder = join(ours, "compiled");
    return isOurOwn(ours) && isOurOwn(folder) ? folder : null;
  } catch {
    return null;
  }
}

/** Where others could write until now, something of theirs may lie already: mending the mode would be too late. */
function isOurOwn(folder: string): boolean {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder, { mode: 0o700 });
  if (findObjection(folder, "folder") !== null || isWritableByOthers(folder)) return false;
  if (isOpenToOthers(folder)) chmodSync(folder, 0o700);
  return true;
}

const USUAL_CACHE: Partial<Record<NodeJS.Platform, string>> = { win32: "AppData/Local", darwin: "Library/Caches" };

function cacheFolderOfSystem(env: NodeJS.ProcessEnv): string | null {
  const told = env[process.platform === "win32" ? "LOCALAPPDATA" : "XDG_CACHE_HOME"];
  if (told !== undefined && isAbsolute(told)) return told;
  const home = homeFolder();
  // A home that is not there is not ours to make.
  if (home === null || !existsSync(home)) return null;
  return join(home, USUAL_CACHE[process.platform] ?? ".cache");
}
