/** The ways an ink turn ends. `ink-teller.ts` decides which; `voice.ts` has the words. */
import type { Choice } from "@narratoria/tool/protocol";
import type { NarratorAnswer } from "../runtime/seams/narrator.ts";
import type { Voice } from "../story/story-file.ts";
import { asText, sceneAfter, type InkMemory } from "./ink-memory.ts";
import type { InkLine, InkPass } from "./ink-play.ts";
import { describeInventory, readStandingCommand, type StandingCommand } from "./standing-commands.ts";
import type { TellerQuestion } from "./teller.ts";
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

type Played = Extract<InkPass, { kind: "played" }>;
type Ending = Extract<NarratorAnswer, { kind: "end" }>;

const BEGIN_AGAIN: Choice = { label: "Begin again" };
const LOOK_AROUND: Choice = { label: "Look around" };

/** Ink moved on. `told` is what the player has read of this turn already. */
export function endTurn(pass: Played, told: readonly string[], before: InkMemory | null): Ending {
  const memory: InkMemory = {
    ink: pass.ink,
    choices: pass.choices,
    ...sceneAfter(pass.lines, before),
    over: pass.ending !== null,
    stumbled: false,
  };
  return {
    kind: "end",
    narrative: joinParagraphs([behind(told, pass.lines), aboutTheRest(pass.stuck)]),
    choices: offered(memory),
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

export function paragraphs(text: string): string[] {
  return text === "" ? [] : text.split("\n\n");
}

/** "Light the torch and look": looking is what telling does anyway. */
function aboutTheRest(stuck: Played["stuck"]): string {
  if (stuck === null || readStandingCommand(stuck.part) !== null) return "";
  return stuck.candidates.length > 0 ? sayAmbiguous(stuck.part) : sayRestUnmatched(stuck.part);
}

export function obey(
  command: Exclude<StandingCommand, "begin again">,
  memory: InkMemory,
  { state }: TellerQuestion,
  voice: Voice,
): Ending {
  switch (command) {
    case "look":
      return stay(memory, memory.scene === "" ? listOffered(memory) : memory.scene);
    case "inventory":
      return stay(memory, describeInventory(state) ?? voice.inventoryEmpty ?? INVENTORY_EMPTY);
    case "help":
      return stay(memory, joinParagraphs([voice.help ?? HELP, listOffered(memory)]));
  }
}

export function notUnderstood(memory: InkMemory, { prompt, seed }: TellerQuestion, voice: Voice): Ending {
  return stay(memory, joinParagraphs([sayUnmatched(voice, prompt ?? "", seed), listOffered(memory)]));
}

export function askWhich(memory: InkMemory, stuck: NonNullable<Played["stuck"]>): Ending {
  return { ...stay(memory, sayAmbiguous(stuck.part)), choices: stuck.candidates.map((label) => ({ label })) };
}

export function stayAtEnd(memory: InkMemory): Ending {
  return stay(memory, joinParagraphs([OVER, listOffered(memory)]));
}

/** The story's ink went wrong. Never a dead end and never a trace: what was open a moment ago is open again. */
export function stumble(memory: InkMemory | null): Ending {
  if (memory === null) return { kind: "end", narrative: STUMBLED, choices: [BEGIN_AGAIN], memory: null };
  return { ...stay({ ...memory, stumbled: true }, STUMBLED), choices: [...offered(memory), BEGIN_AGAIN] };
}

/** Ink stays where it is. */
function stay(memory: InkMemory, narrative: string): Ending {
  return { kind: "end", narrative, choices: offered(memory), memory };
}

/** The buttons. There is always one: what can only be typed is found by looking around. */
export function offered(memory: InkMemory): Choice[] {
  if (memory.over) return [BEGIN_AGAIN];
  const visible = memory.choices.filter(({ hidden }) => !hidden).map(({ label }) => ({ label }));
  return visible.length > 0 ? visible : [LOOK_AROUND];
}

function listOffered(memory: InkMemory): string {
  return listPossibilities(offered(memory).map(({ label }) => label));
}

function joinParagraphs(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}
