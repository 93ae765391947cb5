/**
 * Starts a program so that what keeps it from starting is a value: whoever starts one imports this instead of Node's
 * `spawn`. What it says later (there is no such program) is an "error" of the child, as ever; it ends nobody.
 */
import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { TOO_MANY_OPEN } from "./disk-trouble.ts";

export type ChildStart = { kind: "started"; child: ChildProcess } | { kind: "not_started"; reason: string };

export function startChild(file: string, args: readonly string[], options: SpawnOptions): ChildStart {
  let child: ChildProcess;
  try {
    child = spawn(file, args, options);
  } catch (error) {
    // Arguments too large, a zero byte in a name.
    return { kind: "not_started", reason: (error as Error).message };
  }
  child.on("error", () => {});
  // Out of descriptors Node gives back a child without any streams, and only later says why.
  const { stdio } = child as Partial<ChildProcess>;
  return stdio === undefined ? { kind: "not_started", reason: TOO_MANY_OPEN.message } : { kind: "started", child };
}
