/**
 * Watches what no kernel limit covers: the memory of all processes of a tool together, how many there are, and what
 * they have written. Whoever goes over is killed, and the reason is kept.
 */
import { readdirSync, readFileSync } from "node:fs";
import { readdir, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import type { OverLimit, ToolLimits } from "../runtime/seams/sandbox.ts";
import type { PrivateFolders } from "./private-folders.ts";

export interface UsageWatch {
  overLimit(): OverLimit | null;
  stop(): void;
}

const LOOK_EVERY_MS = 50;
const MOST_FILES = 10_000;
const MEGABYTE = 1024 * 1024;

export function watchUsage(
  limits: ToolLimits,
  folders: Pick<PrivateFolders, "temporary" | "assets">,
  root: Promise<number | undefined>,
  kill: () => void,
): UsageWatch {
  let over: OverLimit | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let isLooking = false;

  void root.then((pid) => {
    if (pid !== undefined && !stopped) timer = setInterval(() => void look(pid), LOOK_EVERY_MS);
  });

  async function look(pid: number): Promise<void> {
    if (over !== null || isLooking) return;
    isLooking = true;
    over = await findOverLimit(pid);
    isLooking = false;
    if (over !== null && !stopped) kill();
  }

  async function findOverLimit(root: number): Promise<OverLimit | null> {
    const processes = processesBelow(root);
    // bubblewrap's own two processes and a race at the kernel's limit must not count.
    if (processes.length > limits.processes + 4) return "processes";
    const used = processes.reduce((bytes, pid) => bytes + memoryOf(pid), 0);
    if (used > limits.memoryMb * MEGABYTE) return "memory";
    const nameless = await namelessFiles(processes);
    if (used + nameless.inMemory > limits.memoryMb * MEGABYTE) return "memory";
    const room = limits.diskMb * MEGABYTE - nameless.onDisk;
    return (await isFuller([folders.temporary, folders.assets], room)) ? "disk" : null;
  }

  return {
    overLimit: () => over,
    stop: () => {
      stopped = true;
      clearInterval(timer);
    },
  };
}

/** A process and all its descendants. In a PID namespace orphans fall to its init, so none is missed. */
function processesBelow(root: number): number[] {
  const found = [root];
  for (const pid of found) {
    // Children belong to the thread that started them: looking at the first one only would miss some.
    for (const thread of list(`/proc/${pid}/task`)) {
      const children = read(`/proc/${pid}/task/${thread}/children`).split(" ");
      for (const child of children) if (child !== "") found.push(Number(child));
    }
  }
  return found;
}

/** Without pages of files (libraries, the interpreter), which would be counted once per process. */
function memoryOf(pid: number): number {
  const status = read(`/proc/${pid}/status`);
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
  return (kilobytes("RssAnon") + kilobytes("RssShmem")) * 1024;
}

/** Open files no folder shows: removed while open, or never named and in memory (memfd). */
async function namelessFiles(processes: readonly number[]): Promise<{ inMemory: number; onDisk: number }> {
  const seen = new Set<string>();
  const total = { inMemory: 0, onDisk: 0 };
  for (const pid of processes) {
    for (const descriptor of list(`/proc/${pid}/fd`)) {
      const file = await stat(`/proc/${pid}/fd/${descriptor}`).catch(() => null);
      if (file === null || !file.isFile() || file.nlink > 0 || seen.has(`${file.dev} ${file.ino}`)) continue;
      seen.add(`${file.dev} ${file.ino}`);
      const name = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => "");
      total[name.startsWith("/memfd:") ? "inMemory" : "onDisk"] += file.blocks * 512;
    }
  }
  return total;
}

async function isFuller(folders: string[], roomBytes: number): Promise<boolean> {
  let bytes = 0;
  let files = 0;
  const pending = [...folders];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (++files > MOST_FILES) return true;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) pending.push(path);
      else if (entry.isFile()) bytes += ((await stat(path).catch(() => null))?.blocks ?? 0) * 512;
      if (bytes > roomBytes) return true;
    }
  }
  return bytes > roomBytes;
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
