/** The choices that come near to words which fit none: enough for a question, never for a deed. */
import { coverOf, type Heard } from "./cover.ts";
import { VERB, type Lexicon } from "./lexicon.ts";
import type { Candidates, TargetWords } from "./match.ts";
import type { Word } from "./words.ts";

/** More to choose from is no help. */
const MOST_SUGGESTED = 5;
/** How far behind the nearest one a choice may be and still be meant. */
const MARGIN = 1;

/** By their places among the targets, the nearest first. */
export function nearTargets(said: Heard, candidates: Candidates, which: "all" | "same verb" = "all"): number[] {
  const { targets, phrases } = candidates;
  if (!said.isWhole) return [];
  const scores = phrases.map((target, index) => {
    if (targets[index]?.isExact === true || (which === "same verb" && !sharesVerb(said, target))) return 0;
    return nearness(said, target, candidates, which === "all" ? 1 : 0);
  });
  const best = Math.max(0, ...scores);
  if (best === 0) return [];
  const near = [...scores.keys()].filter((index) => (scores[index] ?? 0) > 0 && (scores[index] ?? 0) >= best - MARGIN);
  return near.toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, MOST_SUGGESTED);
}

/**
 * Whether it makes sense to look for a meaning behind the words: not when they say "don't", and not when they name a
 * deed that is known, for then what they mean is clear, and no choice is that.
 */
export function mayMean(said: Heard, { lexicon }: Candidates): boolean {
  if (said.negated || !said.isWhole || said.words.length === 0) return false;
  return said.words.every(({ kind, keys }) => {
    const names = keys.filter((key) => key.startsWith(VERB)).map((key) => key.slice(VERB.length));
    return kind !== "verb" || names.some((name) => lexicon.soft.has(name));
  });
}

function sharesVerb(said: Heard, { keys }: TargetWords): boolean {
  const verbs = said.words.filter(({ kind }) => kind === "verb").flatMap((verb) => verb.keys);
  return verbs.some((key) => key.startsWith(VERB) && keys.plain.has(key));
}

/** `mostOthers`: how many other things may be named beside its verb and one of its own. */
function nearness(
  said: Heard,
  { ways, keys }: TargetWords,
  { lexicon, sight }: Candidates,
  mostOthers: number,
): number {
  const known = said.negated ? keys.negated : keys.plain;
  const covered = [...said.words.keys()].filter((place) => said.guessedKeys[place]?.some((key) => known.has(key)));
  if (covered.length === 0) return 0;
  const usable = ways.filter(({ negated }) => negated === said.negated);
  const open = said.words.filter((_, place) => !covered.includes(place));
  const met = covered.flatMap((place) => said.words[place] ?? []);
  if (met.every(({ kind }) => kind === "particle")) return 0;
  // Of a language of which nothing is known, half of what was said is near.
  if (lexicon.language.verbs.length === 0) return met.length >= open.length ? met.length - open.length / 4 : 0;
  const verbs = new Set([...known].filter((key) => key.startsWith(VERB)));
  if (open.some((word) => isAnotherDeed(word, said, verbs, lexicon))) return 0;
  const things = met.filter(({ kind }) => kind === "other").length;
  const hasVerb = met.some(({ kind }) => kind === "verb");
  // What a sentence begins with and nobody knows is a verb, most likely.
  const [first] = said.words;
  const isUnknownVerb = (word: Word): boolean => word === first && word.kind === "other" && said.words.length > 1;
  const others = open.filter((word) => isAnotherThing(word, lexicon) && !isUnknownVerb(word)).length;
  const hasThings = said.words.some(({ kind }) => kind === "other");
  // "Walk back down the steps": a verb and its direction say enough; a verb alone, of another thing, says nothing.
  const isUnknownThing = hasVerb && !isVague(met, lexicon) && open.every((word) => isUnknown(word, lexicon, sight));
  if (hasThings && things === 0 && !(hasVerb && met.length > 1) && !isUnknownThing) return 0;
  if (!said.isQuestion && others > (hasVerb && (things > 0 || isUnknownThing) ? mostOthers : 0)) return 0;
  const fullest = Math.max(...usable.map((way) => coverOf(said, way, said.guessed).said.length));
  return 2 * things + met.filter(({ kind }) => kind === "verb").length * 2 + fullest * 0.5 - open.length * 0.25;
}

function isVague(words: readonly Word[], { vague }: Lexicon): boolean {
  const verbs = words.filter(({ kind }) => kind === "verb");
  return verbs.every(({ keys }) => keys.some((key) => vague.has(key.replace(VERB, ""))));
}

/** A word that nothing in sight has may be another name of what the choice is about. */
function isUnknown({ kind, text }: Word, { groups }: Lexicon, sight: Candidates["sight"]): boolean {
  return kind === "other" && !groups.has(text) && !sight.has(text);
}

/** "Close the door" is nothing like opening it; "take the lantern" may be what lighting it needs. */
function isAnotherDeed(word: Word, { isQuestion }: Heard, verbs: ReadonlySet<string>, lexicon: Lexicon): boolean {
  const names = word.keys.filter((key) => key.startsWith(VERB)).map((key) => key.slice(VERB.length));
  // "Give the dog a kick" is kicking it.
  if (isQuestion || names.length === 0 || (word.kind !== "verb" && !isAnotherThing(word, lexicon))) return false;
  if (names.some((name) => lexicon.soft.has(name))) return false;
  return !names.some((name) => [...(lexicon.near.get(name) ?? [])].some((other) => verbs.has(VERB + other)));
}

/** "Light the desk" is not lighting the torch; "read the book on the desk" may be reading the book. */
function isAnotherThing({ kind, isModifier, after }: Word, { sidePrepositions }: Lexicon): boolean {
  return kind === "other" && !isModifier && !(after !== null && sidePrepositions.has(after));
}
