/**
 * The full sandbox: bubblewrap puts every tool into namespaces of its own, where it finds the system and its story
 * read-only, a private /tmp, its asset folder, and nothing else. `choose-sandbox.ts` finds out whether it works here.
 *
 * Invariants:
 * 1. Started by root, the tool and bubblewrap itself run as an unprivileged user: `bwrap --uid` alone would leave the
 *    outer user root, and with it files like core_pattern writable and the process limit ignored.
 * 2. Whoever dies, bubblewrap, its init or we, takes every process of the tool along (the PID namespace ends). In the
 *    first milliseconds, before bubblewrap has seen to it, `warden.ts` does.
 * 3. Nothing the tool can write is ever followed by us: assets are opened by `open-asset.ts`.
 * 4. All the tool can write to lies in folders that `watch-usage.ts` watches: no tmpfs, which would be memory.
 */
import { spawn, type ChildProcess } from "node:child_process";
import type { Duplex, Readable, Writable } from "node:stream";
import type { ProcessExit, Program, RunningProcess, Sandbox } from "../runtime/seams/sandbox.ts";
import { namespaceArguments, systemMounts, toArguments, type Mount } from "./bubblewrap-arguments.ts";
import { readStatus } from "./bubblewrap-status.ts";
import { cpuTimeBelow } from "./cpu-time.ts";
import { SANDBOX_PATH, toolEnvironment } from "./environment.ts";
import { grantedPaths } from "./granted.ts";
import { findPlace, findSwapped, type ExpectedMount } from "./granted-places.ts";
import { coverInherited } from "./inherited-descriptors.ts";
import { hiddenMounts } from "./hidden-folders.ts";
import { limitedCommand } from "./limits.ts";
import { findMemoryGroups, type MemoryGroup, type MemoryGroups } from "./memory-group.ts";
import { notStarted } from "./not-started.ts";
import { removeLeftoverFolders } from "./own-folders.ts";
import { makePrivateFolders, type PrivateFolders } from "./private-folders.ts";
import { signalGroup, waitUntilEnded } from "./process-group.ts";
import { privateUser, type SandboxUser } from "./sandbox-user.ts";
import { systemCallFilter } from "./seccomp.ts";
import { socketMounts } from "./socket-mounts.ts";
import { findFault, findOnPath } from "./spawn-error.ts";
import { createStage, type ReadableCopies } from "./stage.ts";
import { WITHOUT_MARK, wardenMark } from "./warden.ts";
import { watchUsage } from "./watch-usage.ts";
import { openWritableFolders, type WritableFolder } from "./writable-folders.ts";
import { fileSource } from "./open-asset.ts";

const FILTER = systemCallFilter();
/**
 * Bubblewrap ties its processes to ours one by one: were we killed meanwhile, the tool could start without us. So the
 * first thing inside says that it is there, and goes on only when we answer. What then is left of bubblewrap itself,
 * the warden ends. Before that it joins its group, by a descriptor that the tool does not get.
 */
const WAIT_FOR_HOST = ["sh", "-c", 'echo 0 >&6 && echo >&5 && read -r _ <&5 && exec "$@" 5>&- 6>&-', "sh"];
const MEGABYTE = 1024 * 1024;
const DESCRIPTORS = ["--json-status-fd", "3", ...(FILTER === null ? [] : ["--seccomp", "4"])];

export interface BubblewrapOptions {
  /** The bwrap program. */
  program: string;
  /** Folders no tool may see even when they lie inside its story: Narratoria's own data. */
  hidden: readonly string[];
}

export function createBubblewrap(options: BubblewrapOptions): Sandbox {
  const stage = createStage();
  let groups: MemoryGroups | undefined;
  void removeLeftoverFolders();
  return {
    level: "full",
    launch: (program) => launch(program, { ...options, stage, groups: (groups ??= findMemoryGroups()) }),
    close: () => stage.close(),
  };
}

interface Surroundings extends BubblewrapOptions {
  stage: ReadableCopies;
  groups: MemoryGroups;
}

async function launch(program: Program, surroundings: Surroundings): Promise<RunningProcess> {
  const [file = "", ...args] = program.command;
  const tool = file.includes("/") ? file : findOnPath(file, SANDBOX_PATH);
  if (tool === null) return notStarted(`no program named ${file} is on the PATH`);
  const fault = findFault(tool);
  if (fault !== null) return notStarted(fault);

  const user = privateUser();
  const folders = makePrivateFolders(user.owner);
  const memory = surroundings.groups.make(program.limits.memoryMb * MEGABYTE + folders.bytesInMemory(program.limits));
  try {
    return await launchInside({ ...program, command: [tool, ...args] }, { user, folders, memory }, surroundings);
  } catch (error) {
    await Promise.all([folders.remove(), memory.remove()]);
    user.giveBack();
    return notStarted(`the sandbox could not be made: ${(error as Error).message}`);
  }
}

async function launchInside(
  program: Program,
  { user, folders, memory }: Pick<Confinement, "user" | "folders" | "memory">,
  { stage, hidden, program: bubblewrap }: Surroundings,
): Promise<RunningProcess> {
  const granted = grantedPaths(program.grants, program.storyDir);
  const expected: ExpectedMount[] = [];
  for (const place of [...granted.read, ...granted.write]) {
    const found = findPlace(place);
    if (found.kind === "refused") throw new Error(found.reason);
    if (found.identity !== null) expected.push({ place, identity: found.identity });
  }
  const readable = new Set([program.storyDir, process.execPath, ...program.readFolders, ...granted.read]);
  const sources = new Map<string, string>();
  for (const path of readable) sources.set(path, await stage.readable(path));
  const writable = await openWritableFolders(granted.write, user.owner);

  const seen = [...sources, ...writable.map(({ place, source }) => [place, source] as const)];
  const copied = new Set(seen.filter(([place, source]) => place !== source).map(([place]) => place));
  const mounts: Mount[] = [
    ...systemMounts(),
    { place: "/tmp", how: "--bind", source: folders.temporary },
    // Not a tmpfs: its files would be memory that nobody counts.
    { place: "/dev/shm", how: "--bind", source: folders.temporary },
    ...[...sources].map(([place, source]): Mount => ({ place, how: "--ro-bind", source })),
    ...hiddenMounts(hidden, [...sources.keys(), ...granted.write]),
    ...writable.map(({ place, source }): Mount => ({ place, how: "--bind", source })),
    { place: folders.assets, how: "--bind", source: folders.assets },
    // Not those in the story: who puts one there wants its tools to use it.
    ...socketMounts(seen.filter(([place]) => granted.read.includes(place) || granted.write.includes(place))),
  ];
  const bwrap = [
    ...namespaceArguments(program.grants),
    ...user.seenAs,
    ...WITHOUT_MARK,
    ...DESCRIPTORS,
    ...toArguments(mounts),
    "--chdir",
    program.storyDir,
    "--",
    ...WAIT_FOR_HOST,
    ...limitedCommand(program.command, program.limits, "own user namespace"),
  ];
  const child = spawn(bubblewrap, bwrap, {
    env: {
      ...wardenMark(),
      ...toolEnvironment(process.env),
      PATH: SANDBOX_PATH,
      HOME: "/tmp",
      TMPDIR: "/tmp",
      ...program.env,
      NARRATORIA_ASSET_DIR: folders.assets,
    },
    cwd: "/",
    detached: true,
    stdio: coverInherited([
      "pipe",
      "pipe",
      "pipe",
      "pipe",
      FILTER === null ? "ignore" : "pipe",
      "pipe",
      memory.entrance,
    ]),
    ...user.spawnAs,
  });
  (child.stdio[4] as Writable | null)?.on("error", () => {}).end(FILTER);
  return confined(child, program, {
    ...{ user, folders, memory, writable, seen, hidden },
    expected: expected.filter(({ place }) => !copied.has(place)),
  });
}

interface Confinement {
  user: SandboxUser;
  folders: PrivateFolders;
  writable: readonly WritableFolder[];
  /** Places in the tool's world, and where what it sees there really lies. */
  seen: readonly (readonly [place: string, source: string])[];
  /** Folders it does not see although they lie there. */
  hidden: readonly string[];
  expected: readonly ExpectedMount[];
  memory: MemoryGroup;
}

function confined(child: ChildProcess, program: Program, confinement: Confinement): RunningProcess {
  const { user, folders, memory, writable, seen, hidden, expected } = confinement;
  const status = readStatus(child);
  const watched = {
    root: status.initPid,
    memory,
    folders: [folders.temporary, folders.assets],
    granted: writable.map(({ usage }) => usage),
  };
  const usage = watchUsage(program.limits, watched, () => signalTree("SIGKILL"));
  let hasBegun = false;
  let swapped: string | null = null;
  let init: number | undefined;
  void status.initPid.then((pid) => (init = pid));
  const handshake = (child.stdio as readonly unknown[])[5] as Duplex;
  handshake.on("error", () => {}).once("data", () => void status.initPid.then(letBegin));

  function letBegin(initPid: number | undefined): void {
    swapped = findSwapped(initPid, expected);
    if (swapped !== null) return signalTree("SIGKILL");
    hasBegun = true;
    handshake.end("\n");
  }

  function signalTree(asked: "SIGTERM" | "SIGKILL"): void {
    // Before the handshake there is no tool that could end itself in good order, and perhaps not even its group.
    const signal = hasBegun ? asked : "SIGKILL";
    // The group of the namespace's init is the tool's. Init ignores SIGTERM, and dies of SIGKILL with everybody in it.
    // bubblewrap itself must not get the SIGTERM: it would take the tool down without any grace.
    void status.initPid.then((pid) => signalGroup(pid, signal));
    if (signal === "SIGKILL") signalGroup(child.pid, signal);
  }

  const exited = status.exited.then((exit): ProcessExit => {
    usage.stop();
    if (swapped !== null) return { kind: "not_started", reason: swapped };
    return exit.kind === "exited" ? { ...exit, overLimit: usage.overLimit() } : exit;
  });

  async function release(): Promise<void> {
    // Until the last process is gone it could still change what is copied back or removed here.
    await waitUntilEnded(await status.initPid);
    for (const folder of writable) await folder.giveBack();
    await Promise.all([folders.remove(), memory.remove()]);
    user.giveBack();
  }

  return {
    stdin: child.stdin as Writable,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    exited,
    signalTree,
    cpuMs: () => cpuTimeBelow(init),
    readsCopies: seen.some(([place, source]) => place !== source),
    asset: (path, mediaType) => fileSource({ ...folders.hostFile(path, program.storyDir, seen), hidden }, mediaType),
    release,
  };
}
