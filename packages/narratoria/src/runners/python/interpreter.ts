/** Which Python runs a tool: that of the `.venv` in one of its folders where there is one, else the system's. */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { holdsHome } from "../../runtime/mounts/holds-home.ts";
import { isInside, realLocation } from "../../runtime/mounts/real-location.ts";
import type { SandboxLevel } from "../../story/execution-result.ts";

export interface Interpreter {
  /** A path, or a name on the PATH. */
  program: string;
  env: "venv" | "system";
  depsSource: "pyproject" | "requirements" | "none";
  /** Where a `.venv` has its Python from, when that is a place the sandbox does not show anyway. */
  readFolders: string[];
  /** Why there is no Python to run; null when there is. */
  problem: string | null;
}

/** The first folder counts that has something to say. */
export function findInterpreter(folders: readonly string[], level: SandboxLevel): Interpreter {
  const depsSource = folders.map(findDepsSource).find((source) => source !== "none") ?? "none";
  const venv = folders.map((folder) => join(folder, ".venv")).find((place) => existsSync(place));
  if (venv === undefined)
    return { program: systemPython(level), env: "system", depsSource, readFolders: [], problem: null };
  const places = [join(venv, "bin", "python"), join(venv, "bin", "python3"), join(venv, "Scripts", "python.exe")];
  const found = places.find((place) => existsSync(place));
  if (found !== undefined)
    return { program: found, env: "venv", depsSource, readFolders: homeOf(found), problem: null };
  const problem = `${venv} has no Python in it; make it anew: python3 -m venv --clear ${venv}`;
  return { program: places[0] ?? "", env: "venv", depsSource, readFolders: [], problem };
}

/** In a sandbox the system's own: what a version manager puts on the PATH lies in somebody's home, out of sight. */
function systemPython(level: SandboxLevel): string {
  const places = level === "none" ? [] : ["/usr/local/bin/python3", "/usr/bin/python3"];
  return places.find((place) => existsSync(place)) ?? "python3";
}

function findDepsSource(folder: string): Interpreter["depsSource"] {
  if (existsSync(join(folder, "pyproject.toml"))) return "pyproject";
  return existsSync(join(folder, "requirements.txt")) ? "requirements" : "none";
}

/**
 * The folder of the Python that a `.venv` links to. The link is the story's: it must lead to a real installation. To show
 * a folder because a link says so would open every folder to every story.
 */
function homeOf(python: string): string[] {
  const real = realpathSync(python);
  const prefix = dirname(dirname(real));
  if (prefix === "/usr" || isInside(real, realLocation(dirname(dirname(python))))) return [];
  return !holdsHome(prefix) && isInstallation(prefix) ? [prefix] : [];
}

function isInstallation(prefix: string): boolean {
  const library = join(prefix, "lib");
  const versions = existsSync(library) ? readdirSync(library).filter((name) => /^python3\.\d+$/.test(name)) : [];
  return versions.some((name) => existsSync(join(library, name, "os.py")));
}
