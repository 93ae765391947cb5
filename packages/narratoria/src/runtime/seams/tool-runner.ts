/**
 * The seam between the runtime and one way to run a tool. `runners/` implements it; `attempt-tool.ts` calls it,
 * applies what comes out, and decides about another attempt.
 */
import type { JsonObject, Json } from "@narratoria/tool/json";
import type { ToolEvent } from "@narratoria/tool/protocol";
import type { ErrorDetail } from "../../story/execution-result.ts";
import type { AssetFile } from "./assets.ts";
import type { ResolvedTool } from "./resolved-tool.ts";
import type { SandboxLevel } from "../../story/execution-result.ts";

export interface ToolRunner {
  /** Runs one attempt to its end. Never rejects for what a tool does: every outcome is a value. */
  run(call: ToolCall, sink: EventSink, signal: AbortSignal): Promise<AttemptReport>;
  /** Ends what was kept running between attempts. */
  close?(): Promise<void>;
}

/** One attempt to be made. */
export interface ToolCall {
  requestId: string;
  tool: ResolvedTool;
  operation: string;
  input: JsonObject;
  dependencies: { [toolId: string]: Json };
  state: JsonObject | null;
  storyDir: string;
  storyTitle?: string | undefined;
  /** Granted secrets, by name. */
  secrets: Readonly<Record<string, string>>;
  /** Null outside of a session. */
  sessionId: string | null;
  timeoutMs: number;
}

/**
 * Takes each event in order. A promise holds the tool back until it settles (back-pressure reaches the tool's pipe);
 * an error detail ends the attempt with it.
 */
export interface EventSink {
  (received: ReceivedEvent): SinkReply | Promise<SinkReply>;
  /** Called when everything that had arrived has been taken: the moment to write what was gathered. */
  flush?: () => void | Promise<void>;
}
export type SinkReply = ErrorDetail | undefined;

export interface ReceivedEvent {
  event: ToolEvent;
  /** The line as the tool printed it. */
  text: string;
  warnings: readonly string[];
  /** For an asset: where its file lies for us, which in a sandbox is not where the tool sees it. */
  assetFile?: AssetFile;
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
