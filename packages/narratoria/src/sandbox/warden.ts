/**
 * A small process that outlives us by a moment and ends what bubblewrap left behind. bubblewrap ties its processes to
 * ours one after the other: killed in its first milliseconds, or writing its status to a host that is gone, it dies
 * itself and leaves an init that waits for it for ever. `bubblewrap.ts` starts everything with the mark.
 */
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { startChild } from "../runtime/seams/start-child.ts";

const VARIABLE = "NARRATORIA_HOST";

/** The tool itself has no business with it. */
export const WITHOUT_MARK = ["--unsetenv", VARIABLE];

/** The environment by which the warden knows what is ours; the first to ask starts the warden. */
export function wardenMark(): Readonly<Record<string, string>> {
  hasWarden ||= startWarden();
  return MARK;
}
const MARK = { [VARIABLE]: randomUUID() };
let hasWarden = false;

/**
 * Its input ends when we do. Whoever we were just forking holds the other end too, until it has become bubblewrap and
 * so has the mark: nobody is missed. A process can appear behind a sweep's back only while another one goes, so two
 * sweeps in a row must find nothing.
 */
const SWEEP = `read -r _; clean=0
while [ $clean -lt 2 ]; do
  clean=$((clean + 1))
  for file in $(grep -lszxF "$1" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -9 "\${pid%/environ}" && clean=0
  done
  sleep 0.1
done`;

/** Without one a tool still dies with us in all but its first milliseconds, and the next to ask tries again. */
function startWarden(): boolean {
  const started = startChild("/bin/sh", ["-c", SWEEP, "narratoria-warden", `${VARIABLE}=${MARK[VARIABLE]}`], {
    env: { PATH: "/usr/bin:/bin" },
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  if (started.kind === "not_started") return false;
  started.child.unref();
  const lifeline = started.child.stdin as Socket;
  lifeline.on("error", () => {}).unref();
  return true;
}
