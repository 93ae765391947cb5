/**
 * What a tool's processes hold open that no folder shows: removed files, memory without a name, sockets. `watch-usage.ts`
 * adds it to what they use.
 */
import { readdir, readFile, readlink, stat } from "node:fs/promises";

export interface OpenFiles {
  /** Memory behind a descriptor or a shared mapping, in bytes. */
  inMemory: number;
  /** Removed files, in bytes. */
  onDisk: number;
  sockets: number;
  /** Something is held that we cannot measure: descriptors on their way through a socket, parts of a mapping. */
  isHiding: boolean;
}

export async function surveyOpenFiles(processes: readonly number[]): Promise<OpenFiles> {
  const found: OpenFiles = { inMemory: 0, onDisk: 0, sockets: 0, isHiding: false };
  const seen = new Set<number>();
  for (const pid of processes) await surveyDescriptors(pid, found, seen);
  for (const pid of processes) await surveyMappings(pid, found, seen);
  return found;
}

async function surveyDescriptors(pid: number, found: OpenFiles, seen: Set<number>): Promise<void> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  // At once: one after the other, a tool with thousands would be through before we are.
  await Promise.all(descriptors.map((descriptor) => surveyDescriptor(pid, descriptor, found, seen)));
}

async function surveyDescriptor(pid: number, descriptor: string, found: OpenFiles, seen: Set<number>): Promise<void> {
  const file = await stat(`/proc/${pid}/fd/${descriptor}`).catch(() => null);
  if (file === null || seen.has(file.ino)) return;
  if (file.isSocket()) {
    seen.add(file.ino);
    found.sockets++;
    const info = await readFile(`/proc/${pid}/fdinfo/${descriptor}`, "utf8").catch(() => "");
    if (/^scm_fds:\s*[1-9]/m.test(info)) found.isHiding = true;
  } else if (file.isFile() && file.nlink === 0) {
    seen.add(file.ino);
    const name = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => "");
    found[isMemory(name) ? "inMemory" : "onDisk"] += file.blocks * 512;
  }
}

/** A mapping of what was removed or never had a name: range, rights, offset, device, inode, name. */
const NAMELESS = /^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ (\d+) +(.+) \(deleted\)$/gm;

async function surveyMappings(pid: number, found: OpenFiles, seen: Set<number>): Promise<void> {
  const maps = await readFile(`/proc/${pid}/maps`, "utf8").catch(() => "");
  for (const [, from = "", to = "", inode = "", name = ""] of maps.matchAll(NAMELESS)) {
    if (seen.has(Number(inode))) continue;
    seen.add(Number(inode));
    // Only a privileged reader may follow this link. To others a page may be all that shows of a large file.
    const file = await stat(`/proc/${pid}/map_files/${from}-${to}`).catch(() => null);
    if (file === null) found.isHiding = true;
    else found[isMemory(name) ? "inMemory" : "onDisk"] += file.blocks * 512;
  }
}

function isMemory(name: string): boolean {
  return name.startsWith("/memfd:") || name.startsWith("/dev/zero") || name.startsWith("/SYSV");
}
