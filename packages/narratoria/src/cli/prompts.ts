/** Where prompts come from: a person at the keyboard, or lines of a file or a pipe. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createLineSplitter, type Frame } from "@narratoria/tool/ndjson";
import type { Terminal } from "./terminal.ts";
import { clean } from "./terminal-text.ts";

export interface Prompts {
  /** Somebody is there to be asked. */
  readonly isPerson: boolean;
  /** Null: there are no more, or the player wants to leave. */
  next(signal: AbortSignal): Promise<string | null>;
  /** The answer to a question that is on the screen: what was typed before it was there is kept for the next prompt. */
  answer(signal: AbortSignal): Promise<string | null>;
  /** Why there are no more, when that is a mistake. */
  problem(): string | null;
  /** Until the work is done; Ctrl+C meanwhile calls `stop`. */
  whileBusy(work: Promise<void>, stop: () => void): Promise<void>;
  close(): void;
}

const PROMPT = "> ";

/**
 * One readline for every question. What is typed while a turn runs is kept from the screen, where the story is being
 * told, and appears at the next prompt; lines pasted together are kept for the next prompts.
 */
export function keyboardPrompts(terminal: Terminal, completions: readonly string[]): Prompts {
  const waiting: string[] = [];
  let typedAhead = "";
  let history: string[] = [];
  let onKeys: ((keys: Buffer) => void) | null = null;

  async function next(signal: AbortSignal): Promise<string | null> {
    if (signal.aborted) return null;
    const [rest = "", ...whole] = typedAhead.split(/\r\n|\r|\n/).toReversed();
    typedAhead = rest;
    waiting.push(...whole.toReversed().map(clean));
    const pasted = waiting.shift();
    if (pasted !== undefined) {
      terminal.line(PROMPT + pasted);
      return pasted;
    }
    return ask(signal);
  }

  async function answer(signal: AbortSignal): Promise<string | null> {
    if (signal.aborted) return null;
    const before = { lines: waiting.splice(0), keys: typedAhead };
    typedAhead = "";
    // In the middle of a turn: the keys are for the question now.
    const keys = onKeys;
    if (keys !== null) stopListening(keys);
    try {
      return await ask(signal);
    } finally {
      waiting.unshift(...before.lines);
      typedAhead = before.keys + typedAhead;
      if (keys !== null) listen(keys);
    }
  }

  function ask(signal: AbortSignal): Promise<string | null> {
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
      signal.addEventListener("abort", leave, { once: true });
      reader.on("history", (lines) => (history = lines));
      reader.on("SIGINT", leave);
      reader.on("line", (line) => {
        if (answer !== undefined) return void waiting.push(line);
        answer = line;
        // One step later: the rest of what was pasted is read in this one.
        queueMicrotask(() => reader.close());
      });
      reader.on("close", () => {
        signal.removeEventListener("abort", leave);
        resolve(answer ?? null);
      });
      reader.prompt();
      if (typedAhead !== "") reader.write(typedAhead);
      typedAhead = "";
    });
  }

  /** Raw: nothing is echoed, and Ctrl+C arrives as a key. */
  function listen(keys: (typed: Buffer) => void): void {
    onKeys = keys;
    process.stdin.setRawMode(true).on("data", keys).resume();
  }

  function stopListening(keys: (typed: Buffer) => void): void {
    onKeys = null;
    process.stdin.off("data", keys).pause().setRawMode(false);
  }

  async function whileBusy(work: Promise<void>, stop: () => void): Promise<void> {
    listen((typed) => {
      const text = typed.toString("utf8");
      if (text.includes("\u0003")) stop();
      // Arrow keys and the like begin with an escape; they mean nothing yet.
      else if (!text.startsWith("\u001b")) typedAhead += text;
    });
    try {
      await work;
    } finally {
      if (onKeys !== null) stopListening(onKeys);
    }
  }
  return { isPerson: true, next, answer, problem: () => null, whileBusy, close: () => {} };
}

/** One prompt a line; blank lines and comments are left out. Each is shown as if it had been typed. */
export function linePrompts(terminal: Terminal, file: string | null): Prompts {
  const input: Readable = file === null ? process.stdin : createReadStream(file);
  const lines = readLines(input);
  let problem: string | null = null;

  /** A pipe that somebody keeps open must not keep us. */
  const close = (): void => void input.destroy();

  async function next(signal: AbortSignal): Promise<string | null> {
    if (signal.aborted) return null;
    signal.addEventListener("abort", close, { once: true });
    try {
      for (let read = await lines.next(); !read.done; read = await lines.next()) {
        if (read.value.kind === "bad_line") return refuse(`line ${read.value.number}: ${read.value.reason}`);
        const line = read.value.text.trim();
        if (line === "" || line.startsWith("#")) continue;
        terminal.lines([terminal.style.magenta(PROMPT + line), ""]);
        return line;
      }
    } catch (error) {
      // Closed under the loop: we leave.
      if (!input.destroyed) throw error;
      if (input.errored) return refuse(input.errored.message);
    }
    return null;
  }

  function refuse(reason: string): null {
    problem = `${file ?? "the input"}: ${reason}`;
    return null;
  }
  const nobody = (): Promise<null> => Promise.resolve(null);
  return { isPerson: false, next, answer: nobody, problem: () => problem, whileBusy: (work) => work, close };
}

const MAX_PROMPT_LINE_BYTES = 1024 * 1024;

async function* readLines(input: Readable): AsyncGenerator<Frame, void> {
  const splitter = createLineSplitter({ maxLineBytes: MAX_PROMPT_LINE_BYTES });
  for await (const chunk of input as AsyncIterable<Buffer>) yield* splitter.push(chunk);
  yield* splitter.end();
}
