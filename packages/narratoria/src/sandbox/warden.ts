/**
 * A small process that outlives us by a moment and ends what we started. Below the full sandbox nothing else does when we
 * are killed. In it, bubblewrap ties its processes to ours one after the other: killed in its first milliseconds, or
 * writing its status to a host that is gone, it dies itself and leaves an init that waits for it for ever. What
 * bubblewrap starts has a mark; the others' tools have the asset folder, whose path names us. Should the warden be killed
 * too, `leftover-tools.ts` finds them by the same.
 */
import type { Socket } from "node:net";
import { hostName } from "../runtime/seams/host-name.ts";
import { startChild } from "../runtime/seams/start-child.ts";

const VARIABLE = "NARRATORIA_HOST";

/** The tool itself has no business with it. */
export const WITHOUT_MARK = ["--unsetenv", VARIABLE];

/** The environment by which the warden knows what is ours; the first to ask starts the warden. */
export function wardenMark(): Readonly<Record<string, string>> {
  callWarden();
  return { [VARIABLE]: hostName() };
}

/** Before something is started that only it would end. */
export function callWarden(): void {
  hasWarden ||= startWarden();
}
let hasWarden = false;

/** Which host started the process that has this variable; null when it says nothing of it. */
export function hostNamedBy(variable: string): string | null {
  return new RegExp(MARK.replace("NAME", "(\\d+[.]\\d+[.]\\d+)")).exec(variable)?.[2] ?? null;
}

const MARK = `^(${VARIABLE}=|NARRATORIA_ASSET_DIR=.*/narratoria-tool-)NAME(-|$)`;

/**
 * Its input ends when we do. Whoever we were just forking holds the other end too, until it has become bubblewrap and
 * so has the mark: nobody is missed. A process can appear behind a sweep's back only while another one goes, so two
 * sweeps in a row must find nothing.
 */
const SWEEP = `read -r _; clean=0
while [ $clean -lt 2 ]; do
  clean=$((clean + 1))
  for file in $(grep -lszE "$1" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -9 "\${pid%/environ}" && clean=0
  done
  sleep 0.1
done`;

/** Without one a tool still dies with us in all but its first milliseconds, and the next to ask tries again. */
function startWarden(): boolean {
  const started = startChild(
    "/bin/sh",
    ["-c", SWEEP, "narratoria-warden", MARK.replace("NAME", hostName().replaceAll(".", "[.]"))],
    {
      env: { PATH: "/usr/bin:/bin" },
      cwd: "/",
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    },
  );
  if (started.kind === "not_started") return false;
  started.child.unref();
  const lifeline = started.child.stdin as Socket;
  lifeline.on("error", () => {}).unref();
  return true;
}
