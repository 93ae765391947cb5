/**
 * A teller is a narrator without the host: it runs in a story's process, where a story may burn what time and memory it
 * is given. `told-in-a-process.ts` is the narrator that asks it; `teller-jobs.ts` is where its questions arrive.
 */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import type { Choice } from "@narratoria/tool/protocol";
import type { Story } from "../runtime/mounts/load-story.ts";
import type { StoryProblem } from "../runtime/mounts/story-problem.ts";
import type { NarratorAnswer, NarratorQuestion, PlannedSoFar } from "../runtime/seams/narrator.ts";
import type { ToolResult } from "../story/execution-result.ts";

export interface Teller {
  /** Reads what the story is told from, or says everything that is wrong with it. */
  prepare(story: TellerStory): Preparation;
  /** `book` is what `prepare` made. */
  open(book: string, story: TellerStory): (question: TellerQuestion) => TellerAnswer;
}

export type TellerAnswer = NarratorAnswer & {
  /** It did not understand: which of these choices may have been meant? Asked again with `suggested`, it asks the player. */
  wonder?: Wonder;
};

export interface Wonder {
  prompt: string;
  choices: { id: string; label: string }[];
}

export type Preparation = { kind: "book"; book: string } | { kind: "invalid"; problems: StoryProblem[] };

/** What a teller knows of the story, as JSON. */
export interface TellerStory extends Pick<
  Story,
  "dir" | "title" | "description" | "narratorFile" | "synonyms" | "voice" | "language"
> {
  /** By name. */
  mounts: readonly string[];
}

/** What a teller knows of the turn: a question without the events of tools, which may be a great many. */
export interface TellerQuestion {
  prompt: string | null;
  choiceId: string | null;
  /** The ids of choices that come near in meaning; only ever asked about. */
  suggested?: readonly string[];
  memory: Json;
  choices: readonly Choice[];
  seed: number;
  state: JsonObject;
  stateAtStart: JsonObject;
  disabledSkills: readonly string[];
  plans: readonly ToldPlan[];
}

export type ToldPlan =
  | { kind: "executed"; narrative: string; success: boolean; state: JsonObject; tools: ToldTool[] }
  | { kind: "rejected"; toolIds: string[] };

export interface ToldTool extends Pick<ToolResult, "toolId" | "ok" | "state"> {
  /** What it said at its end, or its error. */
  summary: string;
}

export function describeStory({ mounts, ...story }: Story): TellerStory {
  const { dir, title, description, narratorFile, synonyms, voice, language } = story;
  return { dir, title, description, narratorFile, synonyms, voice, language, mounts: [...mounts.keys()] };
}

export function describeQuestion({
  prompt,
  choiceId,
  context,
  disabledSkills,
  plans,
}: NarratorQuestion): TellerQuestion {
  const { memory, choices, seed, state, stateAtStart } = context;
  const told = { memory, choices, seed, state, stateAtStart };
  return { prompt, choiceId, ...told, disabledSkills, plans: plans.map(describePlan) };
}

function describePlan(planned: PlannedSoFar): ToldPlan {
  if (planned.kind === "rejected") return { kind: "rejected", toolIds: toolIdsOf(planned.plan) };
  const { success, aggregatedState, toolResults } = planned.result;
  const tools = toolResults.map((result) => {
    const { toolId, ok, state } = result;
    return { toolId, ok, state, summary: summaryOf(result) };
  });
  return { kind: "executed", narrative: planned.plan.narrative, success, state: aggregatedState, tools };
}

function toolIdsOf(plan: unknown): string[] {
  const tools: Json = isJsonObject(plan) ? (plan["tools"] ?? null) : null;
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool) => (isJsonObject(tool) && typeof tool["toolId"] === "string" ? [tool["toolId"]] : []));
}

function summaryOf({ ok, error, events }: ToolResult): string {
  const done = events.findLast((event) => event.type === "done");
  return (ok ? done?.summary : error) ?? "";
}
