/**
 * The standing adversary: each attack is a small program in this folder whose head says what it must not do.
 * `adversary.test.ts` runs them all, as root and as an ordinary user. To add one, write the program: it reports with
 * `attack.py` what it got. Only what needs more than that, a limit, a grant, a look afterwards, has a row here.
 */
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { ToolLimits } from "../../src/runtime/seams/sandbox.ts";
import { processesMentioning } from "../processes.ts";

export interface Attack {
  program: string;
  /** The line, from its head. */
  mustNot: string;
  /** Who is protected from it. */
  as: readonly Account[];
  grants(place: string): string[];
  limits: Partial<ToolLimits>;
  /** How the attempt must end: a tool that may try and gets nothing completes. */
  ends: string;
  /** How many of it run side by side. */
  atOnce: number;
  /** Puts what the attack is after into its place, a folder of its own on the host. */
  prepare(place: string): void;
  /** Looks, when the tool is gone, for what it did on the host; null when the line held. */
  crossed(place: string, stderr: string): string | null;
}

export type Account = "root" | "an ordinary user";

const OVER_MEMORY = { limits: { memoryMb: 128 }, ends: "failed process_error OOM" };
const OVER_DISK = { limits: { diskMb: 50 }, ends: "failed process_error DISK_LIMIT" };
const ROOT_ONLY = { as: ["root"] } as const;
const granted = (place: string): string => join(place, "granted");
const MAY_WRITE = {
  grants: (place: string) => [`fs.write:${granted(place)}`],
  prepare: (place: string) => mkdirSync(granted(place)),
};

const ROWS: Readonly<Record<string, Partial<Attack>>> = {
  "memory.py": OVER_MEMORY,
  "memory-of-a-child.py": OVER_MEMORY,
  "shared-memory.py": OVER_MEMORY,
  "nameless-memory.py": OVER_MEMORY,
  "give-back-shared-memory.py": OVER_MEMORY,
  "unmap-shared-memory.py": OVER_MEMORY,
  "page-tables.py": OVER_MEMORY,
  "memory-in-flight.py": OVER_MEMORY,
  "deep-folders.py": OVER_DISK,
  "unreadable-folder.py": OVER_DISK,
  "removed-mapped-files.py": OVER_DISK,
  "files-in-flight.py": OVER_DISK,
  "fill-tmp.py": OVER_DISK,
  "fill-the-asset-folder.py": OVER_DISK,
  "fill-dev-shm.py": OVER_DISK,
  "removed-files.py": OVER_DISK,
  "many-files.py": OVER_DISK,
  "fill-granted-folder.py": { ...OVER_DISK, ...MAY_WRITE },
  "endless-output.py": { limits: { outputMb: 4 }, ends: "failed process_error OUTPUT_LIMIT" },
  "endless-complaints.py": { crossed: (_, stderr) => (stderr.length > 64 * 1024 ? `${stderr.length} kept` : null) },
  "many-processes.py": { limits: { processes: 16 } },
  // The kernel counts by user, and an ordinary one has only itself.
  "use-up-watches.py": { ...ROOT_ONLY, atOnce: 2 },
  "leave-a-daemon.py": { crossed: (place) => processesMentioning(place).join() || null },
  "make-set-user-id.py": {
    ...MAY_WRITE,
    crossed: (place) => readdirSync(granted(place)).find((name) => modeOf(join(granted(place), name)) > 0o777) ?? null,
  },
  // An ordinary user's tool works in the granted folder itself: there `findPlace` refuses what became a link.
  "leave-links-behind.py": { ...ROOT_ONLY, ...MAY_WRITE, crossed: (place) => readdirSync(granted(place))[0] ?? null },
  "follow-granted-link.py": {
    ends: "failed process_error SPAWN_FAILED",
    grants: (place) => [`fs.write:${join(granted(place), "inner")}`],
    prepare: (place) => {
      for (const name of ["granted", "secret"]) mkdirSync(join(place, name));
      symlinkSync(join(place, "secret"), join(granted(place), "inner"));
      // As the tool before it would have made it, which is never root.
      if (process.getuid?.() === 0) lchownSync(join(granted(place), "inner"), 65534, 65534);
    },
    crossed: (place) => readdirSync(join(place, "secret"))[0] ?? null,
  },
  "talk-behind-read.py": {
    grants: (place) => [`fs.read:${granted(place)}`],
    prepare: (place) => {
      mkdirSync(granted(place));
      const agent = createServer((socket) => socket.end("a key")).listen(join(granted(place), "agent"));
      agent.on("listening", () => chmodSync(join(granted(place), "agent"), 0o777)).unref();
    },
  },
  "asset-foreign-fifo.py": {
    grants: (place) => [`fs.read:${granted(place)}`],
    prepare: (place) => {
      mkdirSync(granted(place));
      execFileSync("mkfifo", [join(granted(place), "fifo")]);
      // Who writes waits until somebody opens the other end.
      spawn("timeout", ["20", "sh", "-c", "echo x > granted/fifo && touch opened"], {
        cwd: place,
        stdio: "ignore",
      }).unref();
    },
    crossed: (place) => (existsSync(join(place, "opened")) ? "it was opened" : null),
  },
};

export const PROGRAMS = readdirSync(import.meta.dirname).filter((name) => /(?<!^attack)\.py$/.test(name));

export const ATTACKS: readonly Attack[] = PROGRAMS.map((program) => ({
  ...harmless(),
  ...ROWS[program],
  program,
  mustNot: headOf(program),
}));

/** Rows whose program is not there. */
export const ROWS_OF_NOTHING = Object.keys(ROWS).filter((program) => !PROGRAMS.includes(program));

function harmless(): Omit<Attack, "program" | "mustNot"> {
  return {
    as: ["root", "an ordinary user"],
    grants: () => [],
    limits: {},
    ends: "completed",
    atOnce: 1,
    prepare: () => {},
    crossed: () => null,
  };
}

function headOf(program: string): string {
  return /^"""Must not: (.+)\."""$/m.exec(readFileSync(join(import.meta.dirname, program), "utf8"))?.[1] ?? "";
}

function modeOf(file: string): number {
  return statSync(file).mode & 0o7777;
}
