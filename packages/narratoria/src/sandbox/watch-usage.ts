/**
 * Watches what no kernel limit covers: the memory of all processes of a tool together, how many there are, and what they
 * have written to their folders. Whoever goes over is killed, and the reason is kept.
 */
import { readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { OverLimit, ToolLimits } from "../runtime/sandbox.ts";
import type { PrivateFolders } from "./private-folders.ts";

export interface UsageWatch {
  overLimit(): OverLimit | null;
  stop(): void;
}

const LOOK_AT_MEMORY_MS = 50;
const LOOK_AT_DISK_EVERY = 5;
const MOST_FILES = 10_000;

export function watchUsage(
  limits: ToolLimits,
  folders: Pick<PrivateFolders, "temporary" | "assets"> | null,
  root: Promise<number | undefined>,
  kill: () => void,
): UsageWatch {
  let over: OverLimit | null = null;
  let timer: NodeJS.Timeout | undefined;
  let looks = 0;
  let stopped = false;

  void root.then((pid) => {
    if (pid !== undefined && !stopped) timer = setInterval(() => void look(pid), LOOK_AT_MEMORY_MS);
  });

  async function look(pid: number): Promise<void> {
    if (over !== null) return;
    const { bytes, processes } = usageOf(pid);
    if (bytes > limits.memoryMb * 1024 * 1024) over = "memory";
    // bubblewrap's own two processes and a race at the kernel's limit must not count.
    else if (processes > limits.processes + 4) over = "processes";
    else if (folders !== null && ++looks % LOOK_AT_DISK_EVERY === 0) {
      const roomBytes = limits.diskMb * 1024 * 1024;
      if (await isFuller([folders.temporary, folders.assets], roomBytes)) over = "disk";
    }
    if (over !== null && !stopped) kill();
  }
  return {
    overLimit: () => over,
    stop: () => {
      stopped = true;
      clearInterval(timer);
    },
  };
}

/** What a process and all its descendants use. In a PID namespace orphans fall to its init, so none is missed. */
function usageOf(root: number): { bytes: number; processes: number } {
  let bytes = 0;
  let processes = 0;
  const pending = [root];
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    processes++;
    const pages = read(`/proc/${pid}/statm`).split(" ");
    // Shared pages (libraries, the interpreter) would be counted once per process.
    bytes += (Number(pages[1] ?? 0) - Number(pages[2] ?? 0)) * PAGE_BYTES;
    for (const child of read(`/proc/${pid}/task/${pid}/children`).split(" ")) if (child !== "") pending.push(Number(child));
  }
  return { bytes, processes };
}

const PAGE_BYTES = 4096;

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
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
      else if (entry.isFile()) bytes += (await stat(path).catch(() => null))?.blocks ?? 0;
      if (bytes * 512 > roomBytes) return true;
    }
  }
  return false;
}
