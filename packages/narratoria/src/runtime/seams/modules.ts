/**
 * The seam to mounted modules: programs and services that stay up and answer one operation after another.
 * `runners/modules.ts` implements it; plans, hooks and narrators call modules through it.
 */
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { CallClock } from "./clock.ts";
import type { EquippedMount } from "./resolved-tool.ts";

export interface Modules {
  /** Starts the module on first use. Its limit goes by the clock. Never rejects for what a module does. */
  invoke(module: EquippedMount, call: ModuleCall, clock: CallClock, signal: AbortSignal): Promise<ModuleCallReport>;
  /** What a module says about itself; null when it is not what was mounted, or does not answer. Starts it. */
  describe(module: EquippedMount, signal: AbortSignal): Promise<JsonObject | null>;
  /** Ends the modules of a session that is no more. */
  endSession(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

export interface ModuleCall {
  op: string;
  args: JsonObject;
  sessionId: string | null;
  timeoutMs: number;
}

export type ModuleReply = { kind: "ok"; result: Json } | { kind: "error"; error: ModuleError };

export interface ModuleError {
  code: string;
  message: string;
  details?: JsonObject | undefined;
}

export interface ModuleCallReport {
  reply: ModuleReply;
  /** False when it never came to the call: the module is not what its mount says, or the input is wrong. */
  wasCalled: boolean;
  durationMs: number;
  /** What the module printed since the report before this one. */
  stderr: string;
  warnings: string[];
}

export function moduleError(
  code: string,
  message: string,
  details?: JsonObject,
): { kind: "error"; error: ModuleError } {
  return { kind: "error", error: { code, message, ...(details && { details }) } };
}
