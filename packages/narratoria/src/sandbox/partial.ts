/**
 * The partial sandbox, where bubblewrap is missing or forbidden: an unprivileged user when we are root, kernel limits,
 * a clean environment and private folders. The file system and the network stay as visible as they are to that user.
 */
import { randomUUID } from "node:crypto";
import { readlinkSync, renameSync, symlinkSync } from "node:fs";
import { delimiter, dirname, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { linkedModules, type ShownLink } from "../runtime/mounts/linked-modules.ts";
import type { Program, RunningProcess, Sandbox } from "../runtime/seams/sandbox.ts";
import { startChild } from "../runtime/seams/start-child.ts";
import { cpuTimeBelow } from "./cpu-time.ts";
import { toolEnvironment } from "./environment.ts";
import { coverInherited } from "./inherited-descriptors.ts";
import { limitedCommand } from "./limits.ts";
import { notStarted, startingOrNot } from "./not-started.ts";
import { sweepLeftovers } from "./leftover-tools.ts";
import { makePrivateFolders } from "./private-folders.ts";
import { SDK_FOLDERS, sdkEnvironment } from "./provided-sdks.ts";
import { signalGroup } from "./process-group.ts";
import { sharedUser } from "./sandbox-user.ts";
import { findFault, findOnPath } from "./spawn-error.ts";
import { createStage, type ReadableCopies } from "./stage.ts";
import { waitForExit } from "./unconfined.ts";
import { callWarden } from "./warden.ts";
import { watchUsage } from "./watch-usage.ts";
import { yieldToHost } from "./yield-to-host.ts";
import { fileSource } from "./open-asset.ts";

/** `hidden`: folders that no tool gets a readable copy of; what its user can read by itself stays visible. */
export function createPartial(hidden: readonly string[]): Sandbox {
  void sweepLeftovers();
  const stage = createStage(hidden);
  return {
    level: "partial",
    launch: (program) => startingOrNot(() => launch(program, stage)),
    close: () => stage.close(),
  };
}

async function launch(program: Program, stage: ReadableCopies): Promise<RunningProcess> {
  const hostEnv = toolEnvironment(process.env);
  const [file = "", ...args] = program.command;
  const path = hostEnv["PATH"] ?? "";
  const tool = file.includes("/") ? file : findOnPath(file, path);
  if (tool === null) return notStarted(`no program named ${file} is on the PATH`);
  const fault = findFault(tool, path);
  if (fault !== null) return notStarted(fault);

  // Without namespaces a readable copy cannot take the place of the original: the tool works in the copy.
  const { folders: shown, links } = await linkedModules(program, []);
  const places = [program.storyDir, ...SDK_FOLDERS, ...program.readFolders, ...shown.map(({ folder }) => folder)];
  const moved = await moveWithin([...places, tool, process.execPath], stage);
  for (const link of links) moveLink(link, moved);
  const storyDir = moved(program.storyDir);
  const user = sharedUser();
  const folders = makePrivateFolders(user.owner);
  const [limiter = "", ...limited] = limitedCommand([tool, ...args].map(moved), program.limits);
  callWarden();
  const started = startChild(limiter, limited, {
    cwd: storyDir,
    env: {
      ...hostEnv,
      // The Node that runs us is the first to be found, also when only we can read it where it lies.
      PATH: [dirname(moved(process.execPath)), path].join(delimiter),
      HOME: folders.temporary,
      TMPDIR: folders.temporary,
      ...sdkEnvironment(moved),
      ...program.env,
      NARRATORIA_ASSET_DIR: folders.assets,
    },
    detached: true,
    stdio: coverInherited(["pipe", "pipe", "pipe"]),
    ...user.spawnAs,
  });
  if (started.kind === "not_started") return { ...notStarted(started.reason), release: () => folders.remove() };
  const { child } = started;
  yieldToHost(child.pid, program.haste);
  const signalTree = (signal: "SIGTERM" | "SIGKILL"): void => signalGroup(child.pid, signal);
  const watched = {
    root: Promise.resolve(child.pid),
    memory: { counts: false, overran: () => false },
    folders: [folders.temporary, folders.assets],
    granted: [],
  };
  const usage = watchUsage(program.limits, watched, () => signalTree("SIGKILL"));
  return {
    stdin: child.stdin as Writable,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    exited: waitForExit(child, program).then((exit) => {
      usage.stop();
      return exit.kind === "exited" ? { ...exit, overLimit: usage.overLimit() } : exit;
    }),
    signalTree,
    cpuMs: () => cpuTimeBelow(child.pid),
    readsCopies: storyDir !== program.storyDir,
    asset: (path, mediaType) => fileSource({ path: resolve(storyDir, path), within: null, hidden: [] }, mediaType),
    release: () => folders.remove(),
  };
}

/** Where a path lies for the sandbox's user, who cannot read everything that we can. */
async function moveWithin(places: readonly string[], stage: ReadableCopies): Promise<(path: string) => string> {
  const readable: [place: string, copy: string][] = [];
  for (const place of places.map((path) => resolve(path))) {
    const known = readable.find(([outer]) => place.startsWith(`${outer}/`));
    if (known === undefined) readable.push([place, await stage.readable(place)]);
  }
  return (path) => {
    const found = readable.find(([place]) => path === place || path.startsWith(`${place}/`));
    return found === undefined ? path : found[1] + path.slice(found[0].length);
  };
}

/** In a copy of the story a link still says where its target lies from the original. */
function moveLink({ link, target }: ShownLink, moved: (path: string) => string): void {
  const [place, itsTarget] = [moved(link), moved(target)];
  if (place === link || readlinkSync(place) === itsTarget) return;
  const fresh = `${place}.${randomUUID()}`;
  symlinkSync(itsTarget, fresh);
  // In one step: another tool may be looking.
  renameSync(fresh, place);
}
