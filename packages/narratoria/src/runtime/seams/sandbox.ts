/**
 * The seam between running a tool and confining it: a sandbox turns a program into a running process. `sandbox/`
 * implements it; `runners/process.ts` speaks the protocol with what comes back.
 */
import type { Readable, Writable } from "node:stream";
import type { SandboxLevel } from "../../story/execution-result.ts";
import type { AssetSource } from "./assets.ts";

export interface Sandbox {
  readonly level: SandboxLevel;
  launch(program: Program): Promise<RunningProcess>;
  close(): Promise<void>;
}

export interface Program {
  /** An absolute path, or the name of an interpreter, and its arguments. Never a shell line. */
  command: readonly string[];
  /** The working directory; read-only to a confined tool. */
  storyDir: string;
  /** Folders outside the story that the program needs to read: where it and its libraries lie. */
  readFolders: readonly string[];
  /** What the tool gets on top of the allowlisted environment. */
  env: Readonly<Record<string, string>>;
  limits: ToolLimits;
  /** How much of the processor its session had of late; what stays up for several calls has the usual. */
  haste?: Haste | undefined;
  /** Capabilities that were granted, like `net.fetch` or `fs.read:/srv/maps`: each widens the sandbox. */
  grants: readonly string[];
}

/** Whose tool goes first when there is less of the processor than is wanted. */
export type Haste = "seldom" | "usual" | "greedy";

/** What one tool may use at most. */
export interface ToolLimits {
  memoryMb: number;
  processes: number;
  cpuSeconds: number;
  fileSizeMb: number;
  openFiles: number;
  /** All files it writes, together. */
  diskMb: number;
  /** What it prints, in all. */
  outputMb: number;
}

export const DEFAULT_LIMITS: ToolLimits = {
  memoryMb: 1024,
  processes: 64,
  cpuSeconds: 60,
  fileSizeMb: 256,
  openFiles: 256,
  diskMb: 1024,
  outputMb: 1024,
};

/** A manifest is as little trusted as its tool: it may ask for more than usual, but not for the whole machine. */
export const MOST_LIMITS: ToolLimits = {
  memoryMb: 4096,
  processes: 256,
  cpuSeconds: 3600,
  fileSizeMb: 2048,
  openFiles: 4096,
  diskMb: 4096,
  outputMb: 4096,
};

export interface RunningProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when the tool itself has exited, whatever its descendants do. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  /** Signals the tool and all its descendants that are within reach. A process that is gone is no error. */
  signalTree(signal: "SIGTERM" | "SIGKILL"): void;
  /** The CPU time it and its descendants have used so far, in milliseconds; null where the system does not tell. */
  cpuMs(): number | null;
  /** Some of what it reads are copies made when it started: what changes on the disk since, it does not see. */
  readonly readsCopies: boolean;
  /** The bytes of a file that the tool named, wherever it lies for us; opened with care when they are taken. */
  asset(path: string, mediaType: string): AssetSource;
  /** Gives back what belonged to this process alone: call it when nothing will be read from its folders any more. */
  release(): Promise<void>;
}

export type OverLimit = "memory" | "disk" | "processes";

export type ProcessExit =
  /** `overLimit`: we killed it because it used more than it may. */
  | { kind: "exited"; exitCode: number | null; signal: string | null; overLimit: OverLimit | null }
  | { kind: "not_started"; reason: string };
