/**
 * The zod twin of the six tool events: the source of their JSON Schema. What runs on a tool's output is the
 * hand-written `checkToolEvent` of @narratoria/tool, which has no dependencies; a type test and a property test hold
 * the two together.
 */
import { LOG_LEVELS, MEDIA_TYPE_PATTERN, PROTOCOL_VERSION } from "@narratoria/tool/protocol";
import { z } from "zod";
import { jsonObjectSchema } from "./json-value-schema.ts";

const text = z.string().min(1);
const optionalObject = jsonObjectSchema.nullish();

const envelope = {
  version: z.literal(PROTOCOL_VERSION),
  requestId: z.string().nullish().describe("The invocation's own, as it stood in the tool's input."),
  // Any string: a bad time is worth a warning, not the end of the invocation.
  timestamp: z.string().nullish().describe("When it happened, in ISO 8601."),
};

export const logEventSchema = z
  .object({
    ...envelope,
    type: z.literal("log"),
    level: z.enum(LOG_LEVELS),
    message: text,
    fields: optionalObject.describe("`progress` (0 to 1), or `current` and `total`, drive a progress bar."),
  })
  .meta({ id: "LogEvent", description: "Progress or diagnostics. Never an error, whatever its level." });

export const statePatchEventSchema = z
  .object({
    ...envelope,
    type: z.literal("state_patch"),
    patch: jsonObjectSchema.describe("A JSON merge patch (RFC 7396): null removes, arrays are replaced."),
  })
  .meta({ id: "StatePatchEvent", description: "A change of the session state, applied as soon as it is read." });

export const assetEventSchema = z
  .object({
    ...envelope,
    type: z.literal("asset"),
    assetId: text.describe("Unique within the invocation."),
    kind: text.describe("A broad category such as image, audio, video, model."),
    mediaType: text.regex(new RegExp(MEDIA_TYPE_PATTERN)),
    path: text.describe("A finished, readable file: absolute, or relative to the working directory."),
    metadata: optionalObject,
  })
  .meta({ id: "AssetEvent", description: "A file the tool has made. Write it first, then say so." });

export const uiEventSchema = z
  .object({ ...envelope, type: z.literal("ui_event"), event: text, payload: optionalObject })
  .meta({
    id: "UiEvent",
    description:
      "Something to show. `narrative_choice` takes {choices, prompt?}, each choice a string or {id, label, hint, " +
      "difficulty}; any other event is shown as a placeholder with its payload.",
  });

export const errorEventSchema = z
  .object({ ...envelope, type: z.literal("error"), errorCode: text, errorMessage: text, details: optionalObject })
  .meta({ id: "ErrorEvent", description: "Something went wrong. It does not end the invocation; `done` does." });

export const doneEventSchema = z
  .object({ ...envelope, type: z.literal("done"), ok: z.boolean(), summary: z.string().nullish() })
  .meta({ id: "DoneEvent", description: "The last event. The process must then exit with code 0." });

export const toolEventSchema = z.discriminatedUnion("type", [
  logEventSchema,
  statePatchEventSchema,
  assetEventSchema,
  uiEventSchema,
  errorEventSchema,
  doneEventSchema,
]);
