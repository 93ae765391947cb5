/**
 * The envelope of everything that happens: one line of the session's log. `runtime/` writes them, every view
 * folds them. The schema checks and describes; keep the value that was checked, not zod's copy, which lacks unknown
 * fields.
 */
import { isJsonObject, type JsonObject } from "@narratoria/tool/json";
import { z } from "zod";
import { jsonObjectSchema } from "./json-value-schema.ts";

/** Stable: logs of years ago hold these names. */
export const EVENT_NAMES = [
  "session:start",
  "session:fork",
  "session:end",
  "session:title",
  "session:head",
  "session:bookmark",
  "mount:add",
  "mount:remove",
  "hook:register",
  "context:get",
  "context:set",
  "context:pre_compact",
  "context:post_compact",
  "module:invoke",
  "policy:decision",
  "artifact:write",
  "artifact:read",
  "turn:start",
  "turn:interrupt",
  "turn:resume",
  "turn:end",
  "plan:create",
  "plan:end",
  "tool:start",
  "tool:event",
  "tool:end",
  "ask:open",
  "ask:answer",
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

export const COMPONENTS = ["kernel", "runtime", "narrator", "runner", "policy", "server"] as const;
export type Component = (typeof COMPONENTS)[number];

export interface NarratoriaEvent {
  id: string;
  /** Seconds since 1970, with fractions. */
  ts: number;
  event: EventName;
  component: Component;
  module?: string | null | undefined;
  status?: string | null | undefined;
  duration_ms?: number | null | undefined;
  data?: JsonObject | null | undefined;
  error?: EventError | null | undefined;
  session_id?: string | null | undefined;
  /** The plan's. */
  request_id?: string | null | undefined;
  /** The attempt's. */
  span_id?: string | null | undefined;
  /** The place in the session's log; order is by this, never by `ts`. */
  seq?: number | null | undefined;
  turn_id?: string | null | undefined;
}

export interface EventError {
  code: string;
  message: string;
  details?: JsonObject | null | undefined;
}

/** What an event must carry beyond the envelope's own four fields. */
interface Requirement {
  fields?: readonly ("module" | "status" | "duration_ms")[];
  data?: readonly string[];
  statuses?: readonly string[];
}

const REQUIREMENTS: { readonly [name in EventName]?: Requirement } = {
  "session:start": { data: ["plan"] },
  "session:fork": { data: ["parent"] },
  "session:end": { data: ["reason"] },
  "session:title": { data: ["title"] },
  "session:head": { data: ["reason"] },
  "session:bookmark": { data: ["turnId"] },
  "mount:add": { data: ["path", "module"] },
  "mount:remove": { data: ["path"] },
  "hook:register": { data: ["event"] },
  "context:get": { data: ["key"] },
  "context:set": { data: ["key"] },
  "context:pre_compact": { data: ["bytes"] },
  "context:post_compact": { data: ["delta_bytes"] },
  "module:invoke": { fields: ["module", "status", "duration_ms"], data: ["op"], statuses: ["ok", "error"] },
  "policy:decision": { fields: ["status"], data: ["capability"], statuses: ["allow", "deny"] },
  "artifact:write": { data: ["uri", "bytes"] },
  "artifact:read": { fields: ["status"], data: ["uri"] },
  "turn:start": { data: ["turnId", "prompt"] },
  "turn:interrupt": { data: ["turnId"] },
  "turn:resume": { data: ["turnId"] },
  "turn:end": { fields: ["status"], data: ["turnId"] },
  "plan:create": { data: ["plan"] },
  "tool:start": { fields: ["status"], data: ["toolId", "attempt"] },
  "tool:end": { fields: ["status"], data: ["toolId", "attempt"] },
};

const optionalString = z.string().nullish();

export const eventSchema = z
  .object({
    id: z.string().min(1),
    ts: z.number().describe("Seconds since 1970, with fractions."),
    event: z.enum(EVENT_NAMES),
    component: z.enum(COMPONENTS),
    module: optionalString,
    status: optionalString,
    duration_ms: z.int().min(0).nullish(),
    data: jsonObjectSchema.nullish(),
    error: z.object({ code: z.string().min(1), message: z.string(), details: jsonObjectSchema.nullish() }).nullish(),
    session_id: optionalString,
    request_id: optionalString.describe("The plan's."),
    span_id: optionalString.describe("The attempt's."),
    seq: z.int().min(0).nullish().describe("The place in the session's log."),
    turn_id: optionalString,
  })
  .superRefine((event, context) => {
    for (const path of findMissing(event)) context.addIssue({ code: "custom", path, message: "missing or wrong" });
  })
  .meta({ allOf: Object.entries(REQUIREMENTS).map(([name, requirement]) => asJsonSchema(name, requirement)) });

/** Where a checked envelope lacks what its name demands. */
function findMissing(event: NarratoriaEvent): string[][] {
  const { fields = [], data = [], statuses } = REQUIREMENTS[event.event] ?? {};
  const missing: string[][] = fields.filter((field) => (event[field] ?? null) === null).map((field) => [field]);
  const given = isJsonObject(event.data) ? event.data : {};
  for (const key of data) if ((given[key] ?? null) === null) missing.push(["data", key]);
  if (statuses !== undefined && !statuses.includes(event.status ?? "")) missing.push(["status"]);
  return missing;
}

/** The same demand for readers in other languages. */
function asJsonSchema(name: string, { fields = [], data = [], statuses }: Requirement): object {
  const present = { not: { type: "null" } };
  const properties: { [field: string]: object } = Object.fromEntries(fields.map((field) => [field, present]));
  if (statuses !== undefined) properties["status"] = { enum: statuses };
  if (data.length > 0) {
    const dataProperties = Object.fromEntries(data.map((key) => [key, present]));
    properties["data"] = { type: "object", properties: dataProperties, required: data };
  }
  const required = Object.keys(properties);
  return { if: { properties: { event: { const: name } } }, then: { properties, required } };
}
