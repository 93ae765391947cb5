/** The buttons of an ink story: its own choices, and the few that every story has. */
import type { Choice } from "@narratoria/tool/protocol";
import { UNDO_CHOICE } from "../story/choices.ts";
import type { InkMemory } from "./ink-memory.ts";
import type { StorySpeaker } from "./voice.ts";

export const BEGIN_AGAIN = "narratoria:begin-again";
export const LOOK_AROUND = "narratoria:look-around";

export function beginAgain(voice: StorySpeaker): Choice {
  return { id: BEGIN_AGAIN, label: voice.say("beginAgain") };
}

export function lookAround(voice: StorySpeaker): Choice {
  return { id: LOOK_AROUND, label: voice.say("lookAround") };
}

/** The runtime does it: `play.ts` knows its id. */
export function undoLast(voice: StorySpeaker): Choice {
  return { id: UNDO_CHOICE, label: voice.say("undoLast") };
}

/** There is always one: what can only be typed is found by looking around. */
export function offered(memory: InkMemory, voice: StorySpeaker): Choice[] {
  if (memory.over) return [beginAgain(voice)];
  const visible = buttonsFor(memory.choices.filter(({ hidden }) => !hidden));
  return visible.length > 0 ? visible : [lookAround(voice)];
}

export function buttonsFor(choices: readonly { id: string; label: string }[]): Choice[] {
  return choices.map(({ id, label }) => (id === "" ? { label } : { id, label }));
}
