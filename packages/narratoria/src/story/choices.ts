/** What a player may choose: read from a tool's `narrative_choice`, and gathered over a turn. */
import { isJsonObject, type Json } from "@narratoria/tool/json";
import type { Choice, UiEvent } from "@narratoria/tool/protocol";

/** Of a label, an id, a hint: more than anybody reads or types. */
export const MOST_CHOICE_CHARACTERS = 1_000;

/** Null when the event offers no choices, or its payload is not what the protocol says. */
export function choicesIn({ event, payload }: UiEvent): Choice[] | null {
  const given = event === "narrative_choice" ? payload?.["choices"] : null;
  if (!Array.isArray(given)) return null;
  const choices = given.map(readChoice);
  return choices.every((choice) => choice !== null) ? choices : null;
}

/** Tools may give half of it, the narrator the rest; only a file that somebody made up has more. */
const MOST_CHOICES = 2_000;

/** Several choice events of a turn add up; each costs what it adds to, so there is an end to it. */
export function withChoices(choices: readonly Choice[], more: readonly Choice[]): Choice[] {
  if (more.length === 0 || choices.length >= MOST_CHOICES) return [...choices];
  const labels = new Set(choices.map(({ label }) => label));
  return [...choices, ...more.filter(({ label }) => !labels.has(label))].slice(0, MOST_CHOICES);
}

function readChoice(given: Json): Choice | null {
  if (typeof given === "string") return given.trim() === "" || isTooLong(given) ? null : { label: given };
  if (!isJsonObject(given)) return null;
  const { id, label, hint, difficulty } = given;
  if (typeof label !== "string" || label.trim() === "") return null;
  const tooLong = [label, id, hint, difficulty].some((text) => typeof text === "string" && isTooLong(text));
  if (tooLong) return null;
  return {
    label,
    ...(typeof id === "string" && { id }),
    ...(typeof hint === "string" && { hint }),
    ...((typeof difficulty === "string" || typeof difficulty === "number") && { difficulty }),
  };
}

function isTooLong(text: string): boolean {
  return text.length > MOST_CHOICE_CHARACTERS;
}
