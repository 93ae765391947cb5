/** Where Narratoria keeps its things unless told otherwise: the folder each system has for that. `data-folder-check.ts` holds it to its rules. */
import { isAbsolute, join, resolve } from "node:path";
import { homeFolder } from "../runtime/seams/home-folder.ts";
import { StoreError } from "./open-database.ts";

/** Throws a StoreError where nobody said, and there is no home to keep it in. */
export function dataFolder(option: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  const told = option ?? env["NARRATORIA_DATA"];
  if (told !== undefined && told !== "") return resolve(told);
  switch (process.platform) {
    case "darwin":
      return join(home(), "Library", "Application Support", "Narratoria");
    case "win32":
      return join(env["LOCALAPPDATA"] ?? join(home(), "AppData", "Local"), "Narratoria");
    default:
      return join(xdgDataHome(env) ?? join(home(), ".local", "share"), "narratoria");
  }
}

function home(): string {
  const folder = homeFolder();
  if (folder !== null) return folder;
  throw new StoreError("this user has no home to keep stories in; say with --data where they are kept");
}

/** The standard has paths that are not absolute ignored. */
function xdgDataHome(env: NodeJS.ProcessEnv): string | null {
  const told = env["XDG_DATA_HOME"];
  return told !== undefined && isAbsolute(told) ? told : null;
}
