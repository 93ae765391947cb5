/**
 * Runs a tool that speaks the tool protocol on its standard streams: one process, one attempt, one outcome.
 * The sandbox starts the process; `read-events.ts` reads it; `judge-attempt.ts` names the outcome.
 *
 * Invariants:
 * 1. Events reach the sink one at a time, in the order printed; nothing reaches it after the report.
 * 2. The first reason to end the tool wins, and from then on no line is taken any more.
 * 3. Whatever the outcome, the whole process tree has been killed when `run` returns.
 */
import { DEFAULT_MAX_LINE_BYTES } from "@narratoria/tool/ndjson";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningProcess, Sandbox } from "../runtime/seams/sandbox.ts";
import type { AttemptPort, AttemptReport } from "../runtime/seams/tool-runner.ts";
import { judgeAttempt, type Ending } from "./judge-attempt.ts";
import { KEEPS_NOTHING, offerOfManifest, type MountedCall, type MountRunner } from "./mount-runner.ts";
import { readEvents, type ToolOutput } from "./read-events.ts";
import { keepTail } from "./stderr-tail.ts";

export interface ProcessRunnerOptions {
  sandbox: Sandbox;
  maxLineBytes?: number;
  /** Between SIGTERM and SIGKILL. */
  terminateGraceMs?: number;
  /** How long a tool may live on after its `done`. */
  lingerMs?: number;
  /** How long a descendant may keep stdout open after the tool's own exit. */
  drainMs?: number;
}

export function createProcessRunner(options: ProcessRunnerOptions): MountRunner {
  const { sandbox, maxLineBytes = DEFAULT_MAX_LINE_BYTES } = options;
  const { terminateGraceMs = 5_000, lingerMs = 5_000, drainMs = 1_000 } = options;

  async function run(call: MountedCall, port: AttemptPort, signal: AbortSignal): Promise<AttemptReport> {
    const env = { ...call.mount.secrets, NARRATORIA_REQUEST_ID: call.requestId };
    const { command, readFolders, limits, needs } = call.mount.tool;
    const { storyDir } = call.mount;
    const process = await sandbox.launch({
      command,
      storyDir,
      readFolders,
      env,
      limits,
      haste: call.haste,
      grants: needs,
    });
    const stderr = keepTail(process.stderr);
    let ending: Ending | null = null;
    let hasExited = false;
    let killTimer: NodeJS.Timeout | undefined;

    function end(reason: Ending): void {
      if (ending !== null) return;
      ending = reason;
      // Found in the last output of a tool that is gone already: a timer set now would be nobody's to clear.
      if (hasExited) return;
      process.signalTree("SIGTERM");
      killTimer = setTimeout(() => process.signalTree("SIGKILL"), terminateGraceMs);
    }
    const timeLimit = port.clock.after(call.timeoutMs, () => end({ kind: "timeout" }));
    const cancel = (): void => end({ kind: "cancelled", reason: signal.reason });
    let lingerTimer: NodeJS.Timeout | undefined;

    const events = readEvents(process, {
      requestId: call.requestId,
      maxLineBytes,
      maxBytes: limits.outputMb * 1024 * 1024,
      mayQuote: Object.keys(call.mount.secrets).length === 0,
      port,
      isEnding: () => ending !== null,
      onDone: () => {
        if (!hasExited) lingerTimer = setTimeout(() => end({ kind: "lingered", lingerMs }), lingerMs);
      },
      onProblem: end,
    });
    sendInput(process, call);
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel);

    const exit = await process.exited;
    hasExited = true;
    timeLimit.cancel();
    for (const timer of [killTimer, lingerTimer]) clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    await waitForLastOutput(events, stderr.ended, drainMs);
    process.signalTree("SIGKILL");
    process.stdout.destroy();
    await events.finished;
    process.stderr.destroy();
    process.stdin.destroy();
    await process.release();
    if (events.sinkFailure !== null) throw events.sinkFailure.error;

    return {
      outcome: judgeAttempt({ exit, ending, events, timeoutMs: call.timeoutMs }),
      exitCode: exit.kind === "exited" ? exit.exitCode : null,
      signal: exit.kind === "exited" ? exit.signal : null,
      stderrTail: stderr.text(),
      warnings: events.warnings,
      eventsAfterDone: events.linesAfterDone,
      sandbox: sandbox.level,
      trace: { runner: "process", command: [...call.mount.tool.command] },
    };
  }
  return { run, offers: offerOfManifest, ...KEEPS_NOTHING };
}

/** A tool may ignore its input or close it early: a failing write says nothing about the tool. */
function sendInput(process: RunningProcess, call: MountedCall): void {
  const { requestId, operation, input, dependencies, state } = call;
  process.stdin.on("error", () => {});
  process.stdin.end(
    `${JSON.stringify({ requestId, tool: call.mount.tool.skill, operation, input, context: { dependencies, state } })}\n`,
  );
}

/**
 * Waits until the tool's output has been read to its end, or a descendant has kept it open for `drainMs`. When we were
 * the slow side (the sink still works on a chunk), what the pipe held at the exit is still read.
 */
async function waitForLastOutput(events: ToolOutput, stderrEnded: Promise<void>, drainMs: number): Promise<void> {
  let isDrained = false;
  let deadline: NodeJS.Timeout | undefined;
  const drained = Promise.all([events.finished, stderrEnded]).then(() => (isDrained = true));
  await Promise.race([drained, new Promise((late) => (deadline = setTimeout(late, drainMs)))]);
  clearTimeout(deadline);
  if (!events.isBusy()) return;
  const atDeadline = events.bytesRead();
  while (!isDrained && !events.isQuiet() && events.bytesRead() - atDeadline < MOST_BYTES_IN_A_PIPE) {
    await Promise.race([drained, sleep(20)]);
  }
}

const MOST_BYTES_IN_A_PIPE = 1024 * 1024;
