/**
 * No sandbox: the tool is an ordinary child in its own process group, with a clean environment and an asset folder.
 * What `--no-sandbox` asks for, and what systems without a sandbox get.
 */
import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { ProcessExit, Program, RunningProcess, Sandbox } from "../runtime/seams/sandbox.ts";
import { startChild } from "../runtime/seams/start-child.ts";
import { cpuTimeBelow } from "./cpu-time.ts";
import { toolEnvironment } from "./environment.ts";
import { sweepLeftovers } from "./leftover-tools.ts";
import { notStarted, startingOrNot } from "./not-started.ts";
import { makeOwnFolder } from "./own-folders.ts";
import { sdkEnvironment } from "./provided-sdks.ts";
import { signalGroup, waitUntilGroupEnded } from "./process-group.ts";
import { explainSpawnError, findFault } from "./spawn-error.ts";
import { callWarden } from "./warden.ts";
import { yieldToHost } from "./yield-to-host.ts";
import { fileSource } from "./open-asset.ts";

export function createUnconfined(): Sandbox {
  void sweepLeftovers();
  // Removing a folder can take longer than a tool runs. Most are left empty, so they serve the next tool.
  const empty: string[] = [];

  async function giveBack(folder: string): Promise<void> {
    if (readdirSync(folder).length === 0) empty.push(folder);
    else await rm(folder, { recursive: true, force: true });
  }
  return {
    level: "none",
    launch: (program) =>
      startingOrNot(async () => {
        const assetDir = empty.pop() ?? makeOwnFolder("tool");
        return launch(program, assetDir, () => giveBack(assetDir));
      }),
    close: async () => {
      await Promise.all(empty.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
}

function launch(program: Program, assetDir: string, giveBack: () => Promise<void>): RunningProcess {
  const hostEnv = toolEnvironment(process.env);
  const env = { ...hostEnv, ...sdkEnvironment(), ...program.env, NARRATORIA_ASSET_DIR: assetDir };
  const [file, ...args] = program.command as [string, ...string[]];
  const fault = isAbsolute(file) && existsSync(program.storyDir) ? findFault(file, hostEnv["PATH"] ?? "") : null;
  if (fault !== null) return { ...notStarted(fault), release: giveBack };
  const stdio: ["pipe", "pipe", "pipe"] = ["pipe", "pipe", "pipe"];
  callWarden();
  // `detached` makes the child the leader of its own group, so that the whole group can be signalled.
  const started = startChild(file, args, { cwd: program.storyDir, env, detached: true, stdio });
  if (started.kind === "not_started") return { ...notStarted(started.reason), release: giveBack };
  const { child } = started;
  yieldToHost(child.pid, program.haste);
  return {
    stdin: child.stdin as Writable,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    exited: waitForExit(child, program),
    signalTree: (signal) => signalGroup(child.pid, signal),
    cpuMs: () => cpuTimeBelow(child.pid),
    readsCopies: false,
    asset: (path, mediaType) =>
      fileSource({ path: resolve(program.storyDir, path), within: null, hidden: [] }, mediaType),
    release: async () => {
      // Until the last process is gone it could still write there.
      await waitUntilGroupEnded(child.pid);
      await giveBack();
    },
  };
}

export function waitForExit(child: ChildProcess, program: Program): Promise<ProcessExit> {
  return new Promise((settle) => {
    child.once("error", (error) => {
      // Also emitted when a signal could not be sent; only a child without a pid never started.
      if (child.pid === undefined) settle({ kind: "not_started", reason: explainSpawnError(error, program) });
    });
    child.once("exit", (exitCode, signal) => settle({ kind: "exited", exitCode, signal, overLimit: null }));
  });
}
