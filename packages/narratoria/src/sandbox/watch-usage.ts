/**
 * Watches what no kernel limit covers: the memory of all processes of a tool together, how many there are, and what
 * they have written. Whoever goes over is killed, and the reason is kept. `open-files.ts` and `disk-usage.ts` count.
 */
import type { OverLimit, ToolLimits } from "../runtime/seams/sandbox.ts";
import { grownBytes, isFuller, type GrownFolder } from "./disk-usage.ts";
import type { MemoryGroup } from "./memory-group.ts";
import { surveyOpenFiles, type OpenFiles } from "./open-files.ts";
import { processesBelow, read } from "./process-tree.ts";

export interface UsageWatch {
  overLimit(): OverLimit | null;
  stop(): void;
}

export interface Watched {
  /** The first process of the tool: all others descend from it. */
  root: Promise<number | undefined>;
  memory: Pick<MemoryGroup, "counts" | "overran">;
  /** The tool's own: all that is in them counts. */
  folders: readonly string[];
  /** Not the tool's own: what they grow by counts. */
  granted: readonly GrownFolder[];
}

const LOOK_EVERY_MS = 50;
const LOOK_AGAIN_WITHIN_MS = 200;
const MEGABYTE = 1024 * 1024;
/** What a socket holds at most for a peer that does not read. */
const FULL_SOCKET = 448 * 1024;

export function watchUsage(limits: ToolLimits, watched: Watched, kill: () => void): UsageWatch {
  let over: OverLimit | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const sharedBefore = sharedByEverybody();

  void watched.root.then((pid) => {
    if (pid !== undefined) lookLater(pid, LOOK_EVERY_MS);
  });

  /** Pauses for as long as a look takes, within reason: with thousands of files, looking must not slow the tool down. */
  function lookLater(pid: number, pauseMs: number): void {
    if (!stopped)
      timer = setTimeout(() => void look(pid), Math.min(Math.max(LOOK_EVERY_MS, pauseMs), LOOK_AGAIN_WITHIN_MS));
  }

  async function look(pid: number): Promise<void> {
    const began = performance.now();
    over = await findOverLimit(pid);
    if (over === null) lookLater(pid, performance.now() - began);
    else if (!stopped) kill();
  }

  async function findOverLimit(root: number): Promise<OverLimit | null> {
    if (watched.memory.overran()) return "memory";
    const processes = processesBelow(root);
    // bubblewrap's own two processes and a race at the kernel's limit must not count.
    if (processes.length > limits.processes + 4) return "processes";
    const used = total(processes, memoryOf);
    if (used > limits.memoryMb * MEGABYTE) return "memory";
    const files = await surveyOpenFiles(processes);
    if (used + memoryOfNobody(processes, files) > limits.memoryMb * MEGABYTE) return "memory";

    // What is hidden from us (descriptors in flight, a mapping of a removed file) can be all that was ever written.
    const nameless = files.isHiding ? Math.max(files.onDisk, total(processes, writtenBy)) : files.onDisk;
    const room = limits.diskMb * MEGABYTE - nameless - (await grownBytes(watched.granted));
    return room < 0 || (await isFuller(watched.folders, room)) ? "disk" : null;
  }

  /** What several processes share or none shows. Where the kernel counts, it is only said sooner than the kernel would. */
  function memoryOfNobody(processes: readonly number[], files: OpenFiles): number {
    const mapped = files.isHiding ? total(processes, sharedBy) : 0;
    if (watched.memory.counts) return Math.max(files.inMemory, mapped);
    const grown = files.isHiding ? sharedByEverybody() - sharedBefore : 0;
    return Math.max(files.inMemory, mapped, grown) + files.sockets * FULL_SOCKET;
  }

  return {
    overLimit: () => over ?? (watched.memory.overran() ? "memory" : null),
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

function total(processes: readonly number[], bytesOf: (pid: number) => number): number {
  return processes.reduce((bytes, pid) => bytes + bytesOf(pid), 0);
}

/** Without pages of files (libraries, the interpreter), which would be counted once per process. */
function memoryOf(pid: number): number {
  const status = read(`/proc/${pid}/status`);
  return kilobytes(status, "RssAnon") + kilobytes(status, "VmPTE");
}

function sharedBy(pid: number): number {
  return kilobytes(read(`/proc/${pid}/status`), "RssShmem");
}

/** Shared memory of the whole machine: all we can know of what a tool has hidden. */
function sharedByEverybody(): number {
  return kilobytes(read("/proc/meminfo"), "Shmem");
}

function kilobytes(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0) * 1024;
}

/** By a process and by its dead children, whose sums it inherits. */
function writtenBy(pid: number): number {
  return Number(/^write_bytes: (\d+)$/m.exec(read(`/proc/${pid}/io`))?.[1] ?? 0);
}
