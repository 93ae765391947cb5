/**
 * Starts bubblewrap with all that is known before a tool's world is made; it waits for the rest (`furnish.ts`). Should we
 * die meanwhile it goes on with what it was told, in namespaces of its own, where the first program finds us gone.
 */
import type { ChildProcess } from "node:child_process";
import type { Writable } from "node:stream";
import type { Program } from "../runtime/seams/sandbox.ts";
import { startChild } from "../runtime/seams/start-child.ts";
import { beginInside } from "./begin-inside.ts";
import { namespaceArguments } from "./bubblewrap-arguments.ts";
import { readStatus, type BubblewrapStatus } from "./bubblewrap-status.ts";
import { SANDBOX_PATH, toolEnvironment } from "./environment.ts";
import { coverInherited } from "./inherited-descriptors.ts";
import type { LaunchMeans } from "./launch-means.ts";
import { sdkEnvironment } from "./provided-sdks.ts";
import { wardenMark, WITHOUT_MARK } from "./warden.ts";
import { yieldToHost } from "./yield-to-host.ts";

export interface StartedBubblewrap {
  child: ChildProcess;
  status: BubblewrapStatus;
  /** The rest of its arguments. */
  goOn(rest: readonly string[]): void;
}

/** The tool's three streams, bubblewrap's status, the talk with the first program, its group, and what is handed over. */
const STATUS = 3;
const REST = 6;

/** Throws the reason when it could not be started. */
export function startBubblewrap(
  bubblewrap: string,
  program: Program,
  { user, memory, handed }: LaunchMeans,
  looksFirst: boolean,
): StartedBubblewrap {
  const bwrap = [
    ...namespaceArguments(program.grants),
    ...user.seenAs,
    ...WITHOUT_MARK,
    ...["--json-status-fd", String(STATUS)],
    ...handed.arguments,
    ...["--args", String(REST)],
    ...["--chdir", program.storyDir],
    "--",
    ...beginInside(program.command, program.limits, looksFirst),
  ];
  const env = {
    ...wardenMark(),
    ...toolEnvironment(process.env),
    PATH: SANDBOX_PATH,
    HOME: "/tmp",
    TMPDIR: "/tmp",
    ...sdkEnvironment(),
    ...program.env,
  };
  const streams = ["pipe", "pipe", "pipe", "pipe", "pipe", memory.entrance, "pipe", ...handed.descriptors] as const;
  try {
    const stdio = coverInherited(streams);
    const started = startChild(bubblewrap, bwrap, { env, cwd: "/", detached: true, stdio, ...user.spawnAs });
    if (started.kind === "not_started") throw new Error(started.reason);
    const { child } = started;
    // It starts nobody before it is told to go on.
    yieldToHost(child.pid, program.haste);
    const rest = ((child.stdio as readonly unknown[])[REST] as Writable).on("error", () => {});
    return {
      child,
      status: readStatus(child),
      goOn: (args) => rest.end(args.map((argument) => `${argument}\0`).join("")),
    };
  } finally {
    handed.close();
  }
}
