/** Why a program could not be started, in words: the system's own message blames the wrong file half of the time. */
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Program } from "../runtime/sandbox.ts";

export function explainSpawnError(error: NodeJS.ErrnoException, program: Program): string {
  const file = program.command[0] ?? "";
  if (!existsSync(program.storyDir)) return `the story folder ${program.storyDir} does not exist`;
  if (!isAbsolute(file)) return error.code === "ENOENT" ? `no program named ${file} is on the PATH` : error.message;
  return findFault(file) ?? `${file} could not be started: ${error.message}`;
}

/** What is wrong with an executable file; null when it looks fine from here. */
export function findFault(file: string): string | null {
  if (!existsSync(file)) return `${file} does not exist`;
  if (statSync(file).isDirectory()) return `${file} is a folder, not a program`;
  try {
    accessSync(file, constants.X_OK);
  } catch {
    return `${file} is not executable; try: chmod +x ${file}`;
  }
  const interpreter = interpreterOf(file);
  if (interpreter !== null && !existsSync(interpreter)) {
    return `${file} asks for the interpreter ${interpreter}, which does not exist`;
  }
  return null;
}

/** Where a bare program name leads. */
export function findOnPath(name: string, path: string): string | null {
  return path.split(":").map((folder) => join(folder, name)).find((file) => findFault(file) === null) ?? null;
}

function interpreterOf(file: string): string | null {
  try {
    const firstLine = readFileSync(file, { encoding: "utf8" }).slice(0, 256).split("\n", 1)[0] ?? "";
    return /^#!\s*(\S+)/.exec(firstLine)?.[1] ?? null;
  } catch {
    return null;
  }
}
