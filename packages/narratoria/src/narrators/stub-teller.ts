/**
 * Tells from fixed plans, for tool authors and tests: a JSON file (`plans.json`) says which prompt gets which plan.
 *
 *     [{ "match": "light the torch", "plan": {...}, "narrative": "It burns.", "choices": ["Open the door"] },
 *      { "pattern": "/^dig/i", "plans": [{...}, {...}] },
 *      { "opening": true, "narrative": "A cellar." }]
 *
 * 1. `pattern` is tried before `match`, each in the order of the file; `match` forgives as choices do.
 * 2. `plans` are for replans: the n-th question looks from the n-th plan on for the first without a disabled skill.
 * 3. A plan that succeeded, or no plan left, ends the turn: with `narrative` and `choices`, or in words that quote the prompt.
 * 4. What matches nothing gets those words too, with the known prompts as choices.
 */
import { readJson, type JsonObject } from "@narratoria/tool/json";
import { z } from "zod";
import { fallbackNarration } from "../runtime/turns/fallback-narration.ts";
import type { StoryProblem } from "../runtime/mounts/story-problem.ts";
import { jsonProblem } from "../runtime/mounts/read-story-file.ts";
import { MOST_BYTES, readStoryText } from "../runtime/mounts/story-text.ts";
import type { NarratorAnswer } from "../runtime/seams/narrator.ts";
import { formatPointer } from "../story/json-pointer.ts";
import { jsonObjectSchema } from "../story/json-value-schema.ts";
import { parsePlan } from "../story/plan.ts";
import { skillNameOf } from "../story/skill-name.ts";
import { matchPrompt } from "./understanding/match.ts";
import type { Preparation, Teller, TellerQuestion, TellerStory } from "./teller.ts";
import { makeLexicon } from "./understanding/lexicon.ts";

const entrySchema = z.object({
  match: z.string().min(1).optional(),
  pattern: z.string().min(1).optional(),
  opening: z.boolean().optional(),
  plan: jsonObjectSchema.optional(),
  plans: z.array(jsonObjectSchema).optional(),
  narrative: z.string().optional(),
  choices: z.array(z.string().min(1)).optional(),
});
type Entry = z.output<typeof entrySchema>;
const entriesSchema = z.array(entrySchema);

export const stubTeller: Teller = { prepare: checkPlans, open: openPlans };

function checkPlans(story: TellerStory): Preparation {
  const file = story.narratorFile;
  const text = readStoryText(story.dir, file, MOST_BYTES.plans);
  if (text.kind !== "text") {
    const message = `${file} ${text.kind === "missing" ? "does not exist" : text.why}`;
    return { kind: "invalid", problems: [{ file, message }] };
  }
  const reading = readJson(text.text);
  if (reading.kind !== "value") return { kind: "invalid", problems: [jsonProblem(file, reading)] };
  const parsed = entriesSchema.safeParse(reading.value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => ({ file, pointer: formatPointer(path), message }));
    return { kind: "invalid", problems };
  }
  const problems = parsed.data.flatMap((entry, index) => findProblems(entry, index, file));
  return problems.length > 0 ? { kind: "invalid", problems } : { kind: "book", book: text.text };
}

function openPlans(book: string, story: TellerStory): (question: TellerQuestion) => NarratorAnswer {
  const entries = entriesSchema.parse(JSON.parse(book));
  const lexicon = makeLexicon(story.synonyms, story.language);
  const byWords = entries.flatMap((entry) =>
    entry.match === undefined ? [] : [{ entry, label: entry.match, aliases: [] }],
  );
  const known = byWords.map(({ label }) => ({ label }));
  const mountNames = new Set(story.mounts);
  const patterns = entries.map(({ pattern }) => (pattern === undefined ? null : readPattern(pattern)));

  function findEntry(prompt: string | null): Entry | undefined {
    if (prompt === null) return entries.find(({ opening }) => opening === true);
    const byPattern = entries.find((_, index) => patterns[index]?.test(prompt));
    if (byPattern !== undefined) return byPattern;
    const match = matchPrompt(prompt, byWords, lexicon);
    return match.kind === "match" ? byWords[match.index]?.entry : undefined;
  }

  function answer({ prompt, plans, disabledSkills, seed, memory }: TellerQuestion): NarratorAnswer {
    const entry = findEntry(prompt);
    const latest = plans.at(-1);
    const isDone = latest?.kind === "executed" && latest.success;
    const next = isDone
      ? undefined
      : plansOf(entry)
          .slice(plans.length)
          .find((plan) => !uses(plan, disabledSkills));
    if (next !== undefined) return { kind: "plan", plan: { ...next, requestId: `stub-${plans.length + 1}` } };
    const failed = latest !== undefined && !isDone;
    const opening = prompt === null ? (story.description ?? story.title) : undefined;
    const fallback = fallbackNarration(prompt, known, seed);
    const own = failed ? undefined : (entry?.narrative ?? opening ?? (isDone || entry !== undefined ? "" : undefined));
    const choices = entry?.choices?.map((label) => ({ label })) ?? fallback.choices;
    return { kind: "end", narrative: own ?? fallback.narrative, choices, memory };
  }

  function uses(plan: JsonObject, disabled: readonly string[]): boolean {
    const reading = parsePlan({ requestId: "stub", ...plan });
    const tools = reading.kind === "plan" ? reading.plan.tools : [];
    return tools.some(({ toolPath }) => disabled.includes(skillNameOf(toolPath, mountNames)));
  }

  return answer;
}

function plansOf(entry: Entry | undefined): readonly JsonObject[] {
  return [...(entry?.plan === undefined ? [] : [entry.plan]), ...(entry?.plans ?? [])];
}

function findProblems(entry: Entry, index: number, file: string): StoryProblem[] {
  const problems: StoryProblem[] = [];
  const add = (path: readonly PropertyKey[], message: string): void => {
    problems.push({ file, pointer: formatPointer([index, ...path]), message });
  };
  if (entry.match === undefined && entry.pattern === undefined && entry.opening !== true) {
    add([], "an entry needs match, pattern, or opening: true");
  }
  if (entry.pattern !== undefined && readPattern(entry.pattern) === null) {
    add(["pattern"], "this is no regular expression such as /^dig/i");
  }
  const plans = plansOf(entry);
  plans.forEach((plan, number) => {
    const reading = parsePlan({ requestId: "stub", ...plan });
    const path =
      entry.plan !== undefined && number === 0 ? ["plan"] : ["plans", number - (entry.plan === undefined ? 0 : 1)];
    if (reading.kind === "plan") return;
    for (const { pointer, message } of reading.problems) {
      problems.push({ file, pointer: formatPointer([index, ...path]) + pointer, message });
    }
  });
  return problems;
}

function readPattern(text: string): RegExp | null {
  const [, body, flags] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? [];
  try {
    // Never "g" or "y": they would remember where the last test stopped.
    return body === undefined ? new RegExp(text, "iu") : new RegExp(body, (flags ?? "").replace(/[gy]/g, ""));
  } catch {
    return null;
  }
}
