/** The choices that come near to words which fit none: enough for a question, never for a deed. */
import { coverOf, hasPlace, type Heard } from "./cover.ts";
import { VERB, type Lexicon } from "./lexicon.ts";
import type { Candidates } from "./match.ts";
import type { Word, Words } from "./words.ts";

/** More to choose from is no help. */
const MOST_SUGGESTED = 5;
/** How far behind the nearest one a choice may be and still be meant. */
const MARGIN = 1;

/** By their places among the targets, the nearest first. */
export function nearTargets(
  said: Heard,
  { targets, phrases, lexicon }: Candidates,
  which: "all" | "same verb" = "all",
): number[] {
  if (!said.isWhole) return [];
  const scores = phrases.map((ways, index) => {
    if (targets[index]?.isExact === true || (which === "same verb" && !sharesVerb(said, ways))) return 0;
    return nearness(said, ways, lexicon, which === "all" ? 1 : 0);
  });
  const best = Math.max(0, ...scores);
  if (best === 0) return [];
  const near = [...scores.keys()].filter((index) => (scores[index] ?? 0) > 0 && (scores[index] ?? 0) >= best - MARGIN);
  return near.toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, MOST_SUGGESTED);
}

function sharesVerb(said: Heard, ways: readonly Words[]): boolean {
  return ways.some(({ words }) =>
    words.some(({ keys }) => keys.some((key) => key.startsWith(VERB) && said.places.has(key))),
  );
}

/** `mostOthers`: how many other things may be named beside its verb and one of its own. */
function nearness(said: Heard, ways: readonly Words[], lexicon: Lexicon, mostOthers: number): number {
  const usable = ways.filter(({ negated }) => negated === said.negated);
  if (usable.length === 0 || said.words.length === 0) return 0;
  const isCovered = (place: number): boolean =>
    usable.some(({ words }) => words.some((word) => hasPlace(word, said.guessed, place)));
  const covered = [...said.words.keys()].filter(isCovered);
  const open = said.words.filter((_, place) => !covered.includes(place));
  const met = covered.flatMap((place) => said.words[place] ?? []);
  if (met.every(({ kind }) => kind === "particle")) return 0;
  // Of a language of which nothing is known, half of what was said is near.
  if (lexicon.language.verbs.length === 0) return met.length >= open.length ? met.length - open.length / 4 : 0;
  const verbs = verbsOf(usable);
  if (open.some((word) => isAnotherDeed(word, said, verbs, lexicon))) return 0;
  const things = met.filter(({ kind }) => kind === "other").length;
  const hasVerb = met.some(({ kind }) => kind === "verb");
  const others = open.filter((word) => isAnotherThing(word, lexicon)).length;
  const hasThings = said.words.some(({ kind }) => kind === "other");
  // "Walk back down the steps": a verb and its direction say enough; a verb alone, of another thing, says nothing.
  if (hasThings && things === 0 && !(hasVerb && met.length > 1)) return 0;
  if (!said.isQuestion && others > (hasVerb && things > 0 ? mostOthers : 0)) return 0;
  const fullest = Math.max(...usable.map((way) => coverOf(said, way, said.guessed).said.length));
  return 2 * things + met.filter(({ kind }) => kind === "verb").length * 2 + fullest * 0.5 - open.length * 0.25;
}

/** The groups of the verbs that mean this choice. */
function verbsOf(ways: readonly Words[]): Set<string> {
  return new Set(ways.flatMap(({ words }) => words.flatMap(({ keys }) => keys.filter((key) => key.startsWith(VERB)))));
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
