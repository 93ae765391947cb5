/**
 * Starts the Python server that a call needs, with the tool's module imported ahead unless its import starts threads.
 * `python-server.ts` is one such server; `process-pool.ts` keeps it for the next call while its code is the code on the disk.
 */
import type { Sandbox } from "../../runtime/seams/sandbox.ts";
import { hasChangedSince, versionOfFolder, versionOfModules } from "../code-version.ts";
import type { PooledProcess, Started } from "../process-pool.ts";
import { startPythonServer, type PythonServer, type ServerEnd, type ServerSpec } from "./python-server.ts";

export interface WarmServer extends PooledProcess {
  server: PythonServer;
}

type ServerStart = Started<PythonServer> | { kind: "died"; end: ServerEnd };

export type StartWarm = (
  spec: ServerSpec,
  signal: AbortSignal,
) => Promise<Started<WarmServer> | { kind: "died"; end: ServerEnd }>;

export function createServerStarter(sandbox: Sandbox): StartWarm {
  /** The code of which tools starts threads when it is imported: a process with threads cannot be forked safely. */
  const threaded = new Map<string, { files: readonly string[]; version: string }>();

  return async (spec, signal) => {
    const key = JSON.stringify(spec);
    const threads = threaded.get(key);
    let hasThreads = threads !== undefined && threads.version === versionOfModules(threads.files);
    if (!hasThreads) {
      const moment = Date.now();
      const started = await startPythonServer(sandbox, spec, true, signal);
      if (signal.aborted || hasNoPython(started)) return warm(started, spec, null);
      if (started.kind === "started") {
        const { imported, files } = started.process.hello;
        const version = hasChangedSince(files, moment) ? null : currentVersion(spec, started.process);
        if (imported === "ready") return warm(started, spec, version);
        hasThreads = imported === "threads";
        if (hasThreads) threaded.set(key, { files, version: versionOfModules(files) });
        await started.process.end();
      }
      // Whatever went wrong with the import, the call itself goes through it again and tells of it.
    }
    const started = await startPythonServer(sandbox, spec, false, signal);
    const version = hasThreads && started.kind === "started" ? currentVersion(spec, started.process) : null;
    return warm(started, spec, version);
  };
}

/** `version` is that of its code; null when it is not worth keeping. */
function warm(started: ServerStart, spec: ServerSpec, version: string | null): Awaited<ReturnType<StartWarm>> {
  if (started.kind === "died") return started;
  const server = started.process;
  const process: WarmServer = {
    server,
    isUsable: () => spec.reuse && version !== null && server.isAlive(),
    isCurrent: () => version === currentVersion(spec, server),
    cpuMs: () => server.cpuMs(),
    end: () => server.end(),
  };
  return { kind: "started", process };
}

function currentVersion(spec: ServerSpec, server: PythonServer): string {
  // A copy does not follow the original: then everything counts, data too.
  const { storyDir, readFolders } = spec.program;
  if (server.readsCopies) return [...new Set([storyDir, ...readFolders])].map(versionOfFolder).join("\n");
  return versionOfModules(server.hello.files);
}

/** It did not even start: to try without an import would be no different. */
function hasNoPython(started: ServerStart): boolean {
  return started.kind === "died" && started.end.exit.kind === "not_started";
}
