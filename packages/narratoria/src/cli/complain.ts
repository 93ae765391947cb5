/** What went wrong, in a line on stderr. It may quote files, stories and tools, so nothing in it may steer the terminal. */
import { clean } from "./terminal-text.ts";

export const FAILURE = 1;
export const BAD_USAGE = 2;

/** Further lines belong to the first. Gives back the exit code, for the command to end with. */
export function complain(message: string, exitCode: number = FAILURE, further: readonly string[] = []): number {
  const lines = [`narratoria: ${clean(message)}`, ...further.map((line) => `  ${clean(line)}`)];
  process.stderr.write(lines.map((line) => `${line}\n`).join(""));
  return exitCode;
}
