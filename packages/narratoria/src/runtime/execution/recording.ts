/**
 * A recording: what tools answered in a real run, kept in a file, so that they can be mounted without being there
 * (`builtin:recorded`). This makes one from executed plans; `runners/recorded.ts` plays it.
 */
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { ToolEvent } from "@narratoria/tool/protocol";
import { z } from "zod";
import { ERROR_CATEGORIES, type ErrorDetail, type ExecutionResult } from "../../story/execution-result.ts";
import { jsonObjectSchema, jsonSchema } from "../../story/json-value-schema.ts";
import type { Plan } from "../../story/plan.ts";
import { resolveReferences } from "../../story/references.ts";
import { toolEventSchema } from "../../story/tool-event-schema.ts";

export interface Recording {
  recording: 0;
  calls: RecordedCall[];
}

/** One tool's answer to one input. */
export interface RecordedCall {
  /** The skill's name: a mount plays the calls of its own name. */
  tool: string;
  operation: string;
  input: JsonObject;
  events: ToolEvent[];
  /** What it came to: what the tool returned, or its patches as one. */
  output?: Json | undefined;
  /** Why it failed; absent when it completed. */
  error?: ErrorDetail | undefined;
  /** The files of its assets in base64, by assetId. */
  files?: { [assetId: string]: string } | undefined;
}

export const recordingSchema: z.ZodType<Recording> = z.object({
  recording: z.literal(0),
  calls: z.array(
    z.object({
      tool: z.string().min(1),
      operation: z.string().min(1),
      input: jsonObjectSchema,
      events: z.array(toolEventSchema as z.ZodType<ToolEvent>),
      output: jsonSchema.optional(),
      error: z
        .object({
          code: z.string(),
          category: z.enum(ERROR_CATEGORIES),
          message: z.string(),
          details: jsonObjectSchema.optional(),
        })
        .optional(),
      files: z.record(z.string(), z.base64()).optional(),
    }),
  ),
});

export interface ExecutedPlan {
  plan: Plan;
  result: ExecutionResult;
}

/** `readAsset` gives the bytes of a stored asset in base64, or null when they are too many to keep in a recording. */
export function recordPlans(plans: readonly ExecutedPlan[], readAsset: (sha256: string) => string | null): Recording {
  return { recording: 0, calls: plans.flatMap((executed) => recordPlan(executed, readAsset)) };
}

function recordPlan({ plan, result }: ExecutedPlan, readAsset: (sha256: string) => string | null): RecordedCall[] {
  const outputs = new Map(result.toolResults.map(({ toolId, output, ok }) => [toolId, ok ? output : null]));
  return plan.tools.flatMap((tool): RecordedCall[] => {
    const made = result.toolResults.find(({ toolId }) => toolId === tool.toolId);
    if (made === undefined || made.attempts.length === 0) return [];
    const assets = result.aggregatedAssets.filter(({ toolId }) => toolId === tool.toolId);
    const files = assets.flatMap(({ assetId, sha256 }) => {
      const bytes = sha256 === undefined ? null : readAsset(sha256);
      return bytes === null ? [] : [[assetId, bytes]];
    });
    return [
      {
        tool: made.skill,
        operation: tool.operation,
        input: resolveReferences(tool.input, outputs),
        events: made.events,
        ...(made.ok && { output: made.output }),
        ...(made.errorDetail && { error: made.errorDetail }),
        ...(files.length > 0 && { files: Object.fromEntries(files) as { [assetId: string]: string } }),
      },
    ];
  });
}
