/**
 * Whether a container was ended for want of memory. Its exit code says only that it was killed, and with `--rm` nothing is left
 * to ask; but podman's monitor leaves a file where it was started, and docker's daemon remembers.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ContainerRuntime } from "../../runtime/mounts/container-runtime.ts";

const MOST_ASKING_MS = 5_000;

export interface EndedContainer {
  name: string;
  /** Where the client was started, and nothing else. */
  folder: string;
  /** In milliseconds since 1970: the daemon counts so. */
  startedAt: number;
}

export async function ranOutOfMemory(
  runtime: ContainerRuntime,
  { name, folder, startedAt }: EndedContainer,
): Promise<boolean> {
  if (existsSync(join(folder, "oom"))) return true;
  if (runtime.name !== "docker") return false;
  const span = ["--since", inSeconds(startedAt), "--until", inSeconds(Date.now())];
  const args = ["events", ...span, "--filter", "event=oom", "--filter", `container=${name}`];
  const asked = promisify(execFile)(runtime.file, args, { timeout: MOST_ASKING_MS });
  return asked.then(({ stdout }) => stdout.trim() !== "").catch(() => false);
}

function inSeconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}
