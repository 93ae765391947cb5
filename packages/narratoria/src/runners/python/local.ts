/**
 * Calls a Python function in a process of its own, in the sandbox. `process-pool.ts` keeps one that has imported
 * the function's module already, from which it is forked; `response.ts` reads what comes back.
 *
 * Invariants:
 * 1. What the function prints goes to the log, line by line; only what it returns or raises decides.
 * 2. When `run` returns, the call's process and its descendants are gone.
 */
import { Buffer } from "node:buffer";
import type { JsonObject } from "@narratoria/tool/json";
import type { EquippedMount, ResolvedTool } from "../../runtime/seams/resolved-tool.ts";
import type { Sandbox } from "../../runtime/seams/sandbox.ts";
import type { AttemptPort, AttemptReport } from "../../runtime/seams/tool-runner.ts";
import { offerOfManifest, type MountedCall, type MountRunner } from "../mount-runner.ts";
import { judgeEnding, OVER_LIMIT, outputLimit } from "../judge-attempt.ts";
import { createProcessPool, type ProcessIdentity, type ProcessPoolOptions } from "../process-pool.ts";
import { createTail } from "../stderr-tail.ts";
import { startLimits, type CallLimits } from "./call-limits.ts";
import { findInterpreter, type Interpreter } from "./interpreter.ts";
import { createPrintLines, type PrintLines } from "./print-lines.ts";
import type { ServerEnd, ServerSpec, TakeOutput } from "./python-server.ts";
import {
  cannotStart,
  concludeCall,
  crashed,
  lastLine,
  NO_EXIT,
  readResponse,
  responseTooLarge,
  tampered,
  type MadeCall,
} from "./response.ts";
import { requestFor, traceOf } from "./trace.ts";
import { createServerStarter, type WarmServer } from "./warm-server.ts";

export interface LocalOptions extends Partial<ProcessPoolOptions> {
  sandbox: Sandbox;
  maxResponseBytes: number;
}

const KEPT: ProcessPoolOptions = {
  callersAtOnce: 1,
  idleMs: 30_000,
  mostIdle: 16,
  idleCpuMs: 2_000,
  // The kernel counts a server's CPU time too, so it may not serve for ever.
  mostCalls: 500,
};

export function createLocalRunner({ sandbox, maxResponseBytes, ...options }: LocalOptions): MountRunner {
  const pool = createProcessPool<WarmServer>({ ...KEPT, ...options });
  const startWarm = createServerStarter(sandbox);

  async function run(call: MountedCall, port: AttemptPort, signal: AbortSignal): Promise<AttemptReport> {
    const began = port.clock.elapsed();
    const python = findInterpreter(foldersOf(call.mount.tool), sandbox.level);
    const limits = startLimits(call, port, signal);
    const output = gatherOutput(port, limits, {
      maxResponseBytes,
      maxPrintedBytes: call.mount.tool.limits.outputMb * 1024 * 1024,
    });
    let chances = 3;
    const { pythonPath: path, ...made }: LocalCall =
      python.problem === null ? await makeCall() : cannotStart(python.problem);
    limits.stop();
    if (output.sinkFailure() !== null) throw output.sinkFailure()?.error;
    return {
      ...made,
      warnings: made.warnings ?? [],
      eventsAfterDone: 0,
      sandbox: sandbox.level,
      trace: traceOf(call, "local", port.clock.elapsed() - began, pythonTrace(python, path)),
    };

    async function makeCall(): Promise<LocalCall> {
      const spec = specFor(call.mount, python);
      const lease = await pool.take(identityOf(call, spec), (closing) =>
        startWarm(spec, AbortSignal.any([limits.signal, closing])),
      );
      if (lease.kind === "died") return neverCalled(lease.end);
      const { server } = lease.process;
      const hangUp = (): void => void server.end();
      limits.signal.addEventListener("abort", hangUp);
      if (limits.signal.aborted) hangUp();
      const called = await server.call(requestFor(call), { NARRATORIA_REQUEST_ID: call.requestId }, output.take);
      limits.signal.removeEventListener("abort", hangUp);
      if (called.kind === "not_begun" && limits.ending() === null && --chances > 0) {
        await server.end();
        lease.release();
        return makeCall();
      }
      const exit = called.kind === "ended" && limits.ending() === null ? called.exit : null;
      limits.stop();
      await output.finish();
      const pythonPath = server.hello.python;
      if (exit !== null) {
        if (!spec.reuse) await server.end();
        lease.release();
        const bytes = output.response();
        const response = bytes.length === 0 ? null : readResponse(bytes);
        return { ...concludeCall(response, exit, output.stderrTail()), pythonPath };
      }
      const end = await server.end();
      lease.release();
      const isBroken = called.kind === "broken" && limits.ending() === null;
      return { ...(isBroken ? tampered(output.stderrTail() + end.stderrTail) : neverEnded(end)), pythonPath };
    }

    /** The server is gone, and the call with it: we ended it, it used too much, or it was killed. */
    function neverEnded({ exit, stderrTail }: ServerEnd): MadeCall {
      const ending = limits.ending();
      const what = exit.kind === "exited" ? { exitCode: exit.exitCode, signal: exit.signal } : NO_EXIT;
      const tail = output.stderrTail() + stderrTail;
      if (ending !== null) return { outcome: judgeEnding(ending, call.timeoutMs), ...what, stderrTail: tail };
      if (exit.kind === "exited" && exit.overLimit !== null) {
        return { outcome: crashed(...OVER_LIMIT[exit.overLimit]), ...what, stderrTail: tail };
      }
      return { outcome: crashed("SIGNALLED", "the tool's process was killed"), ...what, stderrTail: tail };
    }

    function neverCalled(end: ServerEnd): MadeCall {
      if (limits.ending() !== null) return neverEnded(end);
      if (end.exit.kind === "not_started") return cannotStart(end.exit.reason, NO_EXIT, end.stderrTail);
      if (end.exit.overLimit !== null) return neverEnded(end);
      return cannotStart(`Python ended before the call: ${lastLine(end.stderrTail)}`, NO_EXIT, end.stderrTail);
    }
  }
  return {
    run,
    offers: offerOfManifest,
    endSession: (sessionId) => pool.endSession(sessionId),
    close: () => pool.close(),
  };
}

/** As the interpreter itself says; unknown when it never got so far. */
type LocalCall = MadeCall & { pythonPath?: string };

interface OutputLimits {
  maxResponseBytes: number;
  maxPrintedBytes: number;
}

/** Where everything goes that comes out of a call. */
function gatherOutput(port: AttemptPort, limits: CallLimits, { maxResponseBytes, maxPrintedBytes }: OutputLimits) {
  const stderr = createTail();
  const lines = createPrintLines();
  const pieces: Buffer[] = [];
  let responseBytes = 0;
  let printedBytes = 0;
  let failure: { error: unknown } | null = null;

  const take: TakeOutput = (kind, data) => {
    if (limits.ending() !== null) return;
    if (kind === "response") {
      responseBytes += data.length;
      if (responseBytes <= maxResponseBytes) pieces.push(Buffer.from(data));
      else limits.end({ kind: "refused", error: responseTooLarge(maxResponseBytes) });
      return;
    }
    printedBytes += data.length;
    if (printedBytes > maxPrintedBytes) limits.end({ kind: "refused", error: outputLimit(maxPrintedBytes) });
    else if (kind === "stderr") stderr.push(data);
    else return log(lines.push(data));
    return;
  };

  async function log(events: ReturnType<PrintLines["push"]>): Promise<void> {
    try {
      for (const event of events) {
        const refused = await port.take(event);
        if (refused !== undefined) limits.end({ kind: "refused", error: refused });
      }
      await port.flush();
    } catch (error) {
      failure ??= { error };
      limits.end({ kind: "cancelled", reason: error });
    }
  }
  return {
    take,
    finish: () => log(lines.end()),
    response: () => Buffer.concat(pieces),
    stderrTail: () => stderr.text(),
    sinkFailure: () => failure,
  };
}

/** Where its modules are. */
function foldersOf({ dir, imports = [] }: ResolvedTool): string[] {
  return [dir, ...imports];
}

function specFor({ tool, storyDir, secrets }: EquippedMount, python: Interpreter): ServerSpec {
  return {
    python: python.program,
    folders: foldersOf(tool),
    entry: tool.manifest?.entry ?? "",
    environment: tool.env ?? {},
    // What was written under a grant is given back when the process ends.
    reuse: !tool.needs.some((grant) => grant.startsWith("fs.write")),
    program: {
      storyDir,
      readFolders: [...tool.readFolders, ...python.readFolders],
      env: secrets,
      limits: tool.limits,
      grants: tool.needs,
    },
  };
}

/**
 * A session has servers of its own: what one session's call sends is read by a process that runs the tool's module, which
 * could keep it there for the next.
 */
function identityOf(
  {
    mount: {
      tool: { manifest },
    },
    sessionId,
  }: MountedCall,
  spec: ServerSpec,
): ProcessIdentity {
  const { program, ...setting } = spec;
  return {
    program: { ...program, command: [] },
    manifest,
    setting,
    sessionId: manifest?.shared === true ? null : sessionId,
  };
}

function pythonTrace(python: Interpreter, path: string | undefined): JsonObject {
  return { python_env: python.env, python_path: path ?? python.program, deps_source: python.depsSource };
}
