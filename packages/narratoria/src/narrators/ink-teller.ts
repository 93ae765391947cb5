/**
 * Tells stories written in ink. Each question plays the whole turn so far in one pass (`ink-play.ts`) with what is known
 * of the tools; tools that have not run become the next plan, and when none are left the pass is what happened. So the
 * player reads only what is true, and the same turn can be told again exactly.
 */
import type { NarratorAnswer } from "../runtime/seams/narrator.ts";
import { compileInk } from "./compile-ink.ts";
import {
  askWhich,
  behind,
  endTurn,
  notUnderstood,
  obey,
  offered,
  paragraphs,
  stayAtEnd,
  stumble,
} from "./ink-answers.ts";
import { readInkFiles } from "./ink-files.ts";
import { readMemory, type InkMemory } from "./ink-memory.ts";
import { createInkPlayer, type InkPass, type InkPassRequest } from "./ink-play.ts";
import { commonTools, knownOutcomes, makePlan } from "./ink-plan.ts";
import { checkInkSources } from "./ink-source-check.ts";
import { matchPrompt } from "./match-prompt.ts";
import { readStandingCommand, type StandingCommand } from "./standing-commands.ts";
import type { Preparation, Teller, TellerQuestion, TellerStory } from "./teller.ts";
import { makeLexicon, type Lexicon } from "./words.ts";

export const inkTeller: Teller = { prepare: compileStory, open: openBook };

function compileStory({ dir, narratorFile, mounts }: TellerStory): Preparation {
  const files = readInkFiles(dir, narratorFile);
  const problems = [...files.problems, ...checkInkSources(files.texts, new Set(mounts))];
  const compilation = compileInk(files);
  if (compilation.kind === "invalid") return { kind: "invalid", problems: [...problems, ...compilation.problems] };
  return problems.length > 0 ? { kind: "invalid", problems } : { kind: "book", book: compilation.json };
}

function openBook(json: string, story: TellerStory): (question: TellerQuestion) => NarratorAnswer {
  const lexicon = makeLexicon(story.synonyms);
  const play = createInkPlayer(json, lexicon);
  return answerQuestion;

  function answerQuestion(question: TellerQuestion): NarratorAnswer {
    const memory = readMemory(question.memory);
    const prompt = meantPrompt(question, memory);
    const command = prompt === null ? null : standingCommand(prompt, memory, lexicon);
    const fromTop = memory === null || ((memory.over || memory.stumbled) && command === "begin again");
    if (!fromTop && command !== null && command !== "begin again") return obey(command, memory, question, story.voice);
    if (!fromTop && memory.over) return stayAtEnd(memory);

    const request: InkPassRequest = {
      ink: fromTop ? null : memory.ink,
      prompt: fromTop ? null : prompt,
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
    if (pass.kind === "failed") return { ...stumble(memory), failure: pass.message };
    if (pass.stuck?.at === 0 && memory !== null) {
      if (pass.stuck.candidates.length > 0) return askWhich(memory, pass.stuck);
      return notUnderstood(memory, question, story.voice);
    }
    return planNext(pass, request, question) ?? endTurn(pass, toldIn(question), fromTop ? null : memory);
  }

  /** A plan of the tools that have not run; null when there are none. */
  function planNext(
    pass: Extract<InkPass, { kind: "played" }>,
    request: InkPassRequest,
    question: TellerQuestion,
  ): NarratorAnswer | null {
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

/** A number means the choice that the player saw there. */
function meantPrompt({ prompt, choices }: TellerQuestion, memory: InkMemory | null): string | null {
  const number = /^\s*(\d{1,3})[.)]?\s*$/.exec(prompt ?? "")?.[1];
  if (number === undefined) return prompt;
  const seen = choices.length > 0 || memory === null ? choices : offered(memory);
  return seen[Number(number) - 1]?.label ?? prompt;
}

/** A choice with the very same words comes before a command. */
function standingCommand(prompt: string, memory: InkMemory | null, lexicon: Lexicon): StandingCommand | null {
  const command = readStandingCommand(prompt);
  if (command === null) return null;
  const match = matchPrompt(prompt, memory?.choices ?? [], lexicon);
  return match.kind === "match" && match.exact ? null : command;
}

/** Ink counts in whole numbers below 2^31. */
function inkSeed(seed: number): number {
  const whole = Number.isInteger(seed) ? seed : Math.floor(seed * 2 ** 31);
  return Number.isFinite(whole) ? Math.abs(whole) % (2 ** 31 - 1) : 0;
}
