/** The host's end of one process that reads and runs a story's text; `story-processes.ts` keeps a few of them. */
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { createLineSplitter } from "@narratoria/tool/ndjson";
import { ownModule } from "../../installation.ts";
import { startChild } from "../seams/start-child.ts";
import type { Job } from "./story-job.ts";

export type JobEnd =
  | { kind: "answer"; answer: unknown }
  | { kind: "over_time" }
  | { kind: "too_large" }
  /** `hadServed`: it had done other jobs before. */
  | { kind: "died"; how: string; hadServed: boolean }
  | { kind: "threw"; message: string }
  | { kind: "not_started"; reason: string }
  | { kind: "cancelled" };

export interface StoryProcess {
  run(job: Job<never, unknown>, args: unknown, key: string, signal: AbortSignal | undefined): Promise<JobEnd>;
  /** Loads a module of jobs ahead of time. */
  load(module: URL): void;
  /** Whether it has worked for this story before. */
  knows(key: string): boolean;
  isAlive(): boolean;
  kill(): void;
}

/** What a process is sent, one line each; it answers each job with two: that it begins, and what came of it. */
export type ProcessRequest =
  | { kind: "load"; module: string }
  | { kind: "job"; module: string; name: string; args: unknown; mostAnswerBytes: number };

export type ProcessAnswer =
  | { kind: "begun" }
  | { kind: "answer"; answer: unknown }
  | { kind: "too_large" }
  | { kind: "threw"; message: string };

/** For starting a process and loading what it needs, on however busy a machine. */
const START_MS = 60_000;
/** JavaScript's own heap; a string that doubles runs into this. */
const HEAP_MB = 256;
/** All that is allocated, also outside that heap; Node itself sets aside 0.6 GiB that it never uses. */
const DATA_BYTES = 2 * 1024 * 1024 * 1024;
const PRLIMIT = "/usr/bin/prlimit";

export function startStoryProcess(): StoryProcess {
  const started = startNode();
  return started.kind === "started" ? speakWith(started) : neverStarted(started.reason);
}

/** Dead from the start: whoever has a job for it hears why. */
function neverStarted(reason: string): StoryProcess {
  const run = (): Promise<JobEnd> => Promise.resolve({ kind: "not_started", reason });
  return { run, load: () => {}, knows: () => false, isAlive: () => false, kill: () => {} };
}

function speakWith({ child, requests, answers }: StartedNode): StoryProcess {
  const known = new Set<string>();
  let served = 0;
  let ended: string | null = null;
  let onExit: (how: string) => void = () => {};

  const note = (how: string): void => {
    ended ??= how;
    onExit(ended);
  };
  child.on("error", (error) => note(error.message));
  child.on("exit", (code, signal) => note(signal ?? `exit code ${code}`));
  // A process that dies while it is written to: its exit says why.
  requests.on("error", () => {});
  answers.on("error", () => {});

  const send = (request: ProcessRequest): void => void requests.write(`${JSON.stringify(request)}\n`);
  const kill = (): void => {
    ended ??= "killed";
    child.kill("SIGKILL");
  };

  function run(
    { module, name, timeLimitMs, mostAnswerBytes }: Job<never, unknown>,
    args: unknown,
    key: string,
    signal: AbortSignal | undefined,
  ): Promise<JobEnd> {
    if (signal?.aborted) return Promise.resolve({ kind: "cancelled" });
    const hadServed = served++ > 0;
    known.add(key);
    return new Promise((resolve) => {
      // Room for the words around the answer, which the process leaves out when it measures.
      const splitter = createLineSplitter({ maxLineBytes: mostAnswerBytes + 1024 });
      const settle = (end: JobEnd): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        answers.off("data", onData);
        onExit = () => {};
        answers.unref();
        resolve(end);
      };
      const giveUp = (end: JobEnd): void => {
        kill();
        settle(end);
      };
      const onAbort = (): void => giveUp({ kind: "cancelled" });
      const onData = (chunk: Buffer): void => {
        for (const frame of splitter.push(chunk)) {
          if (frame.kind === "bad_line") return giveUp({ kind: "too_large" });
          const answer = JSON.parse(frame.text) as ProcessAnswer;
          if (answer.kind !== "begun") return settle(answer);
          clearTimeout(timer);
          timer = setTimeout(() => giveUp({ kind: "over_time" }), timeLimitMs);
        }
      };
      let timer = setTimeout(() => giveUp({ kind: "over_time" }), START_MS);
      onExit = (how) => settle({ kind: "died", how, hadServed });
      signal?.addEventListener("abort", onAbort, { once: true });
      answers.on("data", onData);
      answers.ref();
      if (ended !== null) onExit(ended);
      else send({ kind: "job", module: module.href, name, args, mostAnswerBytes });
    });
  }

  return {
    run,
    load: (url) => send({ kind: "load", module: url.href }),
    knows: (key) => known.has(key),
    isAlive: () => ended === null,
    kill,
  };
}

interface StartedNode {
  kind: "started";
  child: ChildProcess;
  requests: Socket;
  answers: Socket;
}

function startNode(): StartedNode | { kind: "not_started"; reason: string } {
  const entry = fileURLToPath(ownModule("runtime/mounts/story-process"));
  const node = [process.execPath, `--max-old-space-size=${HEAP_MB}`, "--disable-warning=ExperimentalWarning", entry];
  const limits = existsSync(PRLIMIT) ? [PRLIMIT, `--data=${DATA_BYTES}`, "--core=0", "--"] : [];
  const [program = "", ...args] = [...limits, ...node];
  const started = startChild(program, args, {
    cwd: "/",
    env: environment(),
    // ink prints what it thinks of a story; answers have a channel of their own, which also tells that the host lives.
    stdio: ["pipe", "ignore", "ignore", "pipe"],
    // Ctrl+C in a terminal is for the host alone, which has yet to end its turns.
    detached: true,
  });
  if (started.kind === "not_started") return started;
  const { child } = started;
  const [requests, , , answers] = child.stdio;
  if (!(requests instanceof Socket) || !(answers instanceof Socket)) throw new Error("no channel to the story process");
  child.unref();
  requests.unref();
  answers.unref();
  return { kind: "started", child, requests, answers };
}

/** What finding programs and folders takes; no secret of the host's. */
const PASSED_ON = ["PATH", "HOME", "LANG", "TMPDIR", "TZ"];

function environment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  const cache = module.getCompileCacheDir();
  if (cache !== undefined) env["NODE_COMPILE_CACHE"] = cache;
  return env;
}
