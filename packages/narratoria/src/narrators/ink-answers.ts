/** The ways an ink turn ends. `ink-teller.ts` decides which; `voice.ts` has the words. */
import type { Choice } from "@narratoria/tool/protocol";
import type { NarratorAnswer } from "../runtime/seams/narrator.ts";
import { remembered, sceneAfter, type InkMemory } from "./ink-memory.ts";
import type { InkLine, InkPass, Stuck } from "./ink-play.ts";
import { asText, joinParagraphs, paragraphs } from "./paragraphs.ts";
import { beginAgain, buttonsFor, lookAround, offered } from "./offered-choices.ts";
import type { StorySpeaker } from "./voice.ts";

type Played = Extract<InkPass, { kind: "played" }>;
export type InkEnding = Extract<NarratorAnswer, { kind: "end" }>;

/** Ink moved on. `told` is what the player has read of this turn already, `aside` what is said of words not followed. */
export function endTurn(
  pass: Played,
  told: readonly string[],
  before: InkMemory | null,
  aside: string,
  voice: StorySpeaker,
): InkEnding {
  const memory: InkMemory = {
    ink: pass.ink,
    choices: pass.choices,
    ...sceneAfter(pass.lines, before),
    ...remembered(pass, before),
    over: pass.ending !== null,
    stumbled: false,
  };
  return {
    kind: "end",
    narrative: joinParagraphs([behind(told, pass.lines), aside]),
    choices: offered(memory, voice),
    memory,
    ...(pass.ending === null ? {} : { ending: pass.ending }),
  };
}

/** What the player has not read of these lines; all of them when the telling took another course. */
export function behind(told: readonly string[], lines: readonly InkLine[]): string {
  const all = paragraphs(asText(lines));
  const continues = told.every((text, index) => all[index] === text);
  return joinParagraphs(continues ? all.slice(told.length) : all);
}

/** Said behind what was done, of the rest that was not. */
export function sayNotFollowed({ part, candidates }: Stuck, voice: StorySpeaker): string {
  return voice.say(candidates.length > 0 ? "ambiguous" : "notFollowed", { prompt: part });
}

export function notUnderstood(memory: InkMemory, prompt: string, seed: number, voice: StorySpeaker): InkEnding {
  return stay(memory, joinParagraphs([voice.unmatched(prompt, seed), listOffered(memory, voice)]), voice);
}

/** The story asks, and never guesses. Looking around is a way on from every question. */
export function askWhich(memory: InkMemory, { part, candidates, near }: Stuck, voice: StorySpeaker): InkEnding {
  const choices = (candidates.length > 0 ? candidates : near).flatMap((place) => memory.choices[place] ?? []);
  const asked = choices.map(({ id }) => id);
  return {
    ...stay(
      { ...memory, asked },
      voice.say(candidates.length > 0 ? "ambiguous" : "didYouMean", { prompt: part }),
      voice,
    ),
    choices: candidates.length > 0 ? buttonsFor(choices) : [...buttonsFor(choices), lookAround(voice)],
  };
}

export function stayAtEnd(memory: InkMemory, voice: StorySpeaker): InkEnding {
  return stay(memory, joinParagraphs([voice.say("over"), listOffered(memory, voice)]), voice);
}

/** The story's ink went wrong. Never a dead end and never a trace: what was open a moment ago is open again. */
export function stumble(memory: InkMemory | null, voice: StorySpeaker): InkEnding {
  const narrative = voice.say("stumbled");
  if (memory === null) return { kind: "end", narrative, choices: [beginAgain(voice)], memory: null };
  const stumbled = stay({ ...memory, stumbled: true }, narrative, voice);
  return { ...stumbled, choices: [...offered(memory, voice), beginAgain(voice)] };
}

/** Ink stays where it is; `first` are buttons before the others. */
export function stay(
  memory: InkMemory,
  narrative: string,
  voice: StorySpeaker,
  first: readonly Choice[] = [],
): InkEnding {
  return { kind: "end", narrative, choices: [...first, ...offered(memory, voice)], memory };
}

export function listOffered(memory: InkMemory, voice: StorySpeaker): string {
  return voice.say("options", { choices: voice.list(offered(memory, voice).map(({ label }) => label)) });
}
