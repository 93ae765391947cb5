/**
 * Keeps Python servers warm between calls: for one tool in one story with one set of grants, and as long as its code is
 * the code on the disk. A server serves one call at a time; calls at the same time get servers of their own.
 */
import type { Sandbox } from "../../runtime/seams/sandbox.ts";
import { hasChangedSince, versionOf, versionOfFolder } from "./code-version.ts";
import { startServer, type PythonServer, type ServerSpec, type ServerStart } from "./python-server.ts";

export interface ServerPool {
  /** A server that nobody else is using. */
  take(spec: ServerSpec, signal: AbortSignal): Promise<ServerStart>;
  /** It has served its call and may serve the next. */
  giveBack(spec: ServerSpec, server: PythonServer): void;
  close(): Promise<void>;
}

export interface PoolOptions {
  /** How long a server waits for the next call. */
  idleMs?: number;
  mostIdle?: number;
  /** The kernel counts a server's CPU time too, so it may not serve for ever. */
  mostCalls?: number;
}

interface Served {
  calls: number;
  /** Of its code; null when it is not worth keeping. */
  version: string | null;
}

interface IdleServer extends Served {
  key: string;
  server: PythonServer;
  timer: NodeJS.Timeout;
}

export function createServerPool(sandbox: Sandbox, options: PoolOptions = {}): ServerPool {
  const { idleMs = 30_000, mostIdle = 8, mostCalls = 500 } = options;
  const idle = new Set<IdleServer>();
  const busy = new Map<PythonServer, Served>();
  const ending = new Set<Promise<unknown>>();
  /** The code of which tools starts threads when it is imported. */
  const threaded = new Map<string, { files: readonly string[]; version: string }>();
  const closing = new AbortController();

  async function take(spec: ServerSpec, signal: AbortSignal): Promise<ServerStart> {
    const key = JSON.stringify(spec);
    for (const entry of idle) {
      if (entry.key !== key) continue;
      remove(entry);
      if (entry.server.isAlive() && entry.version === currentVersion(spec, entry.server)) {
        busy.set(entry.server, { version: entry.version, calls: entry.calls + 1 });
        return { kind: "server", server: entry.server };
      }
      retire(entry.server);
    }
    return start(spec, key, signal);
  }

  async function start(spec: ServerSpec, key: string, cancelled: AbortSignal): Promise<ServerStart> {
    const signal = AbortSignal.any([cancelled, closing.signal]);
    const threads = threaded.get(key);
    let hasThreads = threads !== undefined && threads.version === versionOf(threads.files);
    if (!hasThreads) {
      const moment = Date.now();
      const started = await startServer(sandbox, spec, true, signal);
      if (signal.aborted || hasNoPython(started)) return started;
      if (started.kind === "server") {
        const { imported, files } = started.server.hello;
        const version = hasChangedSince(files, moment) ? null : currentVersion(spec, started.server);
        if (imported === "ready") return keep(started, version);
        hasThreads = imported === "threads";
        if (hasThreads) threaded.set(key, { files, version: versionOf(files) });
        retire(started.server);
      }
      // Whatever went wrong with the import, the call itself goes through it again and tells of it.
    }
    const started = await startServer(sandbox, spec, false, signal);
    return keep(started, hasThreads && started.kind === "server" ? currentVersion(spec, started.server) : null);
  }

  function keep(started: ServerStart, version: string | null): ServerStart {
    if (started.kind === "server") busy.set(started.server, { version, calls: 1 });
    return started;
  }

  function giveBack(spec: ServerSpec, server: PythonServer): void {
    const served = busy.get(server);
    busy.delete(server);
    const isWorn = served === undefined || served.version === null || served.calls >= mostCalls || !server.isAlive();
    if (closing.signal.aborted || !spec.reuse || isWorn) {
      retire(server);
      return;
    }
    const timer = setTimeout(() => drop(entry), idleMs).unref();
    const entry: IdleServer = { ...served, key: JSON.stringify(spec), server, timer };
    idle.add(entry);
    const [oldest] = idle;
    if (idle.size > mostIdle && oldest !== undefined) drop(oldest);
  }

  function drop(entry: IdleServer): void {
    remove(entry);
    retire(entry.server);
  }

  function remove(entry: IdleServer): void {
    idle.delete(entry);
    clearTimeout(entry.timer);
  }

  function retire(server: PythonServer): void {
    busy.delete(server);
    const ended: Promise<unknown> = server.end().finally(() => ending.delete(ended));
    ending.add(ended);
  }

  async function close(): Promise<void> {
    closing.abort();
    for (const entry of idle) drop(entry);
    for (const server of busy.keys()) retire(server);
    await Promise.all(ending);
  }
  return { take, giveBack, close };
}

function currentVersion(spec: ServerSpec, server: PythonServer): string {
  // A copy does not follow the original: then everything counts, data too.
  const { storyDir, readFolders } = spec.program;
  if (server.readsCopies) return [...new Set([storyDir, ...readFolders])].map(versionOfFolder).join("\n");
  return versionOf(server.hello.files);
}

/** It did not even start: to try without an import would be no different. */
function hasNoPython(started: ServerStart): boolean {
  return started.kind === "died" && started.end.exit.kind === "not_started";
}
