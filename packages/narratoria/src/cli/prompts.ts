/** Where prompts come from: a person at the keyboard, or lines of a file or a pipe. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Terminal } from "./terminal.ts";

export interface Prompts {
  /** Somebody is there to be asked. */
  readonly isPerson: boolean;
  /** Null: there are no more, or the player wants to leave. */
  next(signal?: AbortSignal): Promise<string | null>;
}

const PROMPT = "> ";

/**
 * One readline for every question: while a turn runs there is none, the terminal is in its ordinary mode, and Ctrl+C
 * arrives as a signal. Lines pasted together are kept for the next questions.
 */
export function keyboardPrompts(terminal: Terminal, completions: readonly string[]): Prompts {
  const waiting: string[] = [];
  let history: string[] = [];

  function next(signal?: AbortSignal): Promise<string | null> {
    const pasted = waiting.shift();
    if (pasted !== undefined) {
      terminal.line(PROMPT + pasted);
      return Promise.resolve(pasted);
    }
    return new Promise((resolve) => {
      const reader = createInterface({
        input: process.stdin,
        output: process.stdout,
        history,
        prompt: terminal.style.magenta(PROMPT),
        completer: (line: string) => [completions.filter((each) => line !== "" && each.startsWith(line)), line],
      });
      let answer: string | null | undefined;
      const leave = (): void => {
        if (answer === undefined) process.stdout.write("\n");
        reader.close();
      };
      signal?.addEventListener("abort", leave, { once: true });
      reader.on("history", (lines) => (history = lines));
      reader.on("SIGINT", leave);
      reader.on("line", (line) => {
        if (answer !== undefined) return void waiting.push(line);
        answer = line;
        // One step later: the rest of what was pasted is read in this one.
        queueMicrotask(() => reader.close());
      });
      reader.on("close", () => {
        signal?.removeEventListener("abort", leave);
        resolve(answer ?? null);
      });
      reader.prompt();
    });
  }
  return { isPerson: true, next };
}

/** One prompt a line; blank lines and comments are left out. Each is shown as if it had been typed. */
export function linePrompts(terminal: Terminal, file: string | null): Prompts {
  const input = file === null ? process.stdin : createReadStream(file);
  const lines = createInterface({ input, crlfDelay: Infinity })[Symbol.asyncIterator]();

  async function next(): Promise<string | null> {
    for (let read = await lines.next(); !read.done; read = await lines.next()) {
      const line = read.value.replace(/^\ufeff/, "").trim();
      if (line === "" || line.startsWith("#")) continue;
      terminal.lines([terminal.style.magenta(PROMPT + line), ""]);
      return line;
    }
    return null;
  }
  return { isPerson: false, next };
}
