/**
 * What the API answers, as schemas: tied by their types to the views and records the sessions give, and described to
 * other programs by `openapi.ts`. Answers are not checked against them at run time; the tests do that.
 */
import { z } from "zod";
import type {
  Granted,
  LogLine,
  MountSummary,
  Provenance,
  SessionSummary,
  StorySummary,
  TreeNode,
  TurnRecord,
} from "../index.ts";
import {
  type AskView,
  type AssetView,
  ERROR_CATEGORIES,
  eventSchema,
  executionResultSchema,
  jsonObjectSchema,
  jsonSchema,
  MODULE_KINDS,
  type Passage,
  type PlanView,
  type SessionView,
  TOOL_PROTOCOLS,
  type OfferedChoice,
  type ToolView,
  type TurnView,
} from "../story/index.ts";

const text = z.string();
const textOrNull = z.string().nullable();
const numberOrNull = z.number().nullable();
const count = z.int().min(0);

const turnStatus = z.enum(["running", "completed", "cancelled", "failed", "interrupted"]);

const choice: z.ZodType<OfferedChoice> = z
  .object({
    id: text.describe("What `choiceId` of a prompt names; equal labels are different choices."),
    label: text,
    hint: text.exactOptional(),
    difficulty: z.union([z.string(), z.number()]).exactOptional(),
  })
  .meta({ id: "Choice", description: "Choosing one is the next prompt, and its label is what is shown of it." });

const asset: z.ZodType<AssetView> = z
  .object({
    id: textOrNull.describe("Its address under /api/assets/, when stored."),
    toolId: text,
    assetId: text,
    kind: text,
    mediaType: text,
    metadata: jsonObjectSchema.optional(),
    status: z.enum(["stored", "refused"]),
    sha256: text.optional(),
    bytes: count.optional(),
    width: count.optional(),
    height: count.optional(),
    durationMs: count.optional(),
    reason: text.optional(),
  })
  .meta({ id: "AssetView" });

const change = z
  .object({ path: text, before: jsonSchema.exactOptional(), after: jsonSchema.exactOptional() })
  .meta({ id: "Change", description: "Without `before` it is new; without `after` it was removed." });

const passage: z.ZodType<Passage> = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("text"), text }),
    z.object({ kind: z.literal("changes"), toolId: text, eventId: text, changes: z.array(change) }),
    z.object({ kind: z.literal("asset"), asset }),
    z.object({ kind: z.literal("placeholder"), toolId: text, event: text, payload: jsonSchema }),
    z.object({ kind: z.literal("problem"), toolId: text, code: text, message: text }),
  ])
  .meta({ id: "Passage", description: "What the player reads, in order." });

const plan: z.ZodType<PlanView> = z
  .object({
    planId: text,
    narrative: text,
    generationAttempt: count,
    parentPlanId: textOrNull,
    disabledSkills: z.array(text),
    status: z.enum(["rejected", "running", "completed", "failed"]),
    toolIds: z.array(text),
    dependencies: z.record(text, z.array(text)),
    problems: z.array(z.object({ pointer: text, code: text, message: text })),
  })
  .meta({ id: "PlanView" });

const toolError = z.object({
  code: text,
  category: z.enum(ERROR_CATEGORIES),
  message: text,
  details: jsonObjectSchema.optional(),
});

const tool: z.ZodType<ToolView> = z
  .object({
    planId: text,
    toolId: text,
    skill: text,
    status: z.enum(["pending", "waiting", "running", "retrying", "completed", "failed", "skipped", "timeout"]),
    attempt: count,
    maxAttempts: count,
    progress: numberOrNull.describe("0 to 1, when the tool tells."),
    message: textOrNull,
    summary: textOrNull,
    error: toolError.nullable(),
    logCount: count,
    startedAt: numberOrNull,
    durationMs: numberOrNull,
    sandbox: textOrNull,
    attempts: z.array(
      z.object({
        spanId: text,
        status: text,
        startedAt: z.number(),
        durationMs: numberOrNull,
        exitCode: numberOrNull,
        logCount: count,
      }),
    ),
  })
  .meta({ id: "ToolView" });

const turn: z.ZodType<TurnView> = z
  .object({
    turnId: text,
    parentTurnId: textOrNull,
    number: count.describe("0 is the opening scene."),
    prompt: textOrNull,
    status: turnStatus,
    startedAt: z.number(),
    endedAt: numberOrNull,
    passages: z.array(passage),
    plans: z.array(plan),
    tools: z.array(tool),
    choices: z.array(choice),
    ending: textOrNull,
    notice: textOrNull,
    takes: z.array(text).describe("The turns with the same parent, oldest first, this one among them."),
  })
  .meta({ id: "Turn" });

const ask: z.ZodType<AskView> = z
  .object({
    askId: text,
    turnId: textOrNull,
    toolId: textOrNull,
    question: text,
    reason: textOrNull,
    answers: z.array(z.object({ value: text, label: text })),
  })
  .meta({ id: "Ask", description: "A question to the player; no answer means no." });

export const sessionView: z.ZodType<SessionView> = z
  .object({
    sessionId: text,
    title: text,
    story: z.object({ dir: text, title: text, version: textOrNull }),
    headTurnId: textOrNull,
    turns: z.array(turn).describe("The way from the oldest turn that is loaded to the head."),
    turnCount: count,
    state: jsonObjectSchema,
    choices: z.array(choice),
    asks: z.array(ask),
    bookmarks: z.record(text, text),
    ended: z.boolean(),
    seq: count.describe("The last event this snapshot knows of: follow the events after it."),
  })
  .meta({ id: "Session" });

const namedSession = z.object({ sessionId: text, title: text });

export const sessionDeleted = z.intersection(
  sessionView,
  z.object({
    deleted: z.array(text).describe("What is gone: this session."),
    kept: z
      .object({ turns: count, neededBy: z.array(namedSession) })
      .nullable()
      .describe("So many turns stay, hidden, because these sessions begin with them."),
    shortened: z.array(namedSession).describe("With a purge: these go on without the turns they began with."),
  }),
);

export const sessionList: z.ZodType<SessionSummary[]> = z.array(
  z
    .object({
      sessionId: text,
      title: text,
      storyTitle: text,
      storyDir: text,
      turnCount: count,
      createdAt: z.number(),
      updatedAt: z.number(),
      ended: z.boolean(),
      parentSessionId: textOrNull,
      forkTurnId: textOrNull.describe("The turn of the parent it went on from."),
      excerpt: text,
    })
    .meta({ id: "SessionSummary" }),
);

export const storyList: z.ZodType<StorySummary[]> = z.array(
  z.object({ dir: text, title: text, author: textOrNull, description: textOrNull }).meta({ id: "StorySummary" }),
);

export const turnState = z.object({ turnId: text, state: jsonObjectSchema });

export const turnTree: z.ZodType<TreeNode[]> = z.array(
  z
    .object({
      turnId: text,
      parentTurnId: textOrNull,
      number: count,
      prompt: textOrNull,
      status: turnStatus,
      ending: textOrNull,
      bookmark: textOrNull,
      isOnHeadPath: z.boolean(),
      startedAt: z.number(),
    })
    .meta({ id: "TreeNode" }),
);

const event = eventSchema.meta({ ...eventSchema.meta(), id: "Event", description: "One entry of a session's log." });

export const turnRecord = z.object({
  turn,
  plans: z.array(
    z.object({ plan: jsonSchema, problems: jsonSchema.optional(), result: executionResultSchema.nullable() }),
  ),
  trace: z.array(event),
}) satisfies z.ZodType<{ [field in keyof TurnRecord]: unknown }>;

const setting = {
  turnId: textOrNull,
  planId: textOrNull,
  toolId: textOrNull,
  skill: textOrNull,
  attempt: numberOrNull,
  eventId: text,
  prompt: textOrNull,
};

export const provenance: z.ZodType<Provenance> = z
  .object({
    path: text,
    value: jsonSchema,
    setBy: z.object(setting).nullable(),
    before: z.array(z.object({ ...setting, value: jsonSchema })).describe("Earlier settings, newest first."),
  })
  .meta({ id: "Provenance" });

export const logLines: z.ZodType<LogLine[]> = z.array(
  z
    .object({
      seq: count,
      number: count,
      ts: z.number(),
      level: text,
      message: text,
      fields: jsonObjectSchema.nullable(),
      length: count.optional().describe("Of the whole message, when it was cut."),
    })
    .meta({ id: "LogLine" }),
);

export const toolList: z.ZodType<MountSummary[]> = z.array(
  z
    .object({
      name: text,
      story: text.describe("The folder of the story it is mounted in."),
      protocol: z.enum(TOOL_PROTOCOLS),
      kind: z.enum(MODULE_KINDS),
      description: text.nullable(),
      capabilities: z.array(text).describe("What it needs."),
      grants: z.array(text).describe("What it was granted."),
      health: z.object({
        status: z.enum(["unknown", "ok", "failing"]).describe("How its last attempt went; unknown until it was used."),
        message: text.nullable(),
        at: z.number().nullable().describe("When that was, in milliseconds since 1970."),
      }),
    })
    .meta({ id: "MountedTool" }),
);
export const granted: z.ZodType<Granted> = z.object({ granted: z.array(text) });

export const sessionCreated = z.object({ sessionId: text });
export const turnStarted = z.object({ turnId: text });
