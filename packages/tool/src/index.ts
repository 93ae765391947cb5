/**
 * The SDK: `defineTool` turns a function into a whole tool. `emit.ts` is what the function calls, `protocol.ts` what
 * goes over the wire.
 *
 * Invariants:
 * 1. Exactly one `done` is printed, last, however the handler ends: by returning, throwing, an uncaught exception,
 *    an unhandled rejection, `process.exit`, or a promise that never settles.
 * 2. Only checked events reach stdout. Everything else printed, `console.log` included, goes to stderr.
 * 3. A line is written before the call that emits it returns, so nothing is left to flush, order is call order,
 *    and a slow host slows the tool instead of filling its memory.
 */
import { writeSync } from "node:fs";
import { createEmit, findAssetDir, toLine, type Emit, type NewEvent } from "./emit.ts";
import { readInput } from "./input.ts";
import type { Json, JsonObject } from "./json.ts";

export type { AssetBytes, AssetFile, Emit } from "./emit.ts";
export type { Json, JsonObject } from "./json.ts";
export * from "./protocol.ts";

export interface ToolOptions<Input> {
  /** Shown with `description` when somebody runs the tool in a terminal without input. */
  name?: string;
  description?: string;
  /** Checks and types the input; what it throws is reported like what the handler throws. */
  parse?: (input: JsonObject) => Input;
}

export interface ToolCall {
  requestId: string;
  tool: string;
  operation: string;
  /** What the tools this one depends on gave; null where an optional one failed. */
  dependencies: { [toolId: string]: Json };
  /** The part of the state the manifest's `reads` names; null when it is too large to send whole. */
  state: JsonObject | null;
  /** A writable folder for assets. */
  readonly assetDir: string;
}

/** The summary of a success, or more than that. Nothing is a success without a summary. */
export type ToolResult = string | { ok?: boolean; summary?: string } | undefined | void;

export type ToolHandler<Input> = (input: Input, emit: Emit, call: ToolCall) => ToolResult | Promise<ToolResult>;

/** Throw it to fail with a code of your own. */
export class ToolError extends Error {
  readonly code: string;
  readonly details: JsonObject | undefined;

  constructor(code: string, message: string, details?: JsonObject) {
    super(message);
    this.name = "ToolError";
    this.code = code;
    this.details = details;
  }
}

/** Runs the tool now: call it once, as the last thing a tool's file does. */
export function defineTool<Input = JsonObject>(options: ToolOptions<Input>, handler: ToolHandler<Input>): void {
  keepStdoutForEvents();
  let isDone = false;

  function send(event: NewEvent): void {
    if (isDone) process.stderr.write(`after done, not sent: ${JSON.stringify(event)}\n`);
    else writeToStdout(toLine(event));
  }

  function finish(ok: boolean, summary: string | undefined): void {
    if (isDone) return;
    send({ type: "done", ok, summary });
    isDone = true;
  }

  function fail(thrown: unknown): void {
    if (isDone) return;
    const { code, message, details } = describeThrown(thrown);
    if (thrown instanceof Error && !(thrown instanceof ToolError)) process.stderr.write(`${thrown.stack}\n`);
    sendError(code, message, details);
    finish(false, message);
  }

  function sendError(code: string, message: string, details: JsonObject | undefined): void {
    try {
      send({ type: "error", errorCode: code, errorMessage: message, details });
    } catch {
      // The details are the author's and may not fit into JSON; the code and the message always do.
      send({ type: "error", errorCode: code, errorMessage: message });
    }
  }

  async function run(): Promise<void> {
    if (process.stdin.isTTY && process.argv[2] === undefined) showUsage(options);
    const reading = await readInput(process.stdin, process.argv[2]);
    if (reading.kind === "invalid") throw new ToolError("INVALID_INPUT", reading.reason);
    const { context, input, ...call } = reading.input;
    const typed = options.parse === undefined ? (input as Input) : options.parse(input);
    const result = await handler(typed, createEmit(send, findAssetDir), {
      ...call,
      ...context,
      get assetDir() {
        return findAssetDir();
      },
    });
    const { ok, summary } = readResult(result);
    finish(ok, summary);
  }

  function failAndExit(thrown: unknown): void {
    fail(thrown);
    exitWhenStderrIsWritten();
  }

  process.on("uncaughtException", failAndExit);
  process.on("unhandledRejection", failAndExit);
  process.on("beforeExit", () =>
    fail(new ToolError("NEVER_FINISHED", "The tool waits for something that never comes.")),
  );
  process.on("exit", (code) =>
    fail(new ToolError("EXITED_EARLY", `The tool called process.exit(${code}) before its end.`)),
  );
  run().catch(fail).then(exitWhenStderrIsWritten, failAndExit);
}

/** Without this, one console.log in a library would be a protocol error. */
function keepStdoutForEvents(): void {
  Object.defineProperty(process, "stdout", { configurable: true, get: () => process.stderr });
}

function writeToStdout(line: string): void {
  let bytes = Buffer.from(line);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // Nobody listens any more, so there is nobody to tell either.
      if (code === "EPIPE") process.exit(0);
      // Another process made the pipe non-blocking, and it is full: wait a little.
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

/** A timer or socket the handler left open must not keep a finished tool alive. */
function exitWhenStderrIsWritten(): void {
  process.stderr.write("", () => process.exit());
}

function readResult(result: ToolResult): { ok: boolean; summary: string | undefined } {
  if (result === undefined || result === null) return { ok: true, summary: undefined };
  if (typeof result === "string") return { ok: true, summary: result };
  if (typeof result !== "object") throw new TypeError("a tool returns a summary or {ok, summary}");
  return { ok: result.ok ?? true, summary: result.summary };
}

function describeThrown(thrown: unknown): { code: string; message: string; details: JsonObject | undefined } {
  if (!(thrown instanceof Error)) {
    return { code: "Error", message: String(thrown) || "The tool failed.", details: undefined };
  }
  const own: unknown = "code" in thrown ? thrown.code : undefined;
  const code = typeof own === "string" && own !== "" ? own : thrown.name || "Error";
  const details = thrown instanceof ToolError ? thrown.details : undefined;
  return { code, message: thrown.message || code, details };
}

function showUsage(options: { name?: string; description?: string }): void {
  const title = [options.name ?? "A Narratoria tool", options.description].filter(Boolean).join(": ");
  process.stderr.write(`${title}\nRun with an empty input. To give one: ${process.argv[1]} '{"key":"value"}'\n`);
}
