/** A process that is none: it prints what it is given when it is told to, and keeps account of how it was treated. */
import { PassThrough, Writable } from "node:stream";
import type { ProcessExit, RunningProcess } from "../../src/runtime/seams/sandbox.ts";
import { must } from "./target.ts";

export interface ScriptedProcess {
  process: RunningProcess;
  print(chunks: readonly Buffer[]): Promise<void>;
  /** Closes its output and leaves. */
  exit(exitCode: number): void;
  /** Ended, its streams given up, its folders given back: once. */
  mustBeGone(): void;
}

/** `onLine` hears each line it is sent. */
export function createScriptedProcess(onLine: (line: string) => void): ScriptedProcess {
  const stdout = new PassThrough({ highWaterMark: 1024 * 1024 });
  const stderr = new PassThrough();
  const { promise: exited, resolve } = Promise.withResolvers<ProcessExit>();
  let released = 0;
  let held = "";
  const stdin = new Writable({
    write(chunk: Buffer, _, done) {
      held += chunk.toString("utf8");
      for (let end = held.indexOf("\n"); end >= 0; end = held.indexOf("\n")) {
        onLine(held.slice(0, end));
        held = held.slice(end + 1);
      }
      done();
    },
  });

  function leave(exitCode: number | null, signal: string | null): void {
    if (!stdout.writableEnded) stdout.end();
    if (!stderr.writableEnded) stderr.end();
    resolve({ kind: "exited", exitCode, signal, overLimit: null });
  }
  // Nobody reads what a killed process would have printed.
  stdout.on("error", () => {});

  return {
    process: {
      stdin,
      stdout,
      stderr,
      exited,
      signalTree: (signal) => leave(null, signal),
      cpuMs: () => null,
      readsCopies: false,
      asset: (_, mediaType) => ({ mediaType, open: () => Promise.resolve({ kind: "refused", reason: "none" }) }),
      release: () => {
        released++;
        return Promise.resolve();
      },
    },
    print: async (chunks) => {
      for (const chunk of chunks) {
        if (stdout.writableEnded || stdout.destroyed) return;
        stdout.write(chunk);
        // One at a time, as a pipe would bring them.
        if (chunks.length > 1) await new Promise((next) => setImmediate(next));
      }
    },
    exit: (exitCode) => leave(exitCode, null),
    mustBeGone: () => {
      must(stdout.destroyed && stdin.destroyed && stderr.destroyed, "a stream of the process is still open");
      must(released === 1, `its folders were given back ${released} times`);
    },
  };
}
