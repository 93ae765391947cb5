/** Answers what can always be typed (`understanding/commands.ts`), in the story's voice. Nothing happens in the story. */
import type { Choice } from "@narratoria/tool/protocol";
import type { InkMemory } from "./ink-memory.ts";
import { describeItem, inventoryOf } from "./inventory.ts";
import { beginAgain, offered, undoLast } from "./offered-choices.ts";
import { joinParagraphs } from "./paragraphs.ts";
import type { TellerQuestion, TellerStory } from "./teller.ts";
import type { StandingCommand } from "./understanding/commands.ts";
import { sentencesAbout, sentencesOf, stateAbout } from "./understanding/examine.ts";
import { VERB, type Lexicon } from "./understanding/lexicon.ts";
import { readWords } from "./understanding/words.ts";
import type { StorySpeaker } from "./voice.ts";

export interface Obeyed {
  text: string;
  /** Offered before what is offered anyway. */
  choices: Choice[];
}

export interface Answerer {
  story: TellerStory;
  lexicon: Lexicon;
  voice: StorySpeaker;
}

/** Null when there is nothing to say: a thing that nothing names cannot be examined. */
export function obey(
  { name, thing }: StandingCommand,
  memory: InkMemory,
  question: Pick<TellerQuestion, "state">,
  { story, lexicon, voice }: Answerer,
): Obeyed | null {
  const say = (text: string, ...choices: Choice[]): Obeyed => ({ text, choices });
  const labels = offered(memory, voice).map(({ label }) => label);
  const options = voice.say("options", { choices: voice.list(labels) });
  switch (name) {
    case "look":
    case "where":
      return say(memory.scene === "" ? options : memory.scene);
    case "inventory": {
      const things = inventoryOf(question.state);
      if (things.length === 0) return say(voice.say("inventoryEmpty"));
      return say(voice.say("inventory", { things: things.join(", ") }));
    }
    case "examine": {
      const text = thing === null ? "" : describe(thing, memory, question, { lexicon, voice });
      return text === "" ? null : say(text);
    }
    case "help":
      return say(joinParagraphs([voice.say("help"), options]));
    case "options":
      return say(options);
    case "exits": {
      const ways = labels.filter((label) => isWayOut(label, lexicon));
      return say(ways.length === 0 ? voice.say("noExits") : voice.say("exits", { choices: voice.list(ways) }));
    }
    case "hint":
      return say(giveHint(memory, voice));
    case "who":
      return say(sayWho(memory, story, { lexicon, voice }));
    case "yes":
    case "no":
      return say(voice.say(memory.asked.length === 0 ? "noQuestion" : "declined"));
    case "undo":
      return say(voice.say("undo"), undoLast(voice));
    case "restart":
      return say(voice.say("restart"), beginAgain(voice));
    case "wait":
    case "redo":
    case "save":
    case "load":
    case "quit":
      return say(voice.say(name));
  }
}

/** What the texts say of it, and what the state does. */
function describe(
  thing: string,
  memory: InkMemory,
  { state }: Pick<TellerQuestion, "state">,
  { lexicon, voice }: Pick<Answerer, "lexicon" | "voice">,
): string {
  const sentences = sentencesAbout(thing, [memory.scene, memory.seen], lexicon);
  const held = stateAbout(thing, state, lexicon);
  const items = held === null ? [] : describeItem(held.key, held.value);
  return joinParagraphs([
    sentences.join(" "),
    items.length === 0 ? "" : voice.say("carried", { thing: items.join(", ") }),
  ]);
}

/** Choices that lead somewhere begin with such a verb. */
function isWayOut(label: string, lexicon: Lexicon): boolean {
  const ways = lexicon.language.ways.split(" ");
  const [first] = readWords(label, lexicon).words;
  return first?.keys.some((key) => key.startsWith(VERB) && ways.includes(key.slice(VERB.length))) ?? false;
}

/** The author's, else what was not tried yet. */
function giveHint(memory: InkMemory, voice: StorySpeaker): string {
  if (memory.hint !== null) return memory.hint;
  const untried = memory.choices.filter(({ label, hidden }) => !hidden && !memory.taken.includes(label));
  const [next] = untried;
  return next === undefined ? voice.say("noHint") : voice.say("hint", { choices: voice.list([next.label]) });
}

/** The author's words, else the story's where it says who "you" are, else its description. */
function sayWho(
  memory: InkMemory,
  story: TellerStory,
  { lexicon, voice }: Pick<Answerer, "lexicon" | "voice">,
): string {
  const { youAre } = lexicon.language.sentences;
  if (story.voice.who !== undefined) return voice.say("who");
  const told = [memory.scene, memory.seen].flatMap((text) => sentencesOf(text, lexicon));
  const own = youAre === "" ? undefined : told.find((sentence) => lexicon.plain(sentence).startsWith(`${youAre} `));
  return own ?? story.description ?? voice.say("who");
}
