/**
 * What is printed may not arrive: whoever read it has left, as `| head -1` does, or the disk behind `>` is full. Without
 * a listener either would end us in the middle, with a stack trace. `main.ts` asks at the end what came of it.
 */
import { complain, FAILURE } from "./say.ts";

/** Gives back what to ask, once, when all is said: the exit code that is true then. */
export function watchOutput(): (exitCode: number) => Promise<number> {
  let trouble: NodeJS.ErrnoException | null = null;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => (trouble ??= error));
  // There is nowhere to complain of that.
  process.stderr.on("error", () => {});

  return async (exitCode) => {
    await new Promise<void>((settled) => process.stdout.write("", () => settled()));
    if (trouble === null) return exitCode;
    // Who has left knows.
    if (trouble.code !== "EPIPE") complain(`what was to be printed could not be written: ${trouble.message}`);
    return exitCode === 0 ? FAILURE : exitCode;
  };
}
