/**
 * The full sandbox: bubblewrap puts every tool into namespaces of its own, where it finds the system and its story
 * read-only, a private /tmp, its asset folder, and nothing else. `choose-sandbox.ts` finds out whether it works here.
 *
 * Invariants:
 * 1. Started by root, the tool and bubblewrap itself run as an unprivileged user: `bwrap --uid` alone would leave the
 *    outer user root, and with it files like core_pattern writable and the process limit ignored.
 * 2. Whoever dies, bubblewrap, its init or we, takes every process of the tool along (the PID namespace ends).
 * 3. Nothing the tool can write is ever followed by us: assets are opened by `stores/open-asset.ts`.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { dirname } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { ProcessExit, Program, RunningProcess, Sandbox } from "../runtime/sandbox.ts";
import { grantedPaths, mayUseNetwork } from "./granted.ts";
import { limitedCommand } from "./limits.ts";
import { notStarted } from "./not-started.ts";
import { makePrivateFolders, type PrivateFolders } from "./private-folders.ts";
import { signalGroup } from "./process-group.ts";
import { sandboxUser } from "./sandbox-user.ts";
import { findFault, findOnPath } from "./spawn-error.ts";
import { createStage, type Stage } from "./stage.ts";
import { readStatus } from "./bubblewrap-status.ts";
import { watchUsage } from "./watch-usage.ts";
import { openWritableFolders, type WritableFolder } from "./writable-folders.ts";

const NODE_FOLDER = dirname(process.execPath);
const TOOL_PATH = `${NODE_FOLDER}:/usr/local/bin:/usr/bin:/bin`;

export function createBubblewrap(): Sandbox {
  const stage = createStage();
  return {
    level: "full",
    launch: (program) => launch(program, stage),
    close: () => stage.close(),
  };
}

async function launch(program: Program, stage: Stage): Promise<RunningProcess> {
  const [file = "", ...args] = program.command;
  const tool = file.includes("/") ? file : findOnPath(file, TOOL_PATH);
  if (tool === null) return notStarted(`no program named ${file} is on the PATH`);
  const fault = findFault(tool);
  if (fault !== null) return notStarted(fault);

  const folders = await makePrivateFolders();
  try {
    return await launchInside(program, [tool, ...args], folders, stage);
  } catch (error) {
    await folders.remove();
    return notStarted(`the sandbox could not be made: ${(error as Error).message}`);
  }
}

async function launchInside(
  program: Program,
  command: readonly string[],
  folders: PrivateFolders,
  stage: Stage,
): Promise<RunningProcess> {
  const writable = await openWritableFolders(grantedPaths(program.grants, "fs.write"));
  const release = async (): Promise<void> => {
    for (const folder of writable) await folder.giveBack();
    await folders.remove();
  };
  const granted = grantedPaths(program.grants, "fs.read");
  const readable = new Set([program.storyDir, NODE_FOLDER, ...program.readFolders, ...granted]);
  const sources = new Map<string, string>();
  // The outer folders first: mounted later, they would hide the inner ones.
  for (const folder of [...readable].toSorted((a, b) => a.length - b.length)) {
    sources.set(folder, await stage.readable(folder));
  }

  const env = {
    PATH: TOOL_PATH,
    HOME: "/tmp",
    TMPDIR: "/tmp",
    LANG: process.env["LANG"] ?? "C.UTF-8",
    ...program.env,
    NARRATORIA_ASSET_DIR: folders.assets,
  };
  const bwrap = [
    ...namespaces(program),
    ...systemMounts(),
    ...["--bind", folders.temporary, "/tmp"],
    ...[...sources].flatMap(([place, source]) => ["--ro-bind", source, place]),
    ...writable.flatMap(({ place, source }) => ["--bind", source, place]),
    ...["--bind", folders.assets, folders.assets],
    ...["--remount-ro", "/", "--chdir", program.storyDir, "--"],
    ...limitedCommand(command, program.limits, "own user namespace"),
  ];
  const child = spawn("bwrap", bwrap, {
    env,
    cwd: "/",
    detached: true,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    ...sandboxUser(),
  });
  return confined(child, program, { folders, sources, writable, release });
}

interface Confinement {
  folders: PrivateFolders;
  /** Where what the tool sees at a place really lies. */
  sources: ReadonlyMap<string, string>;
  writable: readonly WritableFolder[];
  release(): Promise<void>;
}

function confined(child: ChildProcess, program: Program, confinement: Confinement): RunningProcess {
  const { folders, sources, writable } = confinement;
  const status = readStatus(child);
  const usage = watchUsage(program.limits, folders, status.initPid, () => signalTree("SIGKILL"));

  function signalTree(signal: "SIGTERM" | "SIGKILL"): void {
    // The group of the namespace's init is the tool's. Init ignores SIGTERM, and dies of SIGKILL with everybody in it.
    // bubblewrap itself must not get the SIGTERM: it would take the tool down without any grace.
    void status.initPid.then((pid) => signalGroup(pid, signal));
    if (signal === "SIGKILL") signalGroup(child.pid, signal);
  }

  const exited = status.exited.then((exit): ProcessExit => {
    usage.stop();
    return exit.kind === "exited" ? { ...exit, overLimit: usage.overLimit() } : exit;
  });
  const visible = [...sources, ...writable.map(({ place, source }) => [place, source] as const)];
  return {
    stdin: child.stdin as Writable,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    exited,
    signalTree,
    assetFile: (path) => folders.hostFile(path, program.storyDir, visible),
    release: confinement.release,
  };
}

function namespaces(program: Program): string[] {
  return [
    "--unshare-all",
    // Without further user namespaces a large part of the kernel is out of reach.
    ...["--unshare-user", "--disable-userns"],
    ...(mayUseNetwork(program.grants) ? ["--share-net", ...NETWORK_FILES] : []),
    ...["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "narratoria"],
    ...["--json-status-fd", "3"],
  ];
}

const NETWORK_FILES = ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/ca-certificates"].flatMap(
  (file) => ["--ro-bind-try", file, file],
);

function systemMounts(): string[] {
  const files = ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/passwd", "/etc/group"];
  return [
    ...["--ro-bind", "/usr", "/usr"],
    // Links to /usr on most systems, folders of their own on some.
    ...["/bin", "/sbin", "/lib", "/lib64", "/lib32", ...files].flatMap((file) => ["--ro-bind-try", file, file]),
    ...["--proc", "/proc", "--dev", "/dev", "--size", "67108864", "--tmpfs", "/dev/shm"],
  ];
}
