/** Why a program could not be started, in words: the system's own message blames the wrong file half of the time. */
import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Program } from "../runtime/seams/sandbox.ts";

export function explainSpawnError(error: NodeJS.ErrnoException, program: Program): string {
  const file = program.command[0] ?? "";
  if (!existsSync(program.storyDir)) return `the story folder ${program.storyDir} does not exist`;
  if (!isAbsolute(file)) return error.code === "ENOENT" ? `no program named ${file} is on the PATH` : error.message;
  return findFault(file) ?? `${file} could not be started: ${error.message}`;
}

/** What is wrong with an executable file; null when it looks fine from here. */
export function findFault(file: string): string | null {
  if (!existsSync(file)) return `${file} does not exist`;
  const stat = statSync(file);
  if (stat.isDirectory()) return `${file} is a folder, not a program`;
  if (!stat.isFile()) return `${file} is a pipe, a socket or a device, not a program`;
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
  return (
    path
      .split(":")
      .map((folder) => join(folder, name))
      .find((file) => findFault(file) === null) ?? null
  );
}

/** Reads only the beginning: an interpreter itself may be a hundred megabytes. */
function interpreterOf(file: string): string | null {
  const beginning = Buffer.alloc(256);
  let descriptor: number | undefined;
  try {
    // What was a file a moment ago may be a pipe by now, and opening that would wait for ever.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const length = readSync(descriptor, beginning, 0, beginning.length, 0);
    const firstLine = beginning.toString("utf8", 0, length).split("\n", 1)[0] ?? "";
    return /^#!\s*(\S+)/.exec(firstLine)?.[1] ?? null;
  } catch {
    return null;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
