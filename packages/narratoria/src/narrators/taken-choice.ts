/** Which choice a turn takes by its identity: a button was pressed, or the number of one was typed. */
import type { Choice } from "@narratoria/tool/protocol";
import type { InkMemory } from "./ink-memory.ts";
import { BEGIN_AGAIN, LOOK_AROUND, offered } from "./offered-choices.ts";
import type { TellerQuestion } from "./teller.ts";
import type { StorySpeaker } from "./voice.ts";

export type TakenChoice =
  /** By its place among all that ink offers. */
  | { kind: "ink"; index: number }
  | { kind: "begin again" }
  | { kind: "look" }
  /** A tool offered it, or a narrator before this one: all there is of it are its words. */
  | { kind: "words"; text: string };

/** Null when words were typed. */
export function takenChoice(
  question: TellerQuestion,
  memory: InkMemory | null,
  voice: StorySpeaker,
): TakenChoice | null {
  const seen = question.choices.length > 0 || memory === null ? question.choices : offered(memory, voice);
  const at = placeOf(question, seen);
  const choice = seen[at];
  if (choice === undefined) return null;
  if (choice.id === BEGIN_AGAIN) return { kind: "begin again" };
  if (choice.id === LOOK_AROUND) return { kind: "look" };
  const index = memory === null ? -1 : inkIndex(choice, seen.slice(0, at), memory);
  return index >= 0 ? { kind: "ink", index } : { kind: "words", text: choice.label };
}

function placeOf({ prompt, choiceId }: TellerQuestion, seen: readonly Choice[]): number {
  if (choiceId !== null) return seen.findIndex(({ id }) => id === choiceId);
  const typed = prompt?.trim() ?? "";
  const number = /^(\d{1,3})[.)]?$/.exec(typed)?.[1];
  if (number !== undefined) return Number(number) - 1;
  return seen.findIndex(({ id, label }) => label === typed && (id === BEGIN_AGAIN || id === LOOK_AROUND));
}

function inkIndex({ id, label }: Choice, before: readonly Choice[], { choices }: InkMemory): number {
  const byId = choices.findIndex((choice) => choice.id !== "" && choice.id === id);
  if (byId >= 0) return byId;
  // Told before choices had ids: of those with the same words, the one in the same place.
  const alike = [...choices.keys()].filter((index) => {
    const choice = choices[index];
    return choice?.id === "" && !choice.hidden && choice.label === label;
  });
  return alike[before.filter((other) => other.label === label).length] ?? -1;
}
