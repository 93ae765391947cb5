/**
 * The partial sandbox, where bubblewrap is missing or forbidden: an unprivileged user when we are root, kernel limits,
 * a clean environment and private folders. The file system and the network stay as visible as they are to that user.
 */
import { spawn } from "node:child_process";
import { dirname, resolve } from "node:path";
import type { Program, RunningProcess, Sandbox } from "../runtime/sandbox.ts";
import { toolEnvironment } from "./environment.ts";
import { coverInherited } from "./inherited-descriptors.ts";
import { limitedCommand } from "./limits.ts";
import { notStarted } from "./not-started.ts";
import { makePrivateFolders } from "./private-folders.ts";
import { signalGroup } from "./process-group.ts";
import { sandboxUser } from "./sandbox-user.ts";
import { findFault, findOnPath } from "./spawn-error.ts";
import { isReachable } from "./stage.ts";
import { waitForExit } from "./unconfined.ts";
import { watchUsage } from "./watch-usage.ts";

export function createPartial(): Sandbox {
  return { level: "partial", launch };
}

async function launch(program: Program): Promise<RunningProcess> {
  const folders = await makePrivateFolders();
  const hostEnv = toolEnvironment(process.env);
  const [file = "", ...args] = program.command;
  const tool = file.includes("/") ? file : findOnPath(file, hostEnv["PATH"] ?? "");
  const fault = tool === null ? `no program named ${file} is on the PATH` : findFault(tool);
  if (tool === null || fault !== null) {
    await folders.remove();
    return notStarted(fault ?? "");
  }
  const [limiter = "", ...limited] = limitedCommand([tool, ...args], program.limits, "shared user");
  const child = spawn(limiter, limited, {
    cwd: program.storyDir,
    env: {
      ...hostEnv,
      ...{ HOME: folders.temporary, TMPDIR: folders.temporary },
      ...program.env,
      NARRATORIA_ASSET_DIR: folders.assets,
    },
    detached: true,
    stdio: coverInherited(["pipe", "pipe", "pipe"]),
    // What only root can read, only root can run: without namespaces nothing can be put in its place.
    ...(isReachable(program.storyDir) && isReachable(dirname(tool)) ? sandboxUser() : {}),
  });
  const signalTree = (signal: "SIGTERM" | "SIGKILL"): void => signalGroup(child.pid, signal);
  const usage = watchUsage(program.limits, folders, Promise.resolve(child.pid), () => signalTree("SIGKILL"));
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    exited: waitForExit(child, program).then((exit) => {
      usage.stop();
      return exit.kind === "exited" ? { ...exit, overLimit: usage.overLimit() } : exit;
    }),
    signalTree,
    assetFile: (path) => ({ path: resolve(program.storyDir, path), within: null }),
    release: folders.remove,
  };
}
