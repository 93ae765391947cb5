/**
 * Containers do not end with the host that started them. Each has a label with that host's name: a small process that
 * outlives us by a moment removes ours, and should that be killed too, the next host does. A host that has started
 * containers is known by the folders in which it started them.
 */
import { execFile } from "node:child_process";
import { lstatSync, mkdtempSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findContainerRuntimes, type ContainerRuntime } from "../../runtime/mounts/container-runtime.ts";
import { hostName, isGone } from "../../runtime/seams/host-name.ts";
import { startChild } from "../../runtime/seams/start-child.ts";

const LABEL = "narratoria.host";
const MOST_SWEEPING_MS = 30_000;

export function hostLabel(): string[] {
  return ["--label", `${LABEL}=${hostName()}`];
}

/** Where the client of one container is started. */
export function makeContainerFolder(): string {
  return mkdtempSync(join(tmpdir(), `narratoria-container-${hostName()}-`));
}

/** docker kills at once; podman would ask nicely first, and wait. */
export function removingArguments({ name }: Pick<ContainerRuntime, "name">): string[] {
  return ["rm", "--force", ...(name === "podman" ? ["--time", "0"] : [])];
}

/** Finds the containers of one host and removes them; what is just being started is there the second time. */
const SWEEP = `label=$1; program=$2; shift 2; clean=0
while [ $clean -lt 2 ]; do
  clean=$((clean + 1))
  found=$("$program" ps --all --quiet --filter "label=$label" 2>/dev/null)
  [ -n "$found" ] && "$program" "$@" $found >/dev/null 2>&1 && clean=0
  sleep 1
done`;

/** Before the first container is started: its input ends when we do. */
export function callContainerWarden(runtime: ContainerRuntime): void {
  if (watched.has(runtime.file)) return;
  const args = [`${LABEL}=${hostName()}`, runtime.file, ...removingArguments(runtime)];
  const started = startChild("/bin/sh", ["-c", `read -r _; ${SWEEP}`, "narratoria-container-warden", ...args], {
    cwd: "/",
    env: withSystemPrograms(),
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  if (started.kind === "not_started") return;
  watched.add(runtime.file);
  started.child.unref();
  const lifeline = started.child.stdin as Socket;
  lifeline.on("error", () => {}).unref();
}
const watched = new Set<string>();

/** What hosts left that are no more. Nothing is asked of docker or podman where no such host has started a container. */
export async function sweepLeftoverContainers(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const host = /^narratoria-container-(\d+\.\d+\.\d+)-\w{6}$/.exec(name)?.[1];
    const folder = join(tmpdir(), name);
    if (host === undefined || !isGone(host) || !isOurs(folder)) continue;
    for (const runtime of findContainerRuntimes(process.env["PATH"] ?? "")) {
      const args = [`${LABEL}=${host}`, runtime.file, ...removingArguments(runtime)];
      const options = { timeout: MOST_SWEEPING_MS, cwd: "/", env: withSystemPrograms() };
      await promisify(execFile)("/bin/sh", ["-c", SWEEP, "narratoria-sweep", ...args], options).catch(() => {});
    }
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

/** docker and podman find their daemon and their storage by what stands there. */
function withSystemPrograms(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/bin:/bin` };
}

function isOurs(folder: string): boolean {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.();
}
