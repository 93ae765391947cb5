/** Where Narratoria keeps its things unless told otherwise: the folder each system has for that. `data-folder-check.ts` holds it to its rules. */
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

export function dataFolder(option: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  const told = option ?? env["NARRATORIA_DATA"];
  if (told !== undefined && told !== "") return resolve(told);
  switch (process.platform) {
    case "darwin":
      return join(homedir(), "Library", "Application Support", "Narratoria");
    case "win32":
      return join(env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local"), "Narratoria");
    default:
      return join(xdgDataHome(env) ?? join(homedir(), ".local", "share"), "narratoria");
  }
}

/** The standard has paths that are not absolute ignored. */
function xdgDataHome(env: NodeJS.ProcessEnv): string | null {
  const told = env["XDG_DATA_HOME"];
  return told !== undefined && isAbsolute(told) ? told : null;
}
