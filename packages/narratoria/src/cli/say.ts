/**
 * What commands say in plain lines: answers on stdout, complaints on stderr. They quote files, stories and tools, so
 * nothing in them may steer the terminal. `terminal.ts` has colours and a status line, `print-json.ts` is for programs.
 */
import { clean } from "./terminal-text.ts";

export const FAILURE = 1;
export const BAD_USAGE = 2;

export function say(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${clean(line)}\n`).join(""));
}

/** Said beside the answer. */
export function remark(...lines: readonly string[]): void {
  process.stderr.write(lines.map((line) => `${clean(line)}\n`).join(""));
}

/** Further lines belong to the first. Gives back the exit code, for the command to end with. */
export function complain(message: string, exitCode: number = FAILURE, further: readonly string[] = []): number {
  remark(`narratoria: ${indented(message, 2)}`, ...further.map((line) => `  ${indented(line, 4)}`));
  return exitCode;
}

/** Only its first line begins where lines of ours do: what we quote may hold an end of line. */
function indented(text: string, columns: number): string {
  return clean(text).replaceAll("\n", `\n${" ".repeat(columns)}`);
}
