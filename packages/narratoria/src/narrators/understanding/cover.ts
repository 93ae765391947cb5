/**
 * How much of a sentence a phrase covers, and how much of the phrase the sentence says. Coverage alone decides whether a
 * sentence may act (`match.ts`); `nearness.ts` only asks.
 */
import { distance } from "fastest-levenshtein";
import type { Word, Words } from "./words.ts";

/** The words of a sentence, with what they may be misspellings of. */
export interface Heard extends Words {
  /** For a key the places of the words that have it. */
  places: ReadonlyMap<string, readonly number[]>;
  /** The keys of each word, with those of what it is surely a misspelling of; and with all it may be one of. */
  keys: readonly (readonly string[])[];
  guessedKeys: readonly (readonly string[])[];
  /** The same with spellings that are too far off to act upon. */
  guessed: ReadonlyMap<string, readonly number[]>;
}

type Places = ReadonlyMap<string, readonly number[]>;

export interface Cover {
  /** The places of the sentence's words that the phrase does not have. */
  outside: readonly number[];
  /** The phrase's words that were not said. */
  missing: readonly Word[];
  /** Whether its first word was said. */
  hasFirst: boolean;
  /** The phrase's words that were said, in its order. */
  said: readonly Word[];
}

export function coverOf(said: Heard, phrase: Words, places = said.places): Cover {
  const open = new Set(said.words.keys());
  // The same word first: where "light" may be a torch too, "light the torch" is still a verb and its thing.
  const same = phrase.words.map(({ text }) => takePlace(places.get(text), open));
  const found = same.map((place, index) => place ?? takePlaceOf(phrase.words[index], places, open, said.words));
  const met = phrase.words.filter((_, index) => found[index] !== undefined);
  const missing = phrase.words.filter((_, index) => found[index] === undefined);
  const hasFirst = found[0] !== undefined;
  // Heard twice, in one way or another: "the bell on the bell post".
  const outside = open.size === 0 ? [] : [...open].filter((place) => !isSaidIn(phrase, place, said, places));
  return { outside, missing, hasFirst, said: met };
}

function takePlaceOf(
  word: Word | undefined,
  places: Places,
  open: Set<number>,
  said: readonly Word[],
): number | undefined {
  for (const key of word?.keys ?? []) {
    const place = takePlace(
      places.get(key)?.filter((each) => mayMeet(said[each], word)),
      open,
    );
    if (place !== undefined) return place;
  }
  return undefined;
}

/** Whether a phrase has the word that was said at a place. */
export function isSaidIn({ words }: Words, place: number, said: Heard, places = said.places): boolean {
  return words.some((word) => mayMeet(said.words[place], word) && hasPlace(word, places, place));
}

/** "Leave a mark" says nothing of "the mark on the left": a deed is met by a deed. */
function mayMeet(said: Word | undefined, word: Word | undefined): boolean {
  if (said?.kind !== "verb" || said.text === word?.text) return true;
  return word?.kind === "verb" && word.after === null;
}

function takePlace(wanted: readonly number[] | undefined, open: Set<number>): number | undefined {
  const place = wanted?.find((each) => open.has(each));
  if (place !== undefined) open.delete(place);
  return place;
}

export function hasPlace({ keys }: Word, places: Places, place: number): boolean {
  return keys.some((key) => places.get(key)?.includes(place) === true);
}

/** `known`: what means something here is no misspelling of another. `vocabulary`: what could have been meant. */
export function readHeard(
  words: Words,
  vocabulary: () => ReadonlyMap<string, Word>,
  isKnown: (word: Word) => boolean,
): Heard {
  const places = new Map<string, number[]>();
  const guessed = new Map<string, number[]>();
  const add = (map: Map<string, number[]>, key: string, place: number): void => {
    map.set(key, [...(map.get(key) ?? []), place]);
  };
  const keys: string[][] = [];
  const guessedKeys: string[][] = [];
  words.words.forEach((word, place) => {
    const slips = isKnown(word) ? [] : slipsOf(word.text, vocabulary());
    const sure = [...word.keys, ...slips.flatMap(({ meant, isSure }) => (isSure ? meant.keys : []))];
    const all = [...sure, ...slips.flatMap(({ meant }) => meant.keys)];
    keys.push(sure);
    guessedKeys.push(all);
    for (const key of sure) add(places, key, place);
    for (const key of all) add(guessed, key, place);
  });
  return { ...words, places, guessed, keys, guessedKeys };
}

interface Slip {
  meant: Word;
  /** Hardly anything else could have been meant. */
  isSure: boolean;
}

function slipsOf(typed: string, vocabulary: ReadonlyMap<string, Word>): Slip[] {
  const slips: Slip[] = [];
  for (const [text, meant] of vocabulary) {
    if (Math.abs(text.length - typed.length) > 2 || typed.length < SHORTEST || text.length < SHORTEST) continue;
    const how = slip(typed, text);
    if (how !== null) slips.push({ meant, isSure: how === "sure" });
  }
  // Near to several words, it is sure of none.
  const meanings = new Set(slips.filter(({ isSure }) => isSure).map(({ meant }) => meant.text));
  return meanings.size > 1 ? slips.map(({ meant }) => ({ meant, isSure: false })) : slips;
}

const SHORTEST = 4;

/**
 * Letters swapped, one doubled or not, or one wrong among many are slips of the finger. One letter more, less or other in
 * a short word may be another word: a goat is no coat.
 */
function slip(typed: string, meant: string): "sure" | "perhaps" | null {
  const length = Math.min(typed.length, meant.length);
  const errors = distance(typed, meant);
  if (errors > 2) return null;
  if (errors === 2 && isSwap(typed, meant)) return "sure";
  if (errors === 1) return length >= 6 || squeezed(typed) === squeezed(meant) ? "sure" : "perhaps";
  if (length < 8) return null;
  return typed[0] === meant[0] ? "sure" : "perhaps";
}

/** Two letters that stand side by side, each in the other's place. */
function isSwap(typed: string, meant: string): boolean {
  if (typed.length !== meant.length) return false;
  const at = typed.split("").findIndex((letter, index) => letter !== meant[index]);
  return typed[at] === meant[at + 1] && typed[at + 1] === meant[at] && typed.slice(at + 2) === meant.slice(at + 2);
}

function squeezed(word: string): string {
  return word.replace(/(.)\1+/gu, "$1");
}
