/**
 * The seam between the runtime and one way to run a tool. `runners/` implements it; `execution/attempt-tool.ts` calls it,
 * applies what comes out, and decides about another attempt.
 *
 * A call is plain data: the tool is named, not handed over, and nothing in it is a path of this machine, so that
 * another machine with the same story could make it. What cannot be data (taking events, asking the player, time that
 * can stand still) is the port.
 */
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { ToolEvent } from "@narratoria/tool/protocol";
import type { ErrorDetail, SandboxLevel } from "../../story/execution-result.ts";
import type { AssetSource } from "./assets.ts";
import type { CallClock } from "./clock.ts";
import type { Question } from "./player.ts";
import type { Haste } from "./sandbox.ts";

export interface ToolRunner {
  /** Runs one attempt to its end. Never rejects for what a tool does: every outcome is a value. */
  run(call: AttemptCall, port: AttemptPort, signal: AbortSignal): Promise<AttemptReport>;
  /** What a mount offers: one tool or many, found out by asking it where it has to be asked. */
  offers(tool: ToolReference, signal: AbortSignal): Promise<ToolOffer[]>;
  /** A session is gone: so is what was kept running for it. */
  endSession(sessionId: string): Promise<void>;
  /** Ends what was kept running between attempts. */
  close(): Promise<void>;
}

/** Which tool, as `mounts/tool-registry.ts` knows it: by its story, its name there, and what it is. */
export interface ToolReference {
  /** The same on every machine that has the story. */
  readonly story: string;
  readonly tool: string;
  /** Changes with the program's command, its manifest and what it needs. */
  readonly digest: string;
}

/** One attempt to be made. */
export interface AttemptCall {
  readonly requestId: string;
  readonly tool: ToolReference;
  readonly operation: string;
  readonly input: JsonObject;
  readonly dependencies: { readonly [toolId: string]: Json };
  readonly state: JsonObject | null;
  readonly storyTitle: string;
  /** Null outside of a session. */
  readonly sessionId: string | null;
  /** Without it the usual. */
  readonly haste?: Haste | undefined;
  readonly timeoutMs: number;
}

export interface AttemptPort {
  /**
   * Takes each event in order. A promise holds the tool back until it settles (back-pressure reaches the tool's pipe);
   * an error detail ends the attempt with it.
   */
  take(received: ReceivedEvent): TakeReply | Promise<TakeReply>;
  /** Everything that had arrived has been taken: the moment to write what was gathered. */
  flush(): void | Promise<void>;
  /** Asks the player; null when nobody answered. All limits stand still meanwhile. */
  ask(question: Question): Promise<string | null>;
  /** For limits and durations: it stands still while the player is asked. */
  readonly clock: CallClock;
}

export type TakeReply = ErrorDetail | undefined;

export interface ReceivedEvent {
  event: ToolEvent;
  /** The line as the tool printed it. */
  text: string;
  warnings: readonly string[];
  /** For an asset: its bytes. */
  asset?: AssetSource;
}

/** One thing a mount can do. */
export interface ToolOffer {
  operation: string;
  description: string | null;
  /** The JSON Schema of its input; null when nothing is said about it. */
  inputs: JsonObject | null;
}

export type AttemptOutcome =
  | { kind: "completed"; summary: string | null }
  | { kind: "failed"; error: ErrorDetail }
  | { kind: "timeout"; error: ErrorDetail };

export interface AttemptReport {
  outcome: AttemptOutcome;
  exitCode: number | null;
  signal: string | null;
  stderrTail: string;
  warnings: string[];
  eventsAfterDone: number;
  sandbox: SandboxLevel;
  trace: JsonObject;
  /** What the tool returned, for protocols in which tools return something; patches make the output otherwise. */
  output?: Json;
  /** The operation of a module that was really called. */
  invocation?: { op: string; durationMs: number };
}
