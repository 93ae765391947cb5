/**
 * The narrator of stories written in ink: no model, no network. Each question plays the whole turn so far in one pass
 * (`ink-play.ts`) with what is known of the tools; tools that have not run become the next plan, and when none are left
 * the pass is what happened. So the player reads only what is true, and the same turn can be told again exactly.
 */
import type { Json, JsonObject } from "@narratoria/tool/json";
import type { Choice } from "@narratoria/tool/protocol";
import type { NarratorKind, Story } from "../runtime/load-story.ts";
import type { Narrator, NarratorAnswer, NarratorQuestion } from "../runtime/narrator.ts";
import { compileInk } from "./compile-ink.ts";
import { readInkFiles } from "./ink-files.ts";
import { asText, readMemory, sceneAfter, writeMemory, type InkMemory } from "./ink-memory.ts";
import type { InkChoice, InkLine, InkPass, InkPassRequest } from "./ink-play.ts";
import { commonTools, knownOutcomes, makePlan } from "./ink-plan.ts";
import { checkInkSources } from "./ink-source-check.ts";
import { createInkThread, type InkThread } from "./ink-thread.ts";
import { matchPrompt } from "./match-prompt.ts";
import { describeInventory, readStandingCommand, type StandingCommand } from "./standing-commands.ts";
import {
  HELP,
  INVENTORY_EMPTY,
  listPossibilities,
  OVER,
  sayAmbiguous,
  sayRestUnmatched,
  sayUnmatched,
  STUMBLED,
} from "./voice.ts";
import { makeLexicon, type Lexicon } from "./words.ts";

type Played = Extract<InkPass, { kind: "played" }>;
type EndAnswer = Extract<NarratorAnswer, { kind: "end" }>;

const BEGIN_AGAIN = "Begin again";
/** One pass takes milliseconds; the first one also starts the thread. */
const TIME_LIMIT_MS = 5_000;

export const inkNarrator: NarratorKind = {
  defaultFile: "story.ink",
  open: (story) => openInkStory(story, TIME_LIMIT_MS),
};

export async function openInkStory(story: Story, timeLimitMs: number): ReturnType<NarratorKind["open"]> {
  const files = readInkFiles(story.dir, story.narratorFile);
  const problems = [...files.problems, ...checkInkSources(files.texts, new Set(story.mounts.keys()))];
  const compilation = await compileInk(files);
  if (compilation.kind === "invalid") return { kind: "invalid", problems: [...problems, ...compilation.problems] };
  if (problems.length > 0) return { kind: "invalid", problems };
  const thread = createInkThread({ json: compilation.json, synonyms: story.synonyms }, timeLimitMs);
  return { kind: "narrator", narrator: createInkNarrator(story, thread) };
}

export function createInkNarrator(story: Pick<Story, "synonyms" | "voice">, thread: InkThread): Narrator {
  const lexicon = makeLexicon(story.synonyms);
  const turnStarts = rememberTurnStarts();

  async function next(question: NarratorQuestion): Promise<NarratorAnswer> {
    const memory = readMemory(question.context.memory);
    const prompt = question.prompt === null ? null : meantLabel(question.prompt, question.context.choices, memory);
    const command = prompt === null ? null : standingCommand(prompt, memory, lexicon);
    const beginsAgain = command === "begin again" && memory?.over === true;
    if (memory !== null && prompt !== null && !beginsAgain) {
      if (command !== null && command !== "begin again") return obey(command, memory, question, story);
      if (memory.over) return stay(memory, `${OVER} ${asTextOf(sayUnmatched(story.voice, prompt, question.context.seed))}`);
    }
    const fromTop = memory === null || beginsAgain;
    const request: InkPassRequest = {
      ink: fromTop ? null : memory.ink,
      prompt: fromTop ? null : prompt,
      seed: asInkSeed(question.context.seed),
      outcomes: knownOutcomes(question.plans),
      states: [turnStarts.stateOf(question), ...statesAfterPlans(question)],
      disabled: question.disabledSkills,
      unknownState: "as it is",
    };
    const pass = await thread.play(request);
    const answer = await answerPass(pass, request, question, memory);
    if (answer.kind === "end") turnStarts.forget(question);
    return answer;
  }

  async function answerPass(
    pass: InkPass,
    request: InkPassRequest,
    question: NarratorQuestion,
    memory: InkMemory | null,
  ): Promise<NarratorAnswer> {
    if (pass.kind === "failed") return stumble(memory);
    const stuck = pass.stuck;
    if (stuck !== null && stuck.at === 0 && memory !== null) {
      if (stuck.candidates.length === 0) return notUnderstood(memory, question, story);
      const choices = stuck.candidates.map((label) => ({ label }));
      return { ...stay(memory, sayAmbiguous(stuck.part)), choices };
    }
    const told = question.plans.flatMap((planned) => (planned.kind === "executed" ? paragraphs(planned.plan.narrative) : []));
    const waiting = pass.lines.flatMap((line) => line.waiting);
    if (waiting.length === 0) return endTurn(pass, told, fromTopOrNull(request, memory));
    // Behind a tool that has not run, the state is a guess: plan only what both guesses agree on.
    const other = pass.guessedState ? await thread.play({ ...request, unknownState: "true" }) : pass;
    const agreed = other.kind === "failed" ? [] : other.lines.flatMap((line) => line.waiting);
    const tools = commonTools(waiting, agreed);
    const firstTool = pass.lines.findIndex((line) => line.waiting.length > 0);
    const narrative = behind(told, pass.lines.slice(0, firstTool + 1));
    const planned = tools.length > 0 ? tools : waiting.slice(0, 1);
    return { kind: "plan", plan: makePlan(planned, narrative, question.plans.length + 1) };
  }

  return { next: async (question) => next(question), close: () => thread.close() };
}

/** The end of a turn in which ink moved on. */
function endTurn(pass: Played, told: readonly string[], before: InkMemory | null): EndAnswer {
  const memory: InkMemory = {
    ink: pass.ink,
    choices: pass.choices,
    ...sceneAfter(pass.lines, before),
    over: pass.ending !== null,
  };
  const rest = pass.stuck === null || readStandingCommand(pass.stuck.part) !== null ? [] : [sayRestUnmatched(pass.stuck.part)];
  return {
    kind: "end",
    narrative: [behind(told, pass.lines), ...rest].filter((text) => text !== "").join("\n\n"),
    choices: offered(memory),
    memory: writeMemory(memory),
    ...(pass.ending === null ? {} : { ending: pass.ending }),
  };
}

/** What of these lines the player has not read yet; all of it when the telling took another course. */
function behind(told: readonly string[], lines: readonly InkLine[]): string {
  const all = paragraphs(asText(lines));
  const continues = told.every((text, index) => all[index] === text);
  return (continues ? all.slice(told.length) : all).join("\n\n");
}

function paragraphs(text: string): string[] {
  return text === "" ? [] : text.split("\n\n");
}

/** A turn in which ink stays where it is. */
function stay(memory: InkMemory, narrative: string): EndAnswer {
  return { kind: "end", narrative, choices: offered(memory), memory: writeMemory(memory) };
}

/** An error in the story's ink: never a dead end, and never a trace. */
function stumble(memory: InkMemory | null): EndAnswer {
  if (memory !== null) return stay({ ...memory, over: memory.over || memory.choices.length === 0 }, STUMBLED);
  return { kind: "end", narrative: STUMBLED, choices: [{ label: BEGIN_AGAIN }], memory: null };
}

function obey(
  command: Exclude<StandingCommand, "begin again">,
  memory: InkMemory,
  { context }: NarratorQuestion,
  { voice }: Pick<Story, "voice">,
): EndAnswer {
  switch (command) {
    case "look":
      return stay(memory, memory.scene);
    case "inventory":
      return stay(memory, describeInventory(context.state) ?? voice.inventoryEmpty ?? INVENTORY_EMPTY);
    case "help":
      return stay(memory, [voice.help ?? HELP, listPossibilities(offered(memory).map(({ label }) => label))].join("\n\n"));
  }
}

function notUnderstood(memory: InkMemory, { prompt, context }: NarratorQuestion, { voice }: Pick<Story, "voice">): EndAnswer {
  const possibilities = listPossibilities(offered(memory).map(({ label }) => label));
  return stay(memory, [sayUnmatched(voice, prompt ?? "", context.seed), possibilities].join("\n\n"));
}

/** The buttons. There is always one: what can only be typed is found by looking around. */
function offered(memory: InkMemory): Choice[] {
  if (memory.over) return [{ label: BEGIN_AGAIN }];
  const visible = memory.choices.filter(({ hidden }) => !hidden).map(({ label }) => ({ label }));
  return visible.length > 0 ? visible : [{ label: "Look around" }];
}

/** A number means the choice the player saw there. */
function meantLabel(prompt: string, seen: readonly Choice[], memory: InkMemory | null): string {
  const number = /^\s*(\d{1,3})[.)]?\s*$/.exec(prompt)?.[1];
  const choices = seen.length > 0 || memory === null ? seen : offered(memory);
  return (number === undefined ? undefined : choices[Number(number) - 1]?.label) ?? prompt;
}

/** A choice with the very same words comes before a command. */
function standingCommand(prompt: string, memory: InkMemory | null, lexicon: Lexicon): StandingCommand | null {
  const command = readStandingCommand(prompt);
  if (command === null) return null;
  const choices: InkChoice[] = memory?.over === true ? [] : (memory?.choices ?? []);
  const match = matchPrompt(prompt, choices, lexicon);
  return match.kind === "match" && match.exact ? null : command;
}
