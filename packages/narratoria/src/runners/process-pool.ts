/**
 * Keeps processes between calls: started on first use, given again to whoever asks for the same, ended when nobody needs
 * them. `modules.ts` keeps modules in one, where calls share a process; `python/local.ts` keeps Python servers in
 * another, where each call has a process to itself.
 *
 * Invariants:
 * 1. Two callers share a process only when everything in their identities is equal.
 * 2. Whatever was started is ended: at rest for too long, too busy at rest, out of date, its session gone, or `close`.
 * 3. A process that is leased is ended only after its last lease, except by `close`.
 */
import type { Program } from "../runtime/seams/sandbox.ts";
import type { ModuleDescriptor } from "../story/module-descriptor.ts";

export interface ProcessPool<P extends PooledProcess> {
  /** One that is free, or a new one. What `start` answers instead of a process is passed on. */
  take<Failure extends { kind: string }>(
    identity: ProcessIdentity,
    start: (closing: AbortSignal) => Promise<Started<P> | Failure>,
  ): Promise<Lease<P> | Failure>;
  /** Ends what belongs to a session. */
  endSession(sessionId: string): Promise<void>;
  /** Ends everything, also what is being used. Nothing is kept from then on. */
  close(): Promise<void>;
}

/** Everything that makes two processes different. */
export interface ProcessIdentity {
  /** Command, story, limits, grants; its environment holds the secrets. */
  program: Program;
  manifest: ModuleDescriptor | null;
  /** What it is told when it starts, beyond its command line. */
  setting: object;
  /** Whose it is; null when sessions share it. */
  sessionId: string | null;
}

export interface PooledProcess {
  /** Whether it may be called again: it lives, and nothing speaks against it. */
  isUsable(): boolean;
  /** Whether its files on the disk are still those it was started from. */
  isCurrent(): boolean;
  /** The CPU time it has used so far, in milliseconds; null where nobody tells. */
  cpuMs(): number | null;
  /** Ends it and all it started. */
  end(): Promise<unknown>;
}

export type Started<P> = { kind: "started"; process: P };

export interface Lease<P> {
  kind: "leased";
  process: P;
  release(): void;
}

export interface ProcessPoolOptions {
  /** How many callers may have the same process at the same time. */
  callersAtOnce: number;
  /** How long a process may rest before it is ended. */
  idleMs: number;
  /** How many may rest; the one that has rested longest is ended first. */
  mostIdle: number;
  /** How much CPU time one may use while it rests: nobody has asked it for anything. */
  idleCpuMs: number;
  /** After how many leases it is replaced. */
  mostCalls: number;
}

interface Entry<P> {
  readonly key: string;
  readonly sessionId: string | null;
  readonly starting: Promise<Started<P> | { kind: string }>;
  process: P | null;
  leases: number;
  calls: number;
  rest: Rest | null;
}

interface Rest {
  idleTimer: NodeJS.Timeout;
  cpuTimer: NodeJS.Timeout;
}

const LOOK_EVERY_MS = 1_000;

export function createProcessPool<P extends PooledProcess>(options: ProcessPoolOptions): ProcessPool<P> {
  /** Those that may be given out, the longest unused first. */
  const kept = new Set<Entry<P>>();
  /** Those as well that end when their last caller is done. */
  const running = new Set<Entry<P>>();
  const ending = new Set<Promise<unknown>>();
  const closing = new AbortController();

  async function take<Failure extends { kind: string }>(
    identity: ProcessIdentity,
    start: (closing: AbortSignal) => Promise<Started<P> | Failure>,
  ): Promise<Lease<P> | Failure> {
    const key = keyOf(identity);
    const entry = findFree(key) ?? begin(key, identity.sessionId, start);
    entry.leases++;
    entry.calls++;
    disturb(entry);
    const started = (await entry.starting) as Started<P> | Failure;
    if (!isStarted(started)) return started;
    let isReleased = false;
    return {
      kind: "leased",
      process: started.process,
      release: () => {
        if (!isReleased) release(entry);
        isReleased = true;
      },
    };
  }

  function findFree(key: string): Entry<P> | undefined {
    for (const entry of kept) {
      if (entry.key !== key || entry.leases >= options.callersAtOnce) continue;
      const { process } = entry;
      if (process === null || (process.isUsable() && process.isCurrent())) return entry;
      retire(entry);
    }
    return undefined;
  }

  function begin(
    key: string,
    sessionId: string | null,
    start: (closing: AbortSignal) => Promise<Started<P> | { kind: string }>,
  ): Entry<P> {
    const starting = start(closing.signal).then((started) => {
      if (isStarted<P>(started)) entry.process = started.process;
      else forget(entry);
      // Closed meanwhile: nobody else would end it.
      if (closing.signal.aborted) end(entry);
      return started;
    });
    const entry: Entry<P> = { key, sessionId, starting, process: null, leases: 0, calls: 0, rest: null };
    starting.catch(() => forget(entry));
    kept.add(entry);
    running.add(entry);
    return entry;
  }

  function release(entry: Entry<P>): void {
    if (--entry.leases > 0) return;
    const isSpent = !kept.has(entry) || !entry.process?.isUsable() || entry.calls >= options.mostCalls;
    if (isSpent) end(entry);
    else rest(entry);
  }

  function rest(entry: Entry<P>): void {
    const before = entry.process?.cpuMs() ?? null;
    const look = (): void => {
      const now = entry.process?.cpuMs() ?? null;
      if (before !== null && now !== null && now - before > options.idleCpuMs) end(entry);
    };
    entry.rest = {
      idleTimer: setTimeout(() => end(entry), options.idleMs).unref(),
      cpuTimer: setInterval(look, LOOK_EVERY_MS).unref(),
    };
    // To the end of the line.
    kept.delete(entry);
    kept.add(entry);
    const resting = [...kept].filter((other) => other.rest !== null);
    const [longest] = resting;
    if (resting.length > options.mostIdle && longest !== undefined) end(longest);
  }

  function disturb(entry: Entry<P>): void {
    clearTimeout(entry.rest?.idleTimer);
    clearInterval(entry.rest?.cpuTimer);
    entry.rest = null;
  }

  /** Nobody gets it any more; whoever has it keeps it. */
  function retire(entry: Entry<P>): void {
    kept.delete(entry);
    if (entry.leases === 0) end(entry);
  }

  function forget(entry: Entry<P>): void {
    disturb(entry);
    kept.delete(entry);
    running.delete(entry);
  }

  function end(entry: Entry<P>): void {
    forget(entry);
    if (entry.process === null) return;
    const ended: Promise<unknown> = entry.process
      .end()
      // What it leaves on the disk is found by the next start of a host.
      .catch(() => {})
      .finally(() => ending.delete(ended));
    ending.add(ended);
  }

  async function endSession(sessionId: string): Promise<void> {
    for (const entry of [...running]) if (entry.sessionId === sessionId) retire(entry);
    await Promise.all(ending);
  }

  async function close(): Promise<void> {
    closing.abort();
    const starting = [...running].filter(({ process }) => process === null).map((entry) => entry.starting);
    for (const entry of [...running]) if (entry.process !== null) end(entry);
    await Promise.allSettled(starting);
    await Promise.all(ending);
  }
  return { take, endSession, close };
}

function isStarted<P>(started: { kind: string }): started is Started<P> {
  return started.kind === "started";
}

function keyOf({ program, manifest, setting, sessionId }: ProcessIdentity): string {
  const { command, storyDir, readFolders, env, limits, grants } = program;
  return JSON.stringify([command, storyDir, readFolders, env, limits, grants, manifest, setting, sessionId]);
}
