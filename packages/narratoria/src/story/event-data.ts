/**
 * What the events carry, name by name; `event.ts` puts an envelope around each. Fields that every version wrote are
 * demanded; a field that some version left out is optional, for its logs are still read.
 */
import { z } from "zod";
import { assetSchema, SANDBOX_LEVELS } from "./execution-result.ts";
import { jsonObjectSchema, jsonSchema } from "./json-value-schema.ts";
import { planSchema } from "./plan.ts";
import { PLAN_PROBLEM_CODES } from "./plan-problem.ts";
import { sessionPlanSchema } from "./session-plan.ts";
import { healthRecordSchema } from "./skill-health.ts";
import { toolEventSchema } from "./tool-event-schema.ts";

const text = z.string();
const id = z.string().min(1);
const count = z.int().min(0);
const orNull = z.string().nullable();

export const choiceSchema = z.object({
  id: text.optional(),
  label: text,
  hint: text.optional(),
  difficulty: z.union([text, z.number()]).optional(),
});

export const sessionStart = z.object({
  plan: sessionPlanSchema,
  title: text.nullish(),
  story: z.object({ dir: text, title: text, version: text.nullish() }).nullish(),
});

export const sessionFork = z.object({ parent: id, turnId: text.nullish(), title: text.nullish() });
export const sessionEnd = z.object({ reason: text });
export const sessionTitle = z.object({ title: text });
export const sessionHead = z.object({ reason: text, turnId: text.nullish() });
export const sessionBookmark = z.object({ turnId: text, name: text.nullish() });

export const mountAdd = z.object({ path: text, module: text, protocol: text.nullish() });
export const mountRemove = z.object({ path: text });
export const hookRegister = z.object({ event: text, priority: z.number().nullish(), kind: text.nullish() });

export const contextGet = z.object({ key: text });
export const contextSet = z.object({ key: text, value: jsonSchema.optional(), skill: text.nullish() });
export const contextPreCompact = z.object({ bytes: count });
export const contextPostCompact = z.object({ delta_bytes: z.int(), turns: count.optional() });

export const moduleInvoke = z.object({
  op: text,
  event: text.nullish(),
  action: text.nullish(),
  reason: text.nullish(),
  allowed: z.boolean().nullish(),
  data: jsonObjectSchema.nullish(),
  events: count.nullish().describe("An observer: how many events it was told since it was last noted."),
  failed: count.nullish().describe("An observer: how many of them it did not take."),
  missed: count.nullish().describe("An observer: how many it was not told, because it did not answer."),
});

export const policyDecision = z.object({ capability: text, toolId: text.nullish() });

export const artifactWrite = z.object({ uri: text, bytes: count, mediaType: text.nullish(), toolId: text.nullish() });
export const artifactRead = z.object({ uri: text });

export const turnPointer = z.object({ turnId: text });

export const turnStart = z.object({
  turnId: text,
  prompt: text.describe("Empty for the opening scene."),
  parentTurnId: text.nullish(),
  number: count.nullish(),
  seed: z.number().nullish(),
  takes: z.array(text).nullish(),
  choiceId: text.nullish().describe("The choice that was taken, where one was; the prompt is its label."),
  key: text.nullish().describe("What its sender calls the prompt: sent again with the same key it is the same turn."),
});

export const turnTell = z.object({ turnId: text, text: text });

export const turnEnd = z.object({
  turnId: text,
  narrative: text.nullish(),
  choices: z.array(choiceSchema).nullish(),
  health: healthRecordSchema.nullish(),
  ending: text.nullish(),
  notice: text.nullish(),
  fallback: z.boolean().nullish(),
});

export const acceptedPlan = z.object({ plan: planSchema, skills: z.record(text, text).nullish() });

const problemSchema = z.object({ pointer: text, code: z.enum(PLAN_PROBLEM_CODES), message: text });

/** Of a plan that is none only what the runtime has set can be relied on. */
export const rejectedPlan = z.object({
  plan: z.looseObject({
    requestId: id.nullish(),
    disabledSkills: z.array(text).nullish(),
    metadata: z.object({ generationAttempt: count, parentPlanId: orNull }).nullish(),
  }),
  problems: z.array(problemSchema).nullish(),
});

export const planEnd = z.object({
  success: z.boolean(),
  failedTools: z.array(text).nullish(),
  disabledSkills: z.array(text).nullish(),
  cancelled: z.boolean().nullish().describe("Somebody stopped it, so nothing is planned in its place."),
});

export const toolWait = z.object({ toolId: text, skill: text.nullish() });

export const toolStart = z.object({
  toolId: text,
  attempt: count,
  skill: text.nullish(),
  maxAttempts: count.nullish(),
});

export const lineEnvelope = z.object({ toolId: text });

export const toolEvent = lineEnvelope.extend({
  event: toolEventSchema.describe("As the tool printed it."),
  asset: assetSchema.nullish(),
  lines: z
    .object({ count: count, progress: z.number().nullable() })
    .nullish()
    .describe("Where a run of log lines was asked for as one event: how many, and the last progress they told."),
});

export const toolEnd = z.object({
  toolId: text,
  attempt: count.describe("0: it was never started, and `reason` says why."),
  skill: text.nullish(),
  willRetry: z.boolean().nullish(),
  reason: text.nullish(),
  elapsed_ms: count.nullish().describe("Since the tool's first attempt began, waits between attempts included."),
  exitCode: z.int().nullish(),
  signal: text.nullish(),
  stderrTail: text.nullish(),
  warnings: z.array(text).nullish(),
  eventsAfterDone: count.nullish(),
  sandbox: z.enum(SANDBOX_LEVELS).nullish(),
  trace: jsonObjectSchema.nullish(),
  output: jsonSchema.optional(),
});

export const askOpen = z.object({
  askId: id,
  turnId: orNull,
  toolId: orNull,
  question: text.describe("What is asked, in words."),
  reason: orNull.describe("Why, in words; null when there is nothing more to say."),
  answers: z.array(z.object({ value: text, label: text })),
});

export const askAnswer = z.object({ askId: id, value: text.nullish().describe("Null: nobody answered.") });
