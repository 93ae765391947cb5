/**
 * What became of a plan: the document `narratoria run` prints and narrators read. `runtime/execution/execute-plan.ts` writes it.
 * The schemas check and describe; keep the value that was checked, not zod's copy, which lacks unknown fields.
 */
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { ToolEvent } from "@narratoria/tool/protocol";
import { z } from "zod";
import { jsonObjectSchema, jsonSchema } from "./json-value-schema.ts";
import { toolEventSchema } from "./tool-event-schema.ts";

export const ERROR_CATEGORIES = [
  "tool_failure",
  "process_error",
  "timeout",
  "protocol_violation",
  "forbidden",
] as const;
export type ErrorCategory = (typeof ERROR_CATEGORIES)[number];

/** How far a tool was confined. */
export const SANDBOX_LEVELS = ["full", "container", "partial", "none"] as const;
export type SandboxLevel = (typeof SANDBOX_LEVELS)[number];

export interface ErrorDetail {
  code: string;
  category: ErrorCategory;
  message: string;
  details?: JsonObject | undefined;
}

export interface ExecutionResult {
  /** The plan's `requestId`. */
  planId: string;
  /** Every required tool completed. */
  success: boolean;
  narrative: string;
  /** Milliseconds, here and in the tool results. */
  executionTime: number;
  /** In plan order, one for every tool of the plan. */
  toolResults: ToolResult[];
  /** The tools that failed or timed out, in plan order; not the skipped ones. */
  failedTools: string[];
  generationAttempt: number;
  canReplan: boolean;
  disabledSkills: string[];
  /** The session state after the plan. */
  aggregatedState: JsonObject;
  aggregatedAssets: AssetRecord[];
}

export type ToolState = "completed" | "failed" | "skipped" | "timeout";

export interface ToolResult {
  toolId: string;
  skill: string;
  ok: boolean;
  state: ToolState;
  /** The last attempt's patches as one patch, or what the tool returned; null when there is nothing. */
  output: Json;
  executionTime: number;
  retryCount: number;
  /** Present when not ok. */
  error?: string | undefined;
  errorDetail?: ErrorDetail | undefined;
  /** The events of all attempts; of a long run only the first and the last. */
  events: ToolEvent[];
  eventCount: number;
  eventsOmitted: number;
  attempts: AttemptRecord[];
}

export interface AttemptRecord {
  requestId: string;
  /** ISO 8601 in UTC. */
  startedAt: string;
  endedAt: string;
  outcome: "completed" | "failed" | "timeout";
  exitCode: number | null;
  signal: string | null;
  stderrTail: string;
  errorDetail?: ErrorDetail | undefined;
  warnings: string[];
  eventsAfterDone: number;
  sandbox: SandboxLevel;
  /** What the runner has to say about this attempt; each runner has its own fields. */
  trace: JsonObject;
}

export interface AssetRecord {
  toolId: string;
  assetId: string;
  kind: string;
  mediaType: string;
  metadata?: JsonObject | undefined;
  status: "stored" | "refused";
  /** Present when stored. */
  sha256?: string | undefined;
  bytes?: number | undefined;
  /** In pixels, and how long it plays: read from the bytes, present where they tell. */
  width?: number | undefined;
  height?: number | undefined;
  durationMs?: number | undefined;
  /** Present when refused. */
  reason?: string | undefined;
}

const count = z.int().min(0);
const milliseconds = z.number().min(0);

export const errorDetailSchema = z
  .object({
    code: z.string().min(1),
    category: z.enum(ERROR_CATEGORIES),
    message: z.string(),
    details: jsonObjectSchema.optional(),
  })
  .meta({ id: "ErrorDetail", description: "What went wrong, for programs: a stable code and its category." });

const attemptSchema = z
  .object({
    requestId: z.string().min(1),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime(),
    outcome: z.enum(["completed", "failed", "timeout"]),
    exitCode: z.int().nullable(),
    signal: z.string().nullable(),
    stderrTail: z.string(),
    errorDetail: errorDetailSchema.optional(),
    warnings: z.array(z.string()),
    eventsAfterDone: count,
    sandbox: z.enum(SANDBOX_LEVELS),
    trace: jsonObjectSchema,
  })
  .meta({ id: "Attempt", description: "One process, or one call, made for a tool of the plan." });

const toolResultSchema = z
  .object({
    toolId: z.string().min(1),
    skill: z.string(),
    ok: z.boolean(),
    state: z.enum(["completed", "failed", "skipped", "timeout"]),
    output: jsonSchema,
    executionTime: milliseconds,
    retryCount: count,
    error: z.string().optional(),
    errorDetail: errorDetailSchema.optional(),
    events: z.array(toolEventSchema),
    eventCount: count,
    eventsOmitted: count,
    attempts: z.array(attemptSchema),
  })
  .refine((result) => result.ok === (result.state === "completed"), { path: ["state"], error: "contradicts ok" })
  .refine((result) => result.ok || result.error !== undefined, { path: ["error"], error: "missing" })
  .meta({
    id: "ToolResult",
    description: "What became of one tool of the plan. `error` is there exactly when the tool is not ok.",
    if: { properties: { ok: { const: true } } },
    then: { properties: { state: { const: "completed" } } },
    else: { properties: { state: { not: { const: "completed" } }, error: true }, required: ["error"] },
  });

export const assetSchema = z
  .object({
    toolId: z.string().min(1),
    assetId: z.string().min(1),
    kind: z.string().min(1),
    mediaType: z.string().min(1),
    metadata: jsonObjectSchema.optional(),
    status: z.enum(["stored", "refused"]),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    bytes: count.optional(),
    width: count.optional(),
    height: count.optional(),
    durationMs: count.optional(),
    reason: z.string().optional(),
  })
  .meta({ id: "Asset", description: "A file a tool made: stored under its hash, or refused with the reason." });

export const executionResultSchema = z.object({
  planId: z.string().min(1),
  success: z.boolean(),
  narrative: z.string(),
  executionTime: milliseconds,
  toolResults: z.array(toolResultSchema),
  failedTools: z.array(z.string()),
  generationAttempt: z.int().min(1),
  canReplan: z.boolean(),
  disabledSkills: z.array(z.string()),
  aggregatedState: jsonObjectSchema,
  aggregatedAssets: z.array(assetSchema),
});
