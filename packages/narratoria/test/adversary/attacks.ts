/**
 * The standing adversary: one row an attack, each a small program in this folder whose head says what it must not do.
 * `adversary.test.ts` runs them all, as root and as an ordinary user. To add one: write the program (it reports with
 * `attack.py` what it got) and a row.
 */
import { chmodSync, lchownSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { ToolLimits } from "../../src/runtime/seams/sandbox.ts";

export interface Attack {
  program: string;
  /** The line, as a sentence that is true while it holds. */
  holds: string;
  grants(place: string): string[];
  limits: Partial<ToolLimits>;
  /** How the attempt must end: a tool that may try and gets nothing completes. */
  ends: string;
  /** Puts what the attack is after into its place, a folder of its own on the host. */
  prepare(place: string): void;
  /** Looks, when the tool is gone, for what it did on the host; null when the line held. */
  crossed(place: string): string | null;
}

const OVER_MEMORY = { limits: { memoryMb: 128 }, ends: "failed process_error OOM" };
const OVER_DISK = { limits: { diskMb: 50 }, ends: "failed process_error DISK_LIMIT" };

export const ATTACKS: readonly Attack[] = [
  attack("trace-init.py", "a tool cannot trace the init that ends it"),
  attack("write-init-memory.py", "a tool cannot write to the memory of the init that ends it"),
  attack("read-other-memory.py", "a tool reads no other process's memory"),
  attack("take-descriptor.py", "a tool takes no descriptor out of another process"),
  attack("vsock.py", "a tool makes no sockets but of Unix and the Internet"),
  attack("give-back-shared-memory.py", "memory given back by one still counts", OVER_MEMORY),
  attack("unmap-shared-memory.py", "memory of which one page is mapped counts whole", OVER_MEMORY),
  attack("detached-memory.py", "there is no memory that belongs to nobody"),
  attack("page-tables.py", "page tables count as memory", OVER_MEMORY),
  attack("memory-in-flight.py", "what waits in sockets counts as memory", OVER_MEMORY),
  attack("deep-folders.py", "no folder is too deep to be counted and removed", OVER_DISK),
  attack("unreadable-folder.py", "a folder that cannot be read counts as too much, and goes", OVER_DISK),
  attack("removed-mapped-files.py", "a removed file counts while a page of it is mapped", OVER_DISK),
  attack("files-in-flight.py", "a removed file counts while its descriptor is in flight", OVER_DISK),
  attack("fill-granted-folder.py", "a granted folder grows by no more than the limit", {
    ...OVER_DISK,
    grants: (place) => [`fs.write:${join(place, "granted")}`],
    prepare: (place) => mkdirSync(join(place, "granted")),
  }),
  attack("follow-granted-link.py", "a granted folder that became a link is not followed", {
    ends: "failed process_error SPAWN_FAILED",
    grants: (place) => [`fs.write:${join(place, "granted", "inner")}`],
    prepare: (place) => {
      for (const name of ["granted", "secret"]) mkdirSync(join(place, name));
      symlinkSync(join(place, "secret"), join(place, "granted", "inner"));
      // As the tool before it would have made it, which is never root.
      if (process.getuid?.() === 0) lchownSync(join(place, "granted", "inner"), 65534, 65534);
    },
    crossed: (place) => readdirSync(join(place, "secret"))[0] ?? null,
  }),
  attack("talk-behind-read.py", "who may read a folder cannot talk to who listens in it", {
    grants: (place) => [`fs.read:${join(place, "granted")}`],
    prepare: (place) => {
      mkdirSync(join(place, "granted"));
      const agent = createServer((socket) => socket.end("a key")).listen(join(place, "granted", "agent"));
      agent.on("listening", () => chmodSync(join(place, "granted", "agent"), 0o777)).unref();
    },
  }),
];

function attack(program: string, holds: string, more: Partial<Attack> = {}): Attack {
  const harmless = { grants: () => [], limits: {}, ends: "completed", prepare: () => {}, crossed: () => null };
  return { program, holds, ...harmless, ...more };
}
