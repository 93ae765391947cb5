/**
 * Tells stories written in ink. Each question plays the whole turn so far in one pass (`ink-play.ts`) with what is known
 * of the tools; tools that have not run become the next plan, and when none are left the pass is what happened. So the
 * player reads only what is true, and the same turn can be told again exactly.
 */
import { compileInk } from "./compile-ink.ts";
import { askWhich, behind, endTurn, notUnderstood, sayNotFollowed, stay, stayAtEnd, stumble } from "./ink-answers.ts";
import { readInkFiles } from "./ink-files.ts";
import { readMemory, type InkMemory } from "./ink-memory.ts";
import { createInkPlayer, type InkPass, type InkPassRequest, type Stuck } from "./ink-play.ts";
import { commonTools, knownOutcomes, makePlan } from "./ink-plan.ts";
import { checkInkSources } from "./ink-source-check.ts";
import { inventoryOf } from "./inventory.ts";
import { obey } from "./obey.ts";
import { paragraphs } from "./paragraphs.ts";
import { takenChoice } from "./taken-choice.ts";
import type { Preparation, Teller, TellerAnswer, TellerQuestion, TellerStory } from "./teller.ts";
import { readAbout, readCommand, type StandingCommand } from "./understanding/commands.ts";
import type { CommandName } from "./understanding/language.ts";
import { makeLexicon, type Lexicon } from "./understanding/lexicon.ts";
import { gatherCandidates, hear, matchSaid, usesWordsOf } from "./understanding/match.ts";
import { nearTargets } from "./understanding/nearness.ts";
import { readSight } from "./understanding/sight.ts";
import { splitWishes } from "./understanding/wishes.ts";
import { createSpeaker } from "./voice.ts";

type Played = Extract<InkPass, { kind: "played" }>;

/** Words for ink, or the place of the choice that was taken. */
interface SaidToInk {
  text: string | null;
  taken: number | null;
}

type Said =
  | ({ kind: "ink" } & SaidToInk)
  | { kind: "command"; command: StandingCommand; text: string }
  | { kind: "begin again" };

const NOTHING_SAID: SaidToInk = { text: null, taken: null };
/** These work also where a story listens to whatever is typed. */
const ALWAYS: readonly CommandName[] = ["look", "inventory", "help", "undo", "redo", "save", "load", "restart", "quit"];

export const inkTeller: Teller = { prepare: compileStory, open: openBook };

function compileStory({ dir, narratorFile, mounts }: TellerStory): Preparation {
  const files = readInkFiles(dir, narratorFile);
  const problems = [...files.problems, ...checkInkSources(files.texts, new Set(mounts))];
  const compilation = compileInk(files);
  if (compilation.kind === "invalid") return { kind: "invalid", problems: [...problems, ...compilation.problems] };
  return problems.length > 0 ? { kind: "invalid", problems } : { kind: "book", book: compilation.json };
}

function openBook(json: string, story: TellerStory): (question: TellerQuestion) => TellerAnswer {
  const lexicon = makeLexicon(story.synonyms, story.language);
  const voice = createSpeaker(story.voice, lexicon.language);
  const teller = { story, lexicon, voice };
  const play = createInkPlayer(json, lexicon);
  return answerQuestion;

  function answerQuestion(question: TellerQuestion): TellerAnswer {
    const memory = readMemory(question.memory);
    const said = readPrompt(question, memory);
    if (memory === null || said.kind === "begin again") return playOn(question, null, NOTHING_SAID);
    const answered = said.kind === "command" ? answerCommand(said.command, memory, question) : null;
    if (answered !== null) return answered;
    if (memory.over) return stayAtEnd(memory, voice);
    return playOn(question, memory, said.kind === "command" ? { text: said.text, taken: null } : said);
  }

  /** Plays the turn, from the top without a memory. */
  function playOn(
    question: TellerQuestion,
    memory: InkMemory | null,
    { text: prompt, taken }: SaidToInk,
  ): TellerAnswer {
    const request: InkPassRequest = {
      ink: memory?.ink ?? null,
      prompt,
      taken,
      seen: memory === null ? [] : inSight(memory, question),
      seed: inkSeed(question.seed),
      outcomes: knownOutcomes(question.plans),
      // What stands before a tool's line reads the state of that time: lighting the torch must not make it true there
      // that the torch burns already.
      states: [
        question.stateAtStart,
        ...question.plans.flatMap((plan) => (plan.kind === "executed" ? [plan.state] : [])),
      ],
      disabled: question.disabledSkills,
      unknownState: "as it is",
    };
    const pass = play(request);
    if (pass.kind === "failed") return { ...stumble(readMemory(question.memory), voice), failure: pass.message };
    if (pass.stuck?.at === 0 && memory !== null) {
      const { candidates, near } = pass.stuck;
      if (candidates.length + near.length > 0) return askWhich(memory, pass.stuck, voice);
      const suggested = (question.suggested ?? []).map((id) => memory.choices.findIndex((choice) => choice.id === id));
      const known = suggested.filter((place) => place >= 0);
      if (known.length > 0) return askWhich(memory, { ...pass.stuck, near: known }, voice);
      return { ...puzzled(memory, question, prompt ?? ""), ...wonderAt(pass.stuck, memory) };
    }
    return (
      planNext(pass, request, question) ??
      endTurn(pass, toldIn(question), memory, aboutTheRest(pass, memory, question), voice)
    );
  }

  /** What the words may mean, for somebody who knows meanings; the model that does knows English. */
  function wonderAt({ part, mayMean }: Stuck, memory: InkMemory): Pick<TellerAnswer, "wonder"> {
    if (!mayMean || !/^en\b/i.test(story.language)) return {};
    const open = memory.choices.filter(({ id, isAny, isExact }) => id !== "" && !isAny && !isExact);
    const choices = open
      .toSorted((a, b) => Number(a.hidden) - Number(b.hidden))
      .map(({ id, label }) => ({ id, label }));
    return { wonder: { prompt: part, choices } };
  }

  /** Nothing fits and nothing is near: what it is about may still have been named. */
  function puzzled(memory: InkMemory, question: TellerQuestion, prompt: string): TellerAnswer {
    const asked = readAbout(prompt, lexicon);
    const told = asked === null ? null : obey(asked, memory, question, teller);
    if (told !== null) return stay(memory, told.text, voice);
    return notUnderstood(memory, prompt, question.seed, voice);
  }

  function aboutTheRest(pass: Played, before: InkMemory | null, question: TellerQuestion): string {
    if (pass.stuck === null) return "";
    const command = readCommand(pass.stuck.part, lexicon);
    // Looking is what telling does anyway.
    if (command?.name === "look") return "";
    const told = command === null || before === null ? null : obey(command, before, question, teller);
    return told?.text ?? sayNotFollowed(pass.stuck, voice);
  }

  function answerCommand(command: StandingCommand, memory: InkMemory, question: TellerQuestion): TellerAnswer | null {
    const told = obey(command, memory, question, teller);
    if (told === null) return null;
    const isAnswered = command.name === "yes" || command.name === "no";
    return stay(isAnswered ? { ...memory, asked: [] } : memory, told.text, voice, told.choices);
  }

  /** What was said: a choice by its identity, something that can always be typed, or words for ink. */
  function readPrompt(question: TellerQuestion, memory: InkMemory | null): Said {
    const taken = takenChoice(question, memory, voice);
    if (taken?.kind === "begin again") return taken;
    if (taken?.kind === "look") return { kind: "command", command: { name: "look", thing: null }, text: "" };
    const text = taken?.kind === "words" ? taken.text : question.prompt;
    if (taken?.kind === "ink") return { kind: "ink", text, taken: taken.index };
    if (text === null || memory === null) return { kind: "ink", text, taken: null };
    return readTyped(text, memory, question);
  }

  /** A choice that the words mean comes before a command. */
  function readTyped(text: string, memory: InkMemory, question: TellerQuestion): Said {
    const words: Said = { kind: "ink", text, taken: null };
    const command = readCommand(text, lexicon);
    if (command === null || (command.thing !== null && splitWishes(text, lexicon).length > 1)) return words;
    if (command.name === "restart" && (memory.over || memory.stumbled)) return { kind: "begin again" };
    const targets = memory.over ? [] : memory.choices.filter(({ isAny }) => !isAny);
    const candidates = gatherCandidates(targets, lexicon, readSight(inSight(memory, question), lexicon));
    const heard = hear(text, candidates);
    const match = matchSaid(text, heard, candidates);
    if (match.kind === "match" && (match.exact || command.thing !== null || usesWordsOf(heard, candidates)))
      return words;
    // A choice to look at something is nearer than what was told of it.
    const isNearer = match.kind === "ambiguous" || nearTargets(heard, candidates, "same verb").length > 0;
    if (command.name === "examine" && isNearer) return words;
    const answered = answerTo(command, memory.over ? [] : memory.choices, lexicon);
    if (answered !== null) return { kind: "ink", text, taken: answered };
    const [asked, ...others] = memory.asked;
    if (command.name === "yes" && asked !== undefined && others.length === 0) {
      const index = memory.choices.findIndex(({ id }) => id === asked);
      if (index >= 0) return { kind: "ink", text, taken: index };
    }
    const isFree = memory.choices.some(({ isAny }) => isAny) && !memory.over;
    if (isFree && !ALWAYS.includes(command.name)) return words;
    return { kind: "command", command, text };
  }

  /** A plan of the tools that have not run; null when there are none. */
  function planNext(pass: Played, request: InkPassRequest, question: TellerQuestion): TellerAnswer | null {
    const firstTool = pass.lines.findIndex(({ waiting }) => waiting.length > 0);
    if (firstTool < 0) return null;
    const narrative = behind(toldIn(question), pass.lines.slice(0, firstTool + 1));
    const waiting = pass.lines.flatMap((line) => line.waiting);
    // Behind a tool that has not run, the state is a guess: plan only what two guesses agree on.
    const other = pass.guessedState ? play({ ...request, unknownState: "true" }) : pass;
    const agreed =
      other.kind === "played"
        ? commonTools(
            waiting,
            other.lines.flatMap((line) => line.waiting),
          )
        : [];
    const tools = agreed.length > 0 ? agreed : waiting.slice(0, 1);
    return { kind: "plan", plan: makePlan(tools, narrative, question.plans.length + 1) };
  }
}

/** The paragraphs that the player has read in this turn. A rejected plan never showed its text. */
function toldIn({ plans }: TellerQuestion): string[] {
  return plans.flatMap((planned) => (planned.kind === "executed" ? paragraphs(planned.narrative) : []));
}

/** The story's own yes or no, however it was said: "of course I do". */
function answerTo({ name }: StandingCommand, choices: InkMemory["choices"], lexicon: Lexicon): number | null {
  if (name !== "yes" && name !== "no") return null;
  const ways: readonly string[] = lexicon.language.commands[name];
  const fitting = [...choices.keys()].filter((index) => {
    const { label = "", aliases = [] } = choices[index] ?? {};
    return [label, ...aliases].some((phrase) => ways.includes(lexicon.plain(phrase)));
  });
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

/** What the player has before their eyes. */
function inSight({ scene, seen }: InkMemory, { state }: TellerQuestion): string[] {
  return [scene, seen, ...inventoryOf(state)];
}

/** Ink counts in whole numbers below 2^31. */
function inkSeed(seed: number): number {
  const whole = Number.isInteger(seed) ? seed : Math.floor(seed * 2 ** 31);
  return Number.isFinite(whole) ? Math.abs(whole) % (2 ** 31 - 1) : 0;
}
