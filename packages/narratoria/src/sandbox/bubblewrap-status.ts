/** What bubblewrap reports on its status descriptor: who the tool's init is, and how the tool itself ended. */
import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { findRefusal } from "./begin-inside.ts";

export interface BubblewrapStatus {
  /** The first process of the tool's PID namespace, in our own numbering; undefined when it never came to be. */
  readonly initPid: Promise<number | undefined>;
  readonly exited: Promise<
    { kind: "exited"; exitCode: number | null; signal: string | null } | { kind: "not_started"; reason: string }
  >;
}

export function readStatus(child: ChildProcess): BubblewrapStatus {
  let reports = "";
  let complaints = "";
  let exitCode: number | null = null;
  let foundPid: (pid: number | undefined) => void = () => {};
  const initPid = new Promise<number | undefined>((found) => (foundPid = found));

  (child.stdio[3] as Readable)
    .on("error", () => {})
    .on("data", (chunk: Buffer) => {
      reports += chunk.toString();
      const pid = /"child-pid": (\d+)/.exec(reports);
      if (pid !== null) foundPid(Number(pid[1]));
      const code = /"exit-code": (\d+)/.exec(reports);
      if (code !== null) exitCode = Number(code[1]);
    });
  child.stderr?.on("data", (chunk: Buffer) => {
    if (complaints.length < 4096) complaints += chunk.toString();
  });

  const exited = new Promise<Awaited<BubblewrapStatus["exited"]>>((settle) => {
    child.once("error", (error) => {
      foundPid(undefined);
      if (child.pid === undefined) settle({ kind: "not_started", reason: `bubblewrap: ${error.message}` });
    });
    child.once("exit", (_, signal) => {
      // The status pipe may still hold the exit code: it ends when bubblewrap has.
      const pipe = child.stdio[3] as Readable;
      const conclude = (): void => {
        foundPid(undefined);
        settle(conclusion(signal));
      };
      if (pipe.readableEnded || pipe.destroyed) conclude();
      else pipe.once("close", conclude);
    });
  });

  function conclusion(bwrapSignal: string | null): Awaited<BubblewrapStatus["exited"]> {
    const refusal = findRefusal(complaints);
    if (refusal !== null && (exitCode === 126 || exitCode === 127)) {
      return { kind: "not_started", reason: `${refusal} (inside the sandbox; is its interpreter outside /usr?)` };
    }
    if (exitCode !== null) return { kind: "exited", exitCode, signal: signalOf(exitCode) };
    if (bwrapSignal !== null) return { kind: "exited", exitCode: null, signal: bwrapSignal };
    return { kind: "not_started", reason: complaints.trim() || "bubblewrap gave no reason" };
  }
  return { initPid, exited };
}

/** Inside the sandbox death by signal n shows as exit code 128 + n. */
function signalOf(exitCode: number): string | null {
  if (exitCode <= 128) return null;
  const found = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128);
  return found?.[0] ?? null;
}
