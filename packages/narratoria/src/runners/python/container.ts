/**
 * Calls a Python function in a container: the request on its stdin, the response on its stdout, and all around it shut.
 * `runtime/mounts/container-runtime.ts` finds docker or podman; `response.ts` reads the response.
 */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { rm } from "node:fs/promises";
import { constants } from "node:os";
import { findContainerRuntimes, type ContainerRuntime } from "../../runtime/mounts/container-runtime.ts";
import type { Container } from "../../story/module-descriptor.ts";
import { startChild } from "../../runtime/seams/start-child.ts";
import type { AttemptPort, AttemptReport } from "../../runtime/seams/tool-runner.ts";
import { KEEPS_NOTHING, offerOfManifest, type MountedCall, type MountRunner } from "../mount-runner.ts";
import { judgeEnding, OVER_LIMIT } from "../judge-attempt.ts";
import { createTail } from "../stderr-tail.ts";
import { startLimits, type CallLimits } from "./call-limits.ts";
import { containerCommand } from "./container-arguments.ts";
import { ranOutOfMemory } from "./container-memory.ts";
import {
  callContainerWarden,
  makeContainerFolder,
  removingArguments,
  sweepLeftoverContainers,
} from "./leftover-containers.ts";
import {
  cannotStart,
  concludeCall,
  crashed,
  lastLine,
  NO_EXIT,
  readResponse,
  responseTooLarge,
  type CallExit,
  type MadeCall,
} from "./response.ts";
import { requestFor, traceOf } from "./trace.ts";

/** What docker and podman exit with when they could not start the container at all. */
const NOT_STARTED = 125;
const MOST_REMOVING_MS = 5_000;

export function createContainerRunner({ maxResponseBytes }: { maxResponseBytes: number }): MountRunner {
  void sweepLeftoverContainers();

  async function run(call: MountedCall, port: AttemptPort, signal: AbortSignal): Promise<AttemptReport> {
    const began = port.clock.elapsed();
    const container = call.mount.tool.manifest?.container as Container;
    const [first, ...others] = findContainerRuntimes(process.env["PATH"] ?? "");
    const limits = startLimits(call, port, signal);
    let runtime = first;
    let made =
      runtime === undefined ? NO_RUNTIME : await runContainer(runtime, call, container, maxResponseBytes, limits);
    const [other] = others;
    if (other !== undefined && made.exitCode === NOT_STARTED && isWithoutDaemon(made.stderrTail)) {
      // The client is installed, its daemon does not run: the other one may do without.
      runtime = other;
      made = await runContainer(other, call, container, maxResponseBytes, limits);
    }
    limits.stop();
    const { image, command = [] } = container;
    const own = { container_runtime: runtime?.name ?? null, image, command };
    return {
      ...made,
      warnings: made.warnings ?? [],
      eventsAfterDone: 0,
      // Not our walls: how well they hold is the business of whoever put up docker or podman.
      sandbox: "container",
      trace: traceOf(call, "container", port.clock.elapsed() - began, own),
    };
  }
  return { run, offers: offerOfManifest, ...KEEPS_NOTHING };
}

async function runContainer(
  runtime: ContainerRuntime,
  call: MountedCall,
  container: Container,
  maxResponseBytes: number,
  limits: CallLimits,
): Promise<MadeCall> {
  const name = `narratoria-${call.requestId}`;
  const command = containerCommand(runtime.name, name, call, container);
  if (command.kind === "refused") return cannotStart(command.reason);
  const startedAt = Date.now();
  // A folder of its own: what podman leaves where it was started is neither the player's business nor another call's.
  const folder = makeContainerFolder();
  callContainerWarden(runtime);
  const started = startChild(runtime.file, command.args, {
    cwd: folder,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...command.secrets },
    detached: true,
  });
  if (started.kind === "not_started") {
    await rm(folder, { recursive: true, force: true });
    return cannotStart(started.reason);
  }
  const { child } = started;
  const [stdin, stdout, complaints] = [child.stdin, child.stdout, child.stderr] as [Writable, Readable, Readable];
  const stderr = createTail();
  complaints.on("error", () => {}).on("data", (chunk: Buffer) => stderr.push(chunk));
  const reading = readAll(stdout, maxResponseBytes, () =>
    limits.end({ kind: "refused", error: responseTooLarge(maxResponseBytes) }),
  );
  const exited = new Promise<CallExit | { reason: string }>((settle) => {
    child.once("error", (error) => settle({ reason: error.message }));
    child.once("close", (exitCode, signal) => settle({ exitCode, signal }));
  });
  let removing: Promise<void> | undefined;
  const hangUp = (): void => void (removing = endContainer(runtime, name, child.pid));
  if (limits.signal.aborted) hangUp();
  else limits.signal.addEventListener("abort", hangUp);
  stdin.on("error", () => {});
  stdin.end(`${JSON.stringify(requestFor(call))}\n`);

  const exit = await exited;
  limits.signal.removeEventListener("abort", hangUp);
  await removing;
  const ending = limits.ending();
  const hasFailed = !("reason" in exit) && exit.exitCode !== 0 && ending === null;
  const hasOverrun = hasFailed && (await ranOutOfMemory(runtime, { name, folder, startedAt }));
  await rm(folder, { recursive: true, force: true });
  const { stderrTail, warnings } = withoutClientWarnings(stderr.text());
  if ("reason" in exit) return cannotStart(exit.reason, NO_EXIT, stderrTail);
  if (ending !== null) return { outcome: judgeEnding(ending, call.timeoutMs), ...exit, stderrTail, warnings };
  if (exit.exitCode === NOT_STARTED) return cannotStart(lastLine(stderrTail), exit, stderrTail);
  const made = conclude(await reading, exit, stderrTail, hasOverrun);
  return { ...made, warnings: [...warnings, ...(made.warnings ?? [])] };
}

/**
 * The client writes to the same stderr before the container does: that limits are not kept here, say, or what it thinks of
 * the machine's set-up. That is for whoever runs Narratoria, and none of the tool's words.
 */
function withoutClientWarnings(stderr: string): { stderrTail: string; warnings: string[] } {
  const lines = stderr.split("\n");
  const first = lines.findIndex((line) => !CLIENT_WARNING.test(line));
  return { warnings: lines.slice(0, first), stderrTail: lines.slice(first).join("\n") };
}

const CLIENT_WARNING =
  /^(?:time="[^"]*" level=(?:info|warning) msg=|WARN(?:ING|\[\d+\])|Resource limits are not supported )/;

function conclude(stdout: Buffer, { exitCode, signal }: CallExit, stderrTail: string, hasOverrun: boolean): MadeCall {
  const isEmpty = stdout.toString("latin1").trim() === "";
  const response = isEmpty && exitCode !== 0 ? null : readResponse(stdout);
  const made = concludeCall(response, { exitCode, signal: signal ?? signalOf(exitCode) }, stderrTail);
  const { outcome } = made;
  if (outcome.kind !== "failed" || outcome.error.category !== "process_error") return made;
  if (hasOverrun) return { ...made, outcome: crashed(...OVER_LIMIT.memory) };
  // A crash is told with its last words.
  if (stderrTail.trim() === "") return made;
  const message = `${outcome.error.message}: ${lastLine(stderrTail)}`;
  return { ...made, outcome: { kind: "failed", error: { ...outcome.error, message } } };
}

/** Killing the client leaves the container running: it is the container that is removed, by its name. */
async function endContainer(runtime: ContainerRuntime, name: string, client: number | undefined): Promise<void> {
  await removeContainer(runtime, name);
  try {
    if (client !== undefined) process.kill(-client, "SIGKILL");
  } catch {
    // It ended with its container.
  }
  // The first time it may not have been there yet.
  await removeContainer(runtime, name);
}

async function removeContainer(runtime: ContainerRuntime, name: string): Promise<void> {
  const args = [...removingArguments(runtime), name];
  const removing = startChild(runtime.file, args, { stdio: "ignore", timeout: MOST_REMOVING_MS });
  if (removing.kind === "started") await once(removing.child, "close").catch(() => {});
}

async function readAll(stream: Readable, maxBytes: number, onTooLarge: () => void): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes <= maxBytes) pieces.push(piece);
      else onTooLarge();
    }
  } catch {
    // Closed under the loop: what arrived has been taken.
  }
  return Buffer.concat(pieces);
}

const NO_RUNTIME = cannotStart("there is neither docker nor podman on the PATH");

function isWithoutDaemon(stderr: string): boolean {
  return /cannot connect to the docker daemon/i.test(stderr);
}

/** A container tells of death by signal n as exit code 128 + n. */
function signalOf(exitCode: number | null): string | null {
  const found = Object.entries(constants.signals).find(([, number]) => exitCode !== null && number === exitCode - 128);
  return found?.[0] ?? null;
}
