/** Why a program could not be started, in words: the system's own message blames the wrong file half of the time. */
import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from "node:fs";
import { basename, extname, isAbsolute, join } from "node:path";
import type { Program } from "../runtime/seams/sandbox.ts";

export function explainSpawnError(error: NodeJS.ErrnoException, program: Program): string {
  const file = program.command[0] ?? "";
  if (!existsSync(program.storyDir)) return `the story folder ${program.storyDir} does not exist`;
  if (!isAbsolute(file)) return error.code === "ENOENT" ? `no program named ${file} is on the PATH` : error.message;
  return `${file} could not be started: ${error.message}`;
}

/** What is wrong with an executable file; null when it looks fine from here. `path` is the PATH it would run with. */
export function findFault(file: string, path: string): string | null {
  if (!existsSync(file)) return `${file} does not exist`;
  const stat = statSync(file);
  if (stat.isDirectory()) return `${file} is a folder, not a program`;
  if (!stat.isFile()) return `${file} is a pipe, a socket or a device, not a program`;
  if (!isExecutable(file)) return `${file} is not executable; try: chmod +x ${file}`;
  // Elsewhere the name's ending says how a file is run.
  const fault = process.platform === "win32" ? null : findFaultInBeginning(beginningOf(file), file, path);
  return fault === null ? null : `${file} ${fault}`;
}

/** Where a bare program name leads. */
export function findOnPath(name: string, path: string): string | null {
  return (
    path
      .split(":")
      .map((folder) => join(folder, name))
      .find((file) => findFault(file, path) === null) ?? null
  );
}

/**
 * Whoever starts a text without an interpreter line has it run by a shell, which then trips over the first word of Python.
 * Null when there is no fault, or when it is no text: what the system makes of that, only the system knows.
 */
function findFaultInBeginning(beginning: Buffer | null, file: string, path: string): string | null {
  if (beginning === null || beginning.includes(0)) return null;
  if (beginning.length === 0) return "is empty";
  const [line = ""] = beginning.toString("utf8").split("\n", 1);
  const wanted = `the first line must be ${interpreterLineFor(file)}, or whatever else runs it`;
  if (line.startsWith("\uFEFF#!")) return "begins with a byte order mark, before its interpreter line: save it without";
  if (!line.startsWith("#!")) return `has no interpreter line: ${wanted}`;
  if (line.endsWith("\r")) return "has an interpreter line with a Windows line end: save it with Unix line ends";
  const [interpreter = "", argument = ""] = line.slice(2).trim().split(/\s+/);
  if (interpreter === "") return `names no interpreter in its first line: ${wanted}`;
  if (!existsSync(interpreter)) return `asks for the interpreter ${interpreter}, which does not exist`;
  if (!isExecutable(interpreter) || !statSync(interpreter).isFile())
    return `asks for the interpreter ${interpreter}, which is no program`;
  const isFound = path.split(":").some((folder) => isExecutable(join(folder, argument)));
  if (basename(interpreter) === "env" && /^[\w.+-]+$/.test(argument) && !argument.startsWith("-") && !isFound)
    return `asks for the interpreter ${argument}, which is not on the PATH`;
  return null;
}

const INTERPRETER_NAMES: Readonly<Record<string, string>> = {
  ".py": "python3",
  ".js": "node",
  ".mjs": "node",
  ".ts": "node",
  ".rb": "ruby",
  ".pl": "perl",
};

function interpreterLineFor(file: string): string {
  const name = INTERPRETER_NAMES[extname(file)];
  return name === undefined ? "#!/bin/sh" : `#!/usr/bin/env ${name}`;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Only that: an interpreter itself may be a hundred megabytes. Null when it may be run but not read. */
function beginningOf(file: string): Buffer | null {
  const beginning = Buffer.alloc(256);
  let descriptor: number | undefined;
  try {
    // What was a file a moment ago may be a pipe by now, and opening that would wait for ever.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    return beginning.subarray(0, readSync(descriptor, beginning, 0, beginning.length, 0));
  } catch {
    return null;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
