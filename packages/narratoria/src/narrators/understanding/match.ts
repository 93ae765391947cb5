/**
 * Finds the choice that typed words mean. A sentence acts only as a choice that covers every word of it that carries
 * meaning: a verb or a noun that is not in the choice, its other words or their synonyms vetoes. `nearness.ts` says what
 * to ask where nothing acts.
 */
import { coverOf, hasPlace, isSaidIn, readHeard, type Heard } from "./cover.ts";
import { VERB, type Lexicon } from "./lexicon.ts";
import { readWords, type Word, type Words } from "./words.ts";

export interface MatchTarget {
  label: string;
  aliases: readonly string[];
  /** Only its very words mean it. */
  isExact?: boolean;
}

export type PromptMatch =
  | { kind: "match"; index: number; exact: boolean }
  /** Several fit equally well. */
  | { kind: "ambiguous"; indexes: number[] }
  | { kind: "none" };

/** What a sentence is compared with: the open choices, and what is in sight besides. */
export interface Candidates {
  targets: readonly MatchTarget[];
  /** For each target what can be said for it. */
  phrases: readonly TargetWords[];
  /** Every word of the targets, by its text. */
  vocabulary(): ReadonlyMap<string, Word>;
  sight: Sight;
  lexicon: Lexicon;
}

/** What the player has read: adjectives stand there before their nouns, and no word of it is a misspelling. */
export interface Sight {
  has(token: string): boolean;
  /** Whether the two stood side by side, as in "iron ladder". */
  hasPair(word: Word, noun: Word): boolean;
}

export const NO_SIGHT: Sight = { has: () => false, hasPair: () => false };

export function matchPrompt(
  typed: string,
  targets: readonly MatchTarget[],
  lexicon: Lexicon,
  sight = NO_SIGHT,
): PromptMatch {
  const candidates = gatherCandidates(targets, lexicon, sight);
  return matchExactly(typed, lexicon.plain(typed), candidates) ?? matchSaid(typed, hear(typed, candidates), candidates);
}

/** What can be said for a choice, read once: the same choices are open again and again. */
export interface TargetWords {
  /** Its label and aliases. */
  ways: readonly Words[];
  words: readonly Word[];
  /** All keys of the ways that say "not", and of those that do not. */
  keys: { negated: ReadonlySet<string>; plain: ReadonlySet<string> };
}

const read = new WeakMap<Lexicon, Map<string, TargetWords>>();
const MOST_READ = 5_000;

function readTarget({ label, aliases }: MatchTarget, lexicon: Lexicon): TargetWords {
  const known = read.get(lexicon) ?? new Map<string, TargetWords>();
  read.set(lexicon, known);
  const name = aliases.length === 0 ? label : `${label}\n${aliases.join("\n")}`;
  const found = known.get(name);
  if (found !== undefined) return found;
  if (known.size >= MOST_READ) known.clear();
  const ways = [label, ...aliases].map((text) => readWords(text, lexicon));
  const keysOf = (isNegated: boolean): Set<string> =>
    new Set(ways.flatMap(({ negated, words }) => (negated === isNegated ? words.flatMap(({ keys }) => keys) : [])));
  const words = [...new Map(ways.flatMap((way) => way.words.map((word) => [word.text, word] as const))).values()];
  const target = { ways, words, keys: { negated: keysOf(true), plain: keysOf(false) } };
  known.set(name, target);
  return target;
}

export function gatherCandidates(targets: readonly MatchTarget[], lexicon: Lexicon, sight: Sight): Candidates {
  const phrases = targets.map((target) => readTarget(target, lexicon));
  let vocabulary: ReadonlyMap<string, Word> | null = null;
  return { targets, phrases, vocabulary: () => (vocabulary ??= gatherWords(phrases)), sight, lexicon };
}

function gatherWords(phrases: readonly TargetWords[]): Map<string, Word> {
  const all = new Map<string, Word>();
  for (const { words } of phrases) for (const word of words) all.set(word.text, word);
  return all;
}

export function hear(typed: string, { vocabulary, sight, lexicon }: Candidates): Heard {
  return readHeard(readWords(typed, lexicon), vocabulary, ({ text, keys }) => {
    if (lexicon.groups.has(text) || keys.some((key) => key.startsWith(VERB) || key.startsWith("="))) return true;
    return vocabulary().has(text) || sight.has(text);
  });
}

export function matchSaid(typed: string, said: Heard, candidates: Candidates): PromptMatch {
  const exact = matchExactly(typed, isReported(typed) ? "" : said.text, candidates);
  if (exact !== null) return exact;
  if (said.words.length === 0 || !said.isWhole || isReported(typed)) return { kind: "none" };
  const fits = candidates.phrases.map((target, index) => {
    if (candidates.targets[index]?.isExact === true || !mayCover(said, target)) return FIT.none;
    return Math.max(...target.ways.map((way) => fitOf(said, way, target.ways, candidates)));
  });
  const best = Math.max(FIT.none, ...fits);
  if (best === FIT.none) return { kind: "none" };
  const indexes = [...fits.keys()].filter((index) => fits[index] === best);
  const [index = 0] = indexes;
  return indexes.length === 1 ? { kind: "match", index, exact: false } : { kind: "ambiguous", indexes };
}

/** Whether a word was said as the choices have it, and not only one that means the same: "exits" is not "leave". */
export function usesWordsOf({ words }: Heard, { vocabulary }: Candidates): boolean {
  return words.some(({ text }) => vocabulary().has(text));
}

/** Labels before aliases, and letter by letter before plain words: two labels may differ in punctuation only. */
function matchExactly(typed: string, wish: string, { targets, phrases }: Candidates): PromptMatch | null {
  const tests: ((index: number) => boolean)[] = [
    (index) => targets[index]?.label.trim() === typed.trim(),
    (index) => wish !== "" && phrases[index]?.ways[0]?.text === wish,
    (index) => wish !== "" && (phrases[index]?.ways ?? []).some(({ text }) => text === wish),
  ];
  for (const isExact of tests) {
    const indexes = [...targets.keys()].filter(isExact);
    const [index] = indexes;
    if (index === undefined) continue;
    return indexes.length === 1 ? { kind: "match", index, exact: true } : { kind: "ambiguous", indexes };
  }
  return null;
}

/** What somebody is quoted with is nobody's wish. */
export function isReported(typed: string): boolean {
  const quoted = typed.match(/["“”„«»]/gu)?.length ?? 0;
  return quoted > 0 && !/^\s*["“„«][^"“”„«»]*["”“»][.!?\s]*$/u.test(typed);
}

/** How well a phrase fits a sentence that it covers; nothing acts below. */
const FIT = {
  none: 0,
  /** A verb alone, or a thing alone. */
  half: 1,
  /** All that was said is in it, and more. */
  part: 2,
  /** The same but for adjectives. */
  most: 3,
  same: 4,
} as const;

function fitOf(said: Heard, phrase: Words, ways: readonly Words[], candidates: Candidates): number {
  if (said.negated !== phrase.negated) return FIT.none;
  const { outside, missing, hasFirst, said: met } = coverOf(said, phrase);
  if (met.length === 0) return FIT.none;
  // A question is only what is said as one: "what can I ask" is not asking what it costs, and "who am I" not "who are you".
  if (said.asks && !(hasFirst && phrase.asks)) return FIT.none;
  if (met.every(({ text }) => candidates.lexicon.questionWords.has(text))) return FIT.none;
  // "The torch is lit", "they lit the torch": nobody wishes that.
  if (!said.asks && said.states.some((word) => !ways.some(({ states }) => states.includes(word)))) return FIT.none;
  const strange = outside.filter((place) => !isKnownModifier(said, place, phrase, candidates.sight));
  const onlyModifiersMissing = missing.every(({ isModifier }) => isModifier);
  if (strange.length > 0) {
    // "Light the torch with the flint", where "strike the flint" is another way to say it.
    const isElsewhere = strange.every((place) => ways.some((way) => isSaidIn(way, place, said)));
    return isElsewhere && hasFirst && onlyModifiersMissing && met.length > 1 ? FIT.part : FIT.none;
  }
  // "Ring it" may be any of "ring one" and "ring two", small as the word "one" is.
  if (missing.length === 0) return saysOnlyVerb(said) && !isOneWord(phrase) ? FIT.half : FIT.same;
  // "Look at the rug" is not "look under the rug".
  if (missing.some(({ kind }) => kind === "particle")) return FIT.none;
  if (candidates.lexicon.language.verbs.length === 0) return met.length * 2 > phrase.words.length ? FIT.part : FIT.none;
  const things = said.words.filter(({ kind }) => kind === "other");
  const verbs = said.words.filter(({ kind }) => kind === "verb");
  if (verbs.length === 0 && said.wants) return FIT.none;
  if (verbs.length === 0 && !hasFirst) return namesItsThing(met) || things.length === 0 ? FIT.half : FIT.none;
  if (!hasFirst) return FIT.none;
  if (things.length === 0) return isVague(said, candidates.lexicon) ? FIT.none : FIT.half;
  if (verbs.length === 0 && !isFirstVerb(phrase)) return namesItsThing(met) ? FIT.half : FIT.none;
  if (!namesItsThing(met)) return FIT.none;
  return onlyModifiersMissing ? FIT.most : FIT.part;
}

/** Quickly: whether every word is in it somewhere, or an adjective that may be known. */
function mayCover(said: Heard, { keys }: TargetWords): boolean {
  const known = said.negated ? keys.negated : keys.plain;
  return said.words.every(
    ({ isModifier }, place) => isModifier || (said.keys[place] ?? []).some((key) => known.has(key)),
  );
}

function saysOnlyVerb({ words }: Words): boolean {
  return words.length === 1 && words[0]?.kind === "verb";
}

function isOneWord({ text, words }: Words): boolean {
  return words.length === 1 && text === words[0]?.text.replaceAll("_", " ");
}

function isFirstVerb({ words }: Words): boolean {
  return words[0]?.kind === "verb";
}

/** "Brass" alone names neither the brass lamp nor the brass key. */
function namesItsThing(met: readonly Word[]): boolean {
  return met.some(({ kind, isModifier }) => kind === "other" && !isModifier);
}

function isVague({ words }: Heard, { vague }: Lexicon): boolean {
  return words.every(({ keys }) => keys.some((key) => vague.has(key.replace(VERB, ""))));
}

/** "The iron ladder", when the player has read of an iron ladder. */
function isKnownModifier(said: Heard, place: number, phrase: Words, sight: Sight): boolean {
  const word = said.words[place];
  const noun = said.words[place + 1];
  if (word === undefined || noun === undefined || !word.isModifier || word.kind === "verb") return false;
  if (!phrase.words.some((each) => hasPlace(each, said.places, place + 1))) return false;
  return sight.hasPair(word, noun);
}
