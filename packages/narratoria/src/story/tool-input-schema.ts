/** The zod twin of `ToolInput`: what a tool finds on stdin. `scripts/contracts.ts` publishes it for tool authors. */
import { z } from "zod";
import { jsonObjectSchema } from "./json-value-schema.ts";

export const toolInputSchema = z
  .object({
    requestId: z.string().min(1).describe("Fresh for every attempt."),
    tool: z.string().min(1).describe("The skill's name."),
    operation: z.string().min(1).describe('"run" unless the plan says otherwise.'),
    input: jsonObjectSchema.describe("The plan's input with its references filled in."),
    context: z.object({
      dependencies: jsonObjectSchema.describe(
        "What each tool this one depends on gave, by toolId; null where an optional one failed.",
      ),
      state: jsonObjectSchema
        .nullable()
        .describe("The part of the session state this tool may read; null when it is too large to send whole."),
    }),
  })
  .meta({
    id: "ToolInput",
    description: "One line of JSON on stdin, then end-of-file. Ignore fields you do not know; not reading is fine too.",
  });
