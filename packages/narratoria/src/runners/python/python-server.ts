/**
 * One Python process that has imported a tool's module and forks for every call: started in the sandbox, spoken with in
 * frames. `tool_host.py` is the other side; `warm-server.ts` starts it, `server-messages.ts` reads what it says.
 *
 * The tool's module runs in that process, and may write to our side of the conversation what it likes. So the messages
 * carry ids that are drawn for each of them, come in one order only, and whatever else arrives breaks the conversation:
 * that is the end of the call and of the server, never an exception.
 */
import type { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "@narratoria/tool/json";
import { ownFile } from "../../installation.ts";
import type { ProcessExit, Program, RunningProcess, Sandbox } from "../../runtime/seams/sandbox.ts";
import type { Started } from "../process-pool.ts";
import { keepTail } from "../stderr-tail.ts";
import { readFrames, type ServerFrame } from "./frames.ts";
import type { CallExit } from "./response.ts";
import { isBegin, readExit, readHello, type Hello } from "./server-messages.ts";

const TOOL_HOST = ownFile("runners/python/tool_host.py");

export interface ServerSpec {
  /** Which Python. */
  python: string;
  /** Where modules are imported from, in this order. */
  folders: readonly string[];
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
  cpuMs(): number | null;
}

export type CallEnd =
  | { kind: "ended"; exit: CallExit }
  /** The server died, and the call with it. */
  | { kind: "lost" }
  /** The server was dead before the call began: it can be made elsewhere. */
  | { kind: "not_begun" }
  /** What came is nothing that a server says. */
  | { kind: "broken" };

export type TakeOutput = (kind: "stdout" | "stderr" | "response", data: Buffer) => void | Promise<void>;

export interface ServerEnd {
  exit: ProcessExit;
  stderrTail: string;
}

/** How long a server without a sandbox may take to end its call when we hang up. */
const HANG_UP_MS = 3_000;

export async function startPythonServer(
  sandbox: Sandbox,
  spec: ServerSpec,
  preload: boolean,
  signal: AbortSignal,
): Promise<Started<PythonServer> | { kind: "died"; end: ServerEnd }> {
  const { program, python, folders, entry, environment, reuse } = spec;
  const readFolders = [...program.readFolders, TOOL_HOST];
  // Nothing is written beside the story's modules.
  const command = [python, "-B", TOOL_HOST, ...folders];
  let process: RunningProcess;
  try {
    process = await sandbox.launch({ ...program, readFolders, command });
  } catch (error) {
    return { kind: "died", end: { exit: { kind: "not_started", reason: (error as Error).message }, stderrTail: "" } };
  }
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
  const id = randomUUID();
  const setting = { id, entry, environment, reuse, preload, alone: sandbox.level === "full" };
  process.stdin.write(`${JSON.stringify(setting)}\n`);
  const first = await nextFrame(frames);
  signal.removeEventListener("abort", abort);
  const shown = sandbox.level === "full" ? [...folders, program.storyDir, ...readFolders] : null;
  const hello = first?.kind === "hello" && !signal.aborted ? readHello(first.data, id, shown) : null;
  if (hello === null) {
    // Its own end tells more than ours would; but what sends no hello and does not end either is ended.
    if (first === null) await Promise.race([exited, sleep(HANG_UP_MS, undefined, { ref: false })]);
    return { kind: "died", end: await end() };
  }

  async function call(request: JsonObject, callEnvironment: JsonObject, take: TakeOutput): Promise<CallEnd> {
    const callId = randomUUID();
    process.stdin.write(`${JSON.stringify({ id: callId, request, environment: callEnvironment })}\n`);
    const begin = await nextFrame(frames);
    if (begin === null) return { kind: "not_begun" };
    if (begin.kind !== "begin" || !isBegin(begin.data, callId)) return { kind: "broken" };
    for (let frame = await nextFrame(frames); frame !== null; frame = await nextFrame(frames)) {
      if (frame.kind === "exit") {
        const exit = readExit(frame.data, callId);
        return exit === null ? { kind: "broken" } : { kind: "ended", exit };
      }
      if (frame.kind !== "stdout" && frame.kind !== "stderr" && frame.kind !== "response") return { kind: "broken" };
      const taken = take(frame.kind, frame.data);
      if (taken !== undefined) await taken;
    }
    return { kind: "lost" };
  }
  const readsCopies = process.readsCopies;
  const isAlive = (): boolean => alive && ending === undefined;
  const server = { hello, readsCopies, call, end, isAlive, cpuMs: () => process.cpuMs() };
  return { kind: "started", process: server };
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

/** Null when there is nothing more: the server is gone. */
async function nextFrame(frames: AsyncGenerator<ServerFrame, void>): Promise<ServerFrame | null> {
  try {
    const next = await frames.next();
    return next.done ? null : next.value;
  } catch {
    return null;
  }
}
