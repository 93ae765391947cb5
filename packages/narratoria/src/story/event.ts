/**
 * Everything that happens, as a union with one member per name: an entry of a session's log. `runtime/` writes them,
 * every view folds them; whoever reads one switches on `event`, and the compiler knows its `data`. What each name
 * carries stands in `event-data.ts`.
 *
 * The schema checks and describes; keep the value that was checked, not zod's copy, which lacks unknown fields.
 */
import type { JsonObject } from "@narratoria/tool/json";
import { z } from "zod";
import * as data from "./event-data.ts";
import { errorDetailSchema } from "./execution-result.ts";
import { jsonObjectSchema } from "./json-value-schema.ts";

export const COMPONENTS = ["kernel", "runtime", "narrator", "runner", "policy", "server"] as const;
export type Component = (typeof COMPONENTS)[number];

const optionalString = z.string().nullish();

const errorSchema = z.object({ code: z.string().min(1), message: z.string(), details: jsonObjectSchema.nullish() });

const envelope = {
  id: z.string().min(1),
  ts: z.number().describe("Seconds since 1970, with fractions; for people, never for order."),
  component: z.enum(COMPONENTS),
  module: optionalString,
  status: optionalString,
  duration_ms: z.int().min(0).nullish(),
  error: errorSchema.nullish(),
  session_id: optionalString,
  request_id: optionalString.describe("The plan's."),
  span_id: optionalString.describe("The attempt's."),
  seq: z.int().min(0).nullish().describe("The place in the session's log; order is by this."),
  turn_id: optionalString,
};

/** An event that needs its data, and nothing beyond the envelope. */
function carrying<Name extends string, Data extends z.ZodType>(event: Name, carried: Data) {
  return z.object({ ...envelope, event: z.literal(event), data: carried });
}

const invocation = carrying("module:invoke", data.moduleInvoke).extend({
  module: z.string(),
  status: z.enum(["ok", "error"]),
  duration_ms: z.int().min(0),
});

const planCreate = z.discriminatedUnion("status", [
  carrying("plan:create", data.acceptedPlan).extend({ status: z.literal("accepted") }),
  carrying("plan:create", data.rejectedPlan).extend({ status: z.literal("rejected") }),
]);

const toolEnd = carrying("tool:end", data.toolEnd).extend({
  status: z.enum(["completed", "failed", "timeout", "skipped"]),
  error: errorDetailSchema.nullish(),
});

/** Stable: logs of years ago hold these names. */
export const eventSchema = z.discriminatedUnion("event", [
  carrying("session:start", data.sessionStart),
  carrying("session:fork", data.sessionFork),
  carrying("session:end", data.sessionEnd),
  carrying("session:title", data.sessionTitle),
  carrying("session:head", data.sessionHead),
  carrying("session:bookmark", data.sessionBookmark),
  carrying("mount:add", data.mountAdd),
  carrying("mount:remove", data.mountRemove),
  carrying("hook:register", data.hookRegister),
  carrying("context:get", data.contextGet),
  carrying("context:set", data.contextSet),
  carrying("context:pre_compact", data.contextPreCompact),
  carrying("context:post_compact", data.contextPostCompact),
  invocation,
  carrying("policy:decision", data.policyDecision).extend({ status: z.enum(["allow", "deny"]) }),
  carrying("artifact:write", data.artifactWrite),
  carrying("artifact:read", data.artifactRead).extend({ status: z.string() }),
  carrying("turn:start", data.turnStart),
  carrying("turn:tell", data.turnTell),
  carrying("turn:interrupt", data.turnPointer),
  carrying("turn:resume", data.turnPointer),
  carrying("turn:end", data.turnEnd).extend({ status: z.enum(["completed", "cancelled", "failed"]) }),
  planCreate,
  carrying("plan:end", data.planEnd).extend({ status: z.enum(["ok", "error"]) }),
  carrying("tool:wait", data.toolWait).extend({ status: z.string() }),
  carrying("tool:start", data.toolStart).extend({ status: z.string() }),
  carrying("tool:event", data.toolEvent),
  toolEnd,
  carrying("ask:open", data.askOpen),
  carrying("ask:answer", data.askAnswer),
]);

export type NarratoriaEvent = z.output<typeof eventSchema>;
export type EventName = NarratoriaEvent["event"];
export type EventOf<Name extends EventName> = Extract<NarratoriaEvent, { event: Name }>;
/** Of a plan that is none: JSON, in which only what the runtime has set can be relied on. */
export type RejectedPlan = Extract<EventOf<"plan:create">, { status: "rejected" }>["data"]["plan"];
export type EventError = z.output<typeof errorSchema>;

type WithoutStamp<Event> = Event extends NarratoriaEvent ? Omit<Event, "id" | "ts" | "seq"> : never;

/** What an event's writer says; a caller's own id and time would be ignored, so it cannot give any. */
export type EventDraft = WithoutStamp<NarratoriaEvent>;
export type DraftOf<Name extends EventName> = WithoutStamp<EventOf<Name>>;

/** Where an event belongs; the log adds it to what its writer says. */
export interface EventPlace {
  session_id: string;
  turn_id?: string;
}

export const EVENT_NAMES: readonly EventName[] = eventSchema.options.flatMap((member) => {
  const shape = member instanceof z.ZodObject ? member.shape : member.options[0].shape;
  return [...shape.event.values];
});

/** The envelope of a run of log lines of one attempt: what all their events have in common. */
export const lineEnvelopeSchema = carrying("tool:event", data.lineEnvelope).extend({
  turn_id: z.string().min(1),
  span_id: z.string().min(1),
});
export type LineEnvelope = Omit<EventOf<"tool:event">, "data"> & { data: z.output<typeof data.lineEnvelope> };
export type LineDraft = Omit<LineEnvelope, "id" | "ts" | "seq">;

/** The event a draft becomes. (A spread of a union forgets which member it was.) */
export function stamp(draft: EventDraft, mark: { id: string; ts: number; seq: number }): NarratoriaEvent {
  return Object.assign({ ...draft }, mark);
}

/** The same draft, told where it belongs. */
export function placed(draft: EventDraft, place: EventPlace): EventDraft {
  return Object.assign({ ...draft }, place);
}

/** The change of state that an event is; null when it is none. */
export function patchOf(event: NarratoriaEvent): JsonObject | null {
  if (event.event !== "tool:event" || event.data.event.type !== "state_patch") return null;
  return event.data.event.patch;
}
