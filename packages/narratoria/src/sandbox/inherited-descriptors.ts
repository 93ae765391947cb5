/**
 * Files Narratoria was itself started with (by a shell, a service manager) and would pass on to every tool. Node closes
 * only those below 16 for its children; the rest, found once at the start, is covered with /dev/null.
 */
import { openSync, readdirSync, readFileSync } from "node:fs";

type Stream = "pipe" | "ignore" | number;

/** The streams of a new process with everything else it would inherit covered. */
export function coverInherited(streams: readonly Stream[]): Stream[] {
  const covered: Stream[] = [...streams];
  for (const descriptor of inherited()) {
    if (descriptor < streams.length) continue;
    // Node leaves an ignored descriptor as it is, so the gap may be filled with "ignore".
    while (covered.length < descriptor) covered.push("ignore");
    covered[descriptor] = nowhere();
  }
  return covered;
}

const inherited = once(() =>
  readdirSync("/proc/self/fd")
    .map(Number)
    .filter((descriptor) => descriptor > 2 && !closesOnExec(descriptor))
    .toSorted((a, b) => a - b),
);
const nowhere = once(() => openSync("/dev/null", "r+"));

function closesOnExec(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & 0o2000000) !== 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    // Gone meanwhile: it was the one the folder itself was read with.
    return true;
  }
}

function once<T>(find: () => T): () => T {
  let found: { value: T } | undefined;
  return () => (found ??= { value: find() }).value;
}
