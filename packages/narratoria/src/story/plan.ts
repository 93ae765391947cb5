/**
 * A plan: the tools a narrator wants run, as it arrives and as the runtime uses it, checked whole before anything runs.
 * `plan-graph.ts` judges the dependencies, `references.ts` the data flow; whether a path may run needs a file system.
 */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import { z } from "zod";
import { jsonObjectSchema } from "./json-value-schema.ts";
import { findGraphProblems, type GraphTool } from "./plan-graph.ts";
import { planProblem, type PlanProblem } from "./plan-problem.ts";
import { findReferenceProblems } from "./references.ts";
import { skillNameOf } from "./skill-name.ts";

export interface Plan {
  requestId: string;
  /** Shown when the plan starts; empty when the narrator said nothing. */
  narrative: string;
  tools: PlanTool[];
  parallel: boolean;
  disabledSkills: string[];
  metadata: { generationAttempt: number; parentPlanId: string | null };
  /** Null: the runtime's own limit, here and in the tools. */
  timeoutMs: number | null;
}

export interface PlanTool {
  toolId: string;
  /** A mount's name, or a path. */
  toolPath: string;
  operation: string;
  input: JsonObject;
  /** Each only once: who counts them down must not wait for one twice. */
  dependencies: string[];
  required: boolean;
  async: boolean;
  retryPolicy: RetryPolicy;
  timeoutMs: number | null;
}

export interface RetryPolicy {
  maxRetries: number;
  backoffMs: number;
}

export type PlanReading = { kind: "plan"; plan: Plan } | { kind: "invalid"; problems: PlanProblem[] };

/** Reads a plan, or lists everything that is wrong with it. Where mounts are known, their names are skill names. */
export function parsePlan(value: unknown, mountNames?: ReadonlySet<string>): PlanReading {
  const reading = planSchema.safeParse(value);
  const problems = (reading.error?.issues ?? []).map(({ path, message }) => planProblem("BAD_VALUE", path, message));
  // The rest looks at the plan as it came, so that one wrong field does not hide a cycle.
  const tools = toolOutlines(value);
  const found = [
    findGraphProblems(tools),
    findDisabledSkills(tools, disabledSkillsOf(value), mountNames),
    tools.flatMap(({ input, dependencies }, index) =>
      findReferenceProblems(input, new Set(dependencies), ["tools", index, "input"]),
    ),
  ].flat();
  if (reading.success && found.length === 0) return { kind: "plan", plan: reading.data };
  return { kind: "invalid", problems: problems.concat(found) };
}

/** A chain of replans holds at most this many plans. */
export const MOST_GENERATIONS = 5;

const MAX_TOOLS = 100_000;
/** A larger delay makes setTimeout fire at once. */
const MAX_MILLISECONDS = 2 ** 31 - 1;

/** An optional field: null means the same as leaving it out. */
function withDefault<Schema extends z.ZodType>(schema: Schema, makeDefault: () => z.output<Schema>) {
  return schema
    .nullish()
    .meta({ default: makeDefault() })
    .transform((value) => value ?? makeDefault());
}

/** An optional field whose default is to have none. */
function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema
    .nullish()
    .meta({ default: null })
    .transform((value) => value ?? null);
}

const timeLimit = orNull(z.int().min(1).max(MAX_MILLISECONDS));

const retryPolicySchema = z.object({
  maxRetries: withDefault(z.int().min(0).max(10), () => 3),
  backoffMs: withDefault(z.int().min(0).max(MAX_MILLISECONDS), () => 100).describe(
    "The wait before the first retry; it doubles with every further one.",
  ),
});

const planToolSchema = z
  .object({
    toolId: z.string().min(1).describe("Unique within the plan."),
    toolPath: z.string().min(1).describe("A mount's name, or the path of an executable in the story's folder."),
    operation: withDefault(z.string().min(1), () => "run"),
    input: withDefault(jsonObjectSchema, () => ({})).describe(
      'What the tool gets. {"$from": toolId, "path": pointer} stands for a part of a dependency\'s output.',
    ),
    dependencies: z
      .array(z.string())
      .nullish()
      .meta({ default: [], description: "The tools that must have ended first, by toolId." })
      .transform((toolIds) => [...new Set(toolIds)]),
    required: withDefault(z.boolean(), () => true).describe("Whether its failure fails the plan and skips dependents."),
    async: withDefault(z.boolean(), () => false).describe("In a parallel plan: whether it may run beside others."),
    retryPolicy: withDefault(retryPolicySchema, () => ({ maxRetries: 3, backoffMs: 100 })),
    timeoutMs: timeLimit.describe("The limit of one attempt."),
  })
  .meta({ id: "PlanTool" });

export const planSchema = z.object({
  requestId: z.string().min(1).describe("Names this plan; a UUID by custom."),
  narrative: withDefault(z.string(), () => "").describe("Shown when the plan starts."),
  tools: z.array(planToolSchema).max(MAX_TOOLS).describe("May be empty: a plan can be all narrative."),
  parallel: withDefault(z.boolean(), () => false),
  disabledSkills: withDefault(z.array(z.string()), () => []).describe("Skills this plan must not use."),
  metadata: withDefault(
    z.object({
      generationAttempt: withDefault(z.int().min(1), () => 1),
      parentPlanId: orNull(z.string()).describe("The plan this one replaces."),
    }),
    () => ({ generationAttempt: 1, parentPlanId: null }),
  ),
  timeoutMs: timeLimit.describe("The limit of the whole plan."),
});

/** What the further checks need of a tool; whatever has the wrong type is left out, as the schema reports it. */
interface ToolOutline extends GraphTool {
  toolPath: string | null;
  input: JsonObject;
}

function toolOutlines(plan: unknown): ToolOutline[] {
  return listIn(plan, "tools").map((value) => {
    const tool = isJsonObject(value) ? value : {};
    return {
      toolId: stringOrNull(tool["toolId"]),
      toolPath: stringOrNull(tool["toolPath"]),
      dependencies: listIn(tool, "dependencies").map(stringOrNull),
      input: isJsonObject(tool["input"]) ? tool["input"] : {},
    };
  });
}

function disabledSkillsOf(plan: unknown): ReadonlySet<string | null> {
  return new Set(listIn(plan, "disabledSkills").map(stringOrNull));
}

function findDisabledSkills(
  tools: readonly ToolOutline[],
  disabled: ReadonlySet<string | null>,
  mountNames: ReadonlySet<string> | undefined,
): PlanProblem[] {
  return tools.flatMap(({ toolPath }, index) => {
    if (toolPath === null) return [];
    const skill = skillNameOf(toolPath, mountNames);
    if (!disabled.has(skill)) return [];
    return [planProblem("DISABLED_SKILL", ["tools", index, "toolPath"], `the skill "${skill}" is disabled`)];
  });
}

function listIn(value: unknown, key: string): Json[] {
  const list = isJsonObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list : [];
}

function stringOrNull(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}
