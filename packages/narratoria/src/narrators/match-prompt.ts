/**
 * Finds the choice that typed words mean. Exact words always win; else words are compared one by one, forgiving
 * synonyms, word order and small typing errors. `words.ts` makes the words; `ink-play.ts` and `stub-teller.ts` ask.
 */
import { distance } from "fastest-levenshtein";
import { isKnownVerb, readWords, type Lexicon, type Words } from "./words.ts";

export interface MatchTarget {
  label: string;
  aliases: readonly string[];
}

export type PromptMatch =
  | { kind: "match"; index: number; exact: boolean }
  /** Several fit equally well. */
  | { kind: "ambiguous"; indexes: number[] }
  | { kind: "none" };

export function matchPrompt(typed: string, targets: readonly MatchTarget[], lexicon: Lexicon): PromptMatch {
  const prompt = readWords(typed, lexicon);
  const phrases = targets.map(({ label, aliases }) => [label, ...aliases].map((text) => readWords(text, lexicon)));
  const exact = findExact(typed, prompt, targets, phrases);
  if (exact !== null) return { kind: "match", index: exact, exact: true };

  const known = new Set(phrases.flat().flatMap(({ words }) => words));
  const scores = phrases.map((ways) => Math.max(...ways.map((phrase) => score(prompt, phrase, known, lexicon))));
  const best = Math.max(0, ...scores);
  if (best < ENOUGH) return { kind: "none" };
  const indexes = [...scores.keys()].filter((index) => (scores[index] ?? 0) > best - TOO_CLOSE);
  const [index = 0] = indexes;
  return indexes.length === 1 ? { kind: "match", index, exact: false } : { kind: "ambiguous", indexes };
}

const ENOUGH = 0.6;
const TOO_CLOSE = 0.04;

/** Labels before aliases, and letter by letter before plain words: two labels may differ in punctuation only. */
function findExact(
  typed: string,
  prompt: Words,
  targets: readonly MatchTarget[],
  phrases: readonly (readonly Words[])[],
): number | null {
  const tests: ((index: number) => boolean)[] = [
    (index) => targets[index]?.label.trim() === typed.trim(),
    (index) => prompt.text !== "" && phrases[index]?.[0]?.text === prompt.text,
    (index) => prompt.text !== "" && (phrases[index] ?? []).some(({ text }) => text === prompt.text),
    (index) => prompt.words.length > 0 && (phrases[index] ?? []).some((phrase) => isSame(phrase, prompt)),
  ];
  for (const isExact of tests) {
    const index = [...targets.keys()].find(isExact);
    if (index !== undefined) return index;
  }
  return null;
}

/** The same words that carry meaning: "I unlock the door" is "unlock the door" and not "open the door". */
function isSame(a: Words, b: Words): boolean {
  return a.negated === b.negated && a.words.join(" ") === b.words.join(" ");
}

/** How well the words fit, 0 to 1: the balance of how much of the phrase was typed and how much of the typed is in it. */
function score(prompt: Words, phrase: Words, known: ReadonlySet<string>, lexicon: Lexicon): number {
  if (prompt.words.length === 0 || phrase.words.length === 0 || prompt.negated !== phrase.negated) return 0;
  if (verbsDiffer(prompt, phrase, lexicon)) return 0;
  const open = [...phrase.words];
  let shared = 0;
  for (const word of prompt.words) {
    const alike = open.map((other) => likeness(word, other, known, lexicon));
    const best = Math.max(0, ...alike);
    if (best === 0) continue;
    shared += best;
    open.splice(alike.indexOf(best), 1);
  }
  const typedInPhrase = shared / prompt.words.length;
  const phraseInTyped = shared / phrase.words.length;
  if (shared === 0) return 0;
  const balance = (2 * typedInPhrase * phraseInTyped) / (typedInPhrase + phraseInTyped);
  // All of a phrase of several words was typed, among others: "I light the old torch with my last match".
  const isWholePhrase = open.length === 0 && phrase.words.length > 1 && typedInPhrase >= 0.3;
  return isWholePhrase ? Math.max(balance, ENOUGH) : balance;
}

/** "Kick the iron gate" is not "open the iron gate", however many words they share. */
function verbsDiffer(prompt: Words, phrase: Words, lexicon: Lexicon): boolean {
  const [typed = ""] = prompt.words;
  const [meant = ""] = phrase.words;
  if (!isKnownVerb(typed, lexicon) || !isKnownVerb(meant, lexicon)) return false;
  return typed !== meant && !shareGroup(typed, meant, lexicon);
}

function likeness(typed: string, meant: string, known: ReadonlySet<string>, lexicon: Lexicon): number {
  if (typed === meant) return 1;
  if (shareGroup(typed, meant, lexicon)) return 0.9;
  // Known together, named alone: "keeper" for the "old keeper".
  if (lastPart(typed, lexicon) === lastPart(meant, lexicon)) return 0.9;
  // A word that means something here is no misspelling of another.
  const isSlip = !known.has(typed) && !lexicon.groups.has(typed) && isTypingError(typed, meant);
  return isSlip ? 0.85 : 0;
}

function lastPart(word: string, lexicon: Lexicon): string {
  return isKnownVerb(word, lexicon) ? word : word.slice(word.lastIndexOf("_") + 1);
}

function shareGroup(a: string, b: string, lexicon: Lexicon): boolean {
  const groups = lexicon.groups.get(a);
  return groups !== undefined && [...(lexicon.groups.get(b) ?? [])].some((group) => groups.has(group));
}

/** One letter in words of four to seven, two in longer ones; two letters swapped count as one. */
function isTypingError(typed: string, meant: string): boolean {
  const length = Math.min(typed.length, meant.length);
  if (length < 4) return false;
  const errors = distance(typed, meant);
  if (errors <= (length < 8 ? 1 : 2)) return true;
  return errors === 2 && typed.length === meant.length && sorted(typed) === sorted(meant);
}

function sorted(word: string): string {
  return word.split("").toSorted().join("");
}
