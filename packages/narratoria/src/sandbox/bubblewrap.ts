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
import type { Duplex, Readable, Writable } from "node:stream";
import { linkedModules } from "../runtime/mounts/linked-modules.ts";
import type { ProcessExit, Program, RunningProcess, Sandbox } from "../runtime/seams/sandbox.ts";
import { cpuTimeBelow } from "./cpu-time.ts";
import { SANDBOX_PATH } from "./environment.ts";
import { furnish, type Furnished } from "./furnish.ts";
import { hasGrantedPaths } from "./granted.ts";
import { findSwapped } from "./granted-places.ts";
import { createMeansAhead, type LaunchMeans, type MeansAhead } from "./launch-means.ts";
import { notStarted, startingOrNot } from "./not-started.ts";
import { sweepLeftovers } from "./leftover-tools.ts";
import { bytesInMemory, makePrivateFolders, type PrivateFolders } from "./private-folders.ts";
import { signalGroup, waitUntilEnded } from "./process-group.ts";
import { findFault, findOnPath } from "./spawn-error.ts";
import { createStage, type ReadableCopies } from "./stage.ts";
import { startBubblewrap, type StartedBubblewrap } from "./start-bubblewrap.ts";
import { watchUsage } from "./watch-usage.ts";
import { fileSource } from "./open-asset.ts";
import { yieldAsGroup } from "./yield-to-host.ts";

const MEGABYTE = 1024 * 1024;

export interface BubblewrapOptions {
  /** The bwrap program. */
  program: string;
  /** Folders no tool may see even when they lie inside its story: Narratoria's own data. */
  hidden: readonly string[];
}

export function createBubblewrap(options: BubblewrapOptions): Sandbox {
  const stage = createStage(options.hidden);
  let means: MeansAhead | undefined;
  void sweepLeftovers();
  return {
    level: "full",
    launch: (program) =>
      startingOrNot(() => launch(program, { ...options, stage, means: (means ??= createMeansAhead()) })),
    close: async () => void (await Promise.all([stage.close(), means?.close()])),
  };
}

interface Surroundings extends BubblewrapOptions {
  stage: ReadableCopies;
  means: MeansAhead;
}

async function launch(asked: Program, surroundings: Surroundings): Promise<RunningProcess> {
  const [file = "", ...args] = asked.command;
  const tool = file.includes("/") ? file : findOnPath(file, SANDBOX_PATH);
  if (tool === null) return notStarted(`no program named ${file} is on the PATH`);
  const fault = findFault(tool, SANDBOX_PATH);
  if (fault !== null) return notStarted(fault);

  const program = { ...asked, command: [tool, ...args] };
  const { program: bubblewrap, means: ahead, stage, hidden } = surroundings;
  let means: LaunchMeans | undefined;
  let started: StartedBubblewrap | undefined;
  let folders: PrivateFolders | undefined;
  try {
    means = ahead.take();
    // Bubblewrap takes as long to come up as we need to make what it will mount.
    const linked = await linkedModules(program, hidden);
    const looksFirst = linked.folders.length > 0 || hasGrantedPaths(program.grants);
    started = startBubblewrap(bubblewrap, program, means, looksFirst);
    means.memory.limitTo(program.limits.memoryMb * MEGABYTE + bytesInMemory(program.limits));
    folders = makePrivateFolders(means.user.owner);
    const furnished = await furnish(program, linked, means.user, folders, stage, hidden);
    started.goOn(furnished.arguments);
    setImmediate(() => ahead.prepare());
    return confined(started, program, { means, folders, furnished, hidden });
  } catch (error) {
    started?.child.kill("SIGKILL");
    await Promise.all([folders?.remove(), means?.giveBack()]);
    throw error;
  }
}

interface Confinement {
  means: LaunchMeans;
  folders: PrivateFolders;
  furnished: Furnished;
  /** Folders it does not see although they lie there. */
  hidden: readonly string[];
}

function confined(
  { child, status }: StartedBubblewrap,
  program: Program,
  { means, folders, furnished: { writable, seen, expected }, hidden }: Confinement,
): RunningProcess {
  const watched = {
    root: status.initPid,
    memory: means.memory,
    folders: [folders.temporary, folders.assets],
    granted: writable.map(({ usage }) => usage),
  };
  const usage = watchUsage(program.limits, watched, () => signalTree("SIGKILL"));
  let hasBegun = false;
  let swapped: string | null = null;
  let init: number | undefined;
  void status.initPid.then((pid) => (init = pid));
  const handshake = child.stdio[4] as Duplex;
  handshake.on("error", () => {}).once("data", () => void status.initPid.then(letBegin));

  function letBegin(initPid: number | undefined): void {
    swapped = findSwapped(initPid, expected);
    if (swapped !== null) return signalTree("SIGKILL");
    hasBegun = true;
    yieldAsGroup(initPid, program.haste);
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
    await Promise.all([folders.remove(), means.giveBack()]);
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
