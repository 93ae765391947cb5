/** A process that could not be started, in the shape of one: empty streams and the reason as its exit. */
import { PassThrough, Readable } from "node:stream";
import type { RunningProcess } from "../runtime/seams/sandbox.ts";
import { refusedSource } from "../runtime/seams/assets.ts";
import { diskTroubleIn } from "../runtime/seams/disk-trouble.ts";

/** What is in the way of a start (no room, no descriptor) is an outcome of it. */
export async function startingOrNot(launch: () => Promise<RunningProcess>): Promise<RunningProcess> {
  try {
    return await launch();
  } catch (error) {
    const reason = diskTroubleIn(error)?.message ?? (error as Error).message;
    return notStarted(`the sandbox could not be made: ${reason}`);
  }
}

export function notStarted(reason: string): RunningProcess {
  return {
    stdin: new PassThrough().resume(),
    stdout: Readable.from([]),
    stderr: Readable.from([]),
    exited: Promise.resolve({ kind: "not_started", reason }),
    signalTree: () => {},
    cpuMs: () => null,
    readsCopies: false,
    asset: (_, mediaType) => refusedSource("its tool did not start", mediaType),
    release: () => Promise.resolve(),
  };
}
