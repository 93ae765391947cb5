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

/** A choice that a player sees: it has an identity, for two may have one label. */
export interface OfferedChoice extends Choice {
  id: string;
}

/** Where choices come from: the number of their turn, and whether the narrator or a tool offers them. */
export interface ChoiceSource {
  number: number;
  by: "tool" | "narrator";
}

/** Ids that begin so are ours. This one takes back the turn before the one that offers it. */
const OWN_IDS = "narratoria:";
export const UNDO_CHOICE = `${OWN_IDS}undo`;

/** Tools may give half of it, the narrator the rest; only a file that somebody made up has more. */
const MOST_CHOICES = 2_000;

/**
 * Several choice events of a turn add up; each costs what it adds to, so there is an end to it. In one of them equal
 * labels are different choices; offered again by another, the same words are the same choice: the narrator's, where it
 * is one of them, for it knows what follows.
 */
export function withChoices(
  choices: readonly OfferedChoice[],
  more: readonly Choice[],
  source: ChoiceSource,
): OfferedChoice[] {
  const all: OfferedChoice[] = [...choices];
  if (more.length === 0 || choices.length >= MOST_CHOICES) return all;
  const ids = new Set(choices.map(({ id }) => id));
  const unpaired = Map.groupBy(choices.keys(), (place) => choices[place]?.label);
  for (const choice of more) {
    const alike = unpaired.get(choice.label) ?? [];
    const at = alike.findIndex((place) => isOfferedAgain(all[place], choice, source));
    const place = at < 0 ? all.length : (alike.splice(at, 1)[0] ?? all.length);
    const id = choice.id !== undefined && !ids.has(choice.id) ? choice.id : null;
    const before = all[place];
    all[place] = { ...before, ...choice, id: id ?? before?.id ?? nameChoice(choice.label, place, source) };
    ids.add(all[place].id);
  }
  return all.slice(0, MOST_CHOICES);
}

function isOfferedAgain(before: OfferedChoice | undefined, { id }: Choice, { by }: ChoiceSource): boolean {
  return by === "narrator" || id === undefined || id === before?.id;
}

/**
 * The identity of a choice that came without one: its turn, its place, and its words in short, so that who chooses from a
 * page of another take never chooses something else.
 */
function nameChoice(label: string, place: number, { number }: ChoiceSource): string {
  let words = 0;
  for (const character of label) words = (Math.imul(words, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return `${number}.${place + 1}.${words.toString(36)}`;
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
    ...(typeof id === "string" && id !== "" && !id.startsWith(OWN_IDS) && { id }),
    ...(typeof hint === "string" && { hint }),
    ...((typeof difficulty === "string" || typeof difficulty === "number") && { difficulty }),
  };
}

function isTooLong(text: string): boolean {
  return text.length > MOST_CHOICE_CHARACTERS;
}
