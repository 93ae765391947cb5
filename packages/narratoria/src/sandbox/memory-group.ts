/**
 * A control group of the kernel for each tool, where we may make one: it counts all memory, also what no process shows
 * (page tables, buffers of sockets, shared memory nobody maps any more). Elsewhere `watch-usage.ts` counts what it can.
 */
import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface MemoryGroup {
  /** Whether the kernel counts. */
  readonly counts: boolean;
  /** A descriptor to write to: who writes "0" to it joins, by the rights of us who opened it. */
  readonly entrance: number;
  limitTo(bytes: number): void;
  /** Whether the kernel had to kill somebody of it. */
  overran(): boolean;
  remove(): Promise<void>;
}

export interface MemoryGroups {
  make(): MemoryGroup;
}

/** Looks once for a place where groups can be made; without one, or when told to, nobody counts. */
export function findMemoryGroups(): MemoryGroups {
  const parent = [...candidates()].find((place) => isJoinable(place));
  return parent === undefined ? NOBODY_COUNTS : { make: () => makeGroup(parent) };
}

export const NOBODY_COUNTS: MemoryGroups = {
  make: () => {
    const entrance = openSync("/dev/null", "w");
    const remove = (): Promise<void> => Promise.resolve(closeSync(entrance));
    return { counts: false, entrance, limitTo: () => {}, overran: () => false, remove };
  },
};

interface Place {
  folder: string;
  version: 1 | 2;
}

/** Version 1 lets a process join alone, which is quick; version 2 knows whole processes only. */
const ENTRANCE = { 1: "tasks", 2: "cgroup.procs" };
const KILLS = { 1: "memory.oom_control", 2: "memory.events" };
const ROOT = "/sys/fs/cgroup";
/** What bubblewrap's shell leaves, and the kernel's own small change. */
const ALLOWANCE = 16 * 1024 * 1024;
let groupCount = 0;

/** From our own group upwards: in version 2 only a group without processes of its own can have groups that count. */
function* candidates(): Generator<Place> {
  for (const line of read("/proc/self/cgroup").split("\n")) {
    const [, controllers = "", ...path] = line.split(":");
    const version = controllers.split(",").includes("memory") ? 1 : 2;
    if (version === 2 && controllers !== "") continue;
    const top = version === 1 ? join(ROOT, "memory") : ROOT;
    for (let folder = join(top, path.join(":")); folder.startsWith(top); folder = dirname(folder)) {
      if (!existsSync(join(folder, ENTRANCE[version]))) continue;
      if (version === 1 || read(join(folder, "cgroup.subtree_control")).split(/\s/).includes("memory"))
        yield { folder, version };
    }
  }
}

/** Whether we may move a process there is decided by rights on several folders: it is tried. */
function isJoinable(place: Place): boolean {
  removeLeftovers(place.folder);
  try {
    const group = makeGroup(place);
    group.limitTo(64 * 1024 * 1024);
    const trial = spawnSync("/bin/sh", ["-c", "echo 0 >&3"], { stdio: ["ignore", "ignore", "ignore", group.entrance] });
    void group.remove();
    if (trial.error !== undefined) throw trial.error;
    return trial.status === 0;
  } catch (error) {
    // Without a descriptor nothing was tried: whoever asks next finds out.
    if ((error as NodeJS.ErrnoException).code === "EMFILE") throw error;
    return false;
  }
}

function makeGroup({ folder, version }: Place): MemoryGroup {
  const group = join(folder, `narratoria-${process.pid}-${++groupCount}`);
  mkdirSync(group);
  const entrance = openEntrance(group, version);
  return {
    counts: true,
    entrance,
    limitTo: (bytes) => limitGroup(group, version, String(bytes + ALLOWANCE)),
    overran: () => /^oom_kill [1-9]/m.test(read(join(group, KILLS[version]))),
    remove: async () => {
      closeSync(entrance);
      await removeGroup(group);
    },
  };
}

function openEntrance(group: string, version: 1 | 2): number {
  try {
    return openSync(join(group, ENTRANCE[version]), "w");
  } catch (error) {
    rmdirSync(group);
    throw error;
  }
}

function limitGroup(group: string, version: 1 | 2, most: string): void {
  const set = (file: string, value: string): void => {
    if (existsSync(join(group, file))) writeFileSync(join(group, file), value);
  };
  if (version === 1) {
    writeFileSync(join(group, "memory.limit_in_bytes"), most);
    set("memory.memsw.limit_in_bytes", most);
    set("memory.kmem.tcp.limit_in_bytes", most);
  } else {
    writeFileSync(join(group, "memory.max"), most);
    set("memory.swap.max", "0");
    set("memory.oom.group", "1");
  }
}

/** A group can be removed only when the last of its dead is buried. */
async function removeGroup(group: string): Promise<void> {
  for (let patience = 50; patience > 0; patience--) {
    try {
      return rmdirSync(group);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EBUSY") return;
      await sleep(10);
    }
  }
}

/** Of hosts that were killed: their names hold the number of a process that is no more. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /^narratoria-(\d+)-\d+$/.exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    try {
      rmdirSync(join(folder, name));
    } catch {
      // Somebody is still in it, or it is not ours.
    }
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
