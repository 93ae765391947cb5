/**
 * One Python process that has imported a tool's module and forks for every call: started in the sandbox, spoken with in
 * frames. `tool_host.py` is the other side; `server-pool.ts` decides how long it is kept.
 */
import type { Buffer } from "node:buffer";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@narratoria/tool/json";
import type { ProcessExit, Program, RunningProcess, Sandbox } from "../../runtime/seams/sandbox.ts";
import { keepTail } from "../stderr-tail.ts";
import { readFrames, type ServerFrame } from "./frames.ts";
import type { CallExit } from "./response.ts";

const TOOL_HOST = fileURLToPath(new URL("./tool_host.py", import.meta.url));

export interface ServerSpec {
  /** Which Python. */
  python: string;
  /** Where modules are imported from. */
  folder: string;
  entry: string;
  /** Set inside, for it comes from the story: some variables have a meaning to the sandbox's own program. */
  environment: Readonly<Record<string, string>>;
  program: Omit<Program, "command">;
  /** Whether it may serve further calls; else it ends by itself after the first. */
  reuse: boolean;
}

export interface PythonServer {
  readonly hello: Hello;
  readonly readsCopies: boolean;
  /** Makes one call; only one at a time. */
  call(request: JsonObject, environment: JsonObject, take: TakeOutput): Promise<CallEnd>;
  /** Ends it and everything it started. How it had ended, if it had. */
  end(): Promise<ServerEnd>;
  isAlive(): boolean;
}

export interface Hello {
  /** The interpreter's own path. */
  python: string;
  /** "threads": its module runs threads, so it cannot be forked safely. */
  imported: "ready" | "failed" | "threads" | "not yet";
  /** Whose change makes it out of date. */
  files: string[];
}

export type CallEnd =
  | { kind: "ended"; exit: CallExit }
  /** The server died, and the call with it. */
  | { kind: "lost" }
  /** The server was dead before the call began: it can be made elsewhere. */
  | { kind: "not_begun" };

export type TakeOutput = (kind: "stdout" | "stderr" | "response", data: Buffer) => void | Promise<void>;

export interface ServerEnd {
  exit: ProcessExit;
  stderrTail: string;
}

export type ServerStart = { kind: "server"; server: PythonServer } | { kind: "died"; end: ServerEnd };

/** How long a server without a sandbox may take to end its call when we hang up. */
const HANG_UP_MS = 3_000;

export async function startServer(
  sandbox: Sandbox,
  spec: ServerSpec,
  preload: boolean,
  signal: AbortSignal,
): Promise<ServerStart> {
  const { program, python, folder, entry, environment, reuse } = spec;
  const readFolders = [...program.readFolders, TOOL_HOST];
  // Nothing is written beside the story's modules.
  const process = await sandbox.launch({ ...program, readFolders, command: [python, "-B", TOOL_HOST, folder] });
  const stderr = keepTail(process.stderr);
  let alive = true;
  let ending: Promise<ServerEnd> | undefined;
  const exited = process.exited.then((exit) => {
    alive = false;
    return exit;
  });
  const frames = readFrames(process.stdout as AsyncIterable<Buffer>);
  process.stdin.on("error", () => {});

  const end = (): Promise<ServerEnd> => (ending ??= endProcess());
  async function endProcess(): Promise<ServerEnd> {
    if (alive) await hangUp(process, exited, sandbox.level === "full");
    const exit = await exited;
    process.stdout.destroy();
    process.stderr.destroy();
    process.stdin.destroy();
    await process.release();
    return { exit, stderrTail: stderr.text() };
  }

  const abort = (): void => void end();
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort);
  const setting = { entry, environment, reuse, preload, alone: sandbox.level === "full" };
  process.stdin.write(`${JSON.stringify(setting)}\n`);
  const first = await nextFrame(frames);
  signal.removeEventListener("abort", abort);
  if (first === null || first.kind !== "hello" || signal.aborted) {
    // Its own end tells more than ours would; but what sends no hello and does not end either is ended.
    if (first === null) await Promise.race([exited, sleep(HANG_UP_MS, undefined, { ref: false })]);
    return { kind: "died", end: await end() };
  }
  const hello = JSON.parse(first.data.toString("utf8")) as Hello;

  async function call(request: JsonObject, callEnvironment: JsonObject, take: TakeOutput): Promise<CallEnd> {
    let hasBegun = false;
    process.stdin.write(`${JSON.stringify({ request, environment: callEnvironment })}\n`);
    for (let frame = await nextFrame(frames); frame !== null; frame = await nextFrame(frames)) {
      if (frame.kind === "exit") return { kind: "ended", exit: readExit(frame.data) };
      if (frame.kind === "hello") break;
      hasBegun = true;
      if (frame.kind === "begin") continue;
      const taken = take(frame.kind, frame.data);
      if (taken !== undefined) await taken;
    }
    return { kind: hasBegun ? "lost" : "not_begun" };
  }
  const readsCopies = process.readsCopies ?? false;
  return { kind: "server", server: { hello, readsCopies, call, end, isAlive: () => alive && ending === undefined } };
}

/** In namespaces of its own everything ends with the kill. Elsewhere the server ends its call when we hang up. */
async function hangUp(process: RunningProcess, exited: Promise<ProcessExit>, isConfined: boolean): Promise<void> {
  if (!isConfined) {
    process.stdin.destroy();
    process.stdout.destroy();
    await Promise.race([exited, sleep(HANG_UP_MS)]);
  }
  process.signalTree("SIGKILL");
}

/** Null when there is nothing more: the server is gone, or says things that are no frames. */
async function nextFrame(frames: AsyncGenerator<ServerFrame, void>): Promise<ServerFrame | null> {
  try {
    const next = await frames.next();
    return next.done ? null : next.value;
  } catch {
    return null;
  }
}

function readExit(data: Buffer): CallExit {
  const { exitCode, signal } = JSON.parse(data.toString("utf8")) as { exitCode: number | null; signal: number | null };
  const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0];
  return { exitCode, signal: signal === null ? null : (name ?? `signal ${signal}`) };
}
