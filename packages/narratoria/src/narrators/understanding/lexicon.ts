/**
 * The words of a language and of a story, ready to be compared: what a word means is a few keys, and two words mean the
 * same when they share one. `words.ts` makes words of sentences with it.
 */
import { languageOf } from "./known-languages.ts";
import type { Language } from "./language.ts";

/** Other words for a word, as `story.json` gives them: `{"torch": ["brand"]}`. */
export type Synonyms = Readonly<Record<string, readonly string[]>>;

export interface Lexicon {
  language: Language;
  /** BCP 47, for the segmenter. */
  tag: string;
  small: ReadonlySet<string>;
  fillers: ReadonlySet<string>;
  prepositions: ReadonlySet<string>;
  sidePrepositions: ReadonlySet<string>;
  particles: ReadonlySet<string>;
  negations: ReadonlySet<string>;
  questionWords: ReadonlySet<string>;
  subordinators: ReadonlySet<string>;
  smallTalk: ReadonlySet<string>;
  stating: ReadonlySet<string>;
  wanting: ReadonlySet<string>;
  vague: ReadonlySet<string>;
  soft: ReadonlySet<string>;
  /** For the name of a verb's group, those that are near to it. */
  near: ReadonlyMap<string, ReadonlySet<string>>;
  /** Phrases of several words that count as one, by their first word's keys; longest first. */
  phrases: ReadonlyMap<string, readonly Phrase[]>;
  /** The groups a word is in, by its own text or a stem of it. */
  groups: ReadonlyMap<string, readonly string[]>;
  keysOf(token: string): readonly string[];
  /** Small letters, one way of writing each, no punctuation, single blanks. */
  plain(text: string): string;
}

export interface Phrase {
  tokens: readonly string[];
  /** The word that stands for it. */
  word: string;
  isVerb: boolean;
}

/** Keys of verbs begin so; those of other groups with "=". */
export const VERB = "!";
const MOST_CACHED = 20_000;

export function makeLexicon(synonyms: Synonyms, tag = "en"): Lexicon {
  const language = languageOf(tag);
  const plain = createPlain(language);
  const set = (words: string): ReadonlySet<string> => new Set(words.split(" ").filter((word) => word !== ""));
  const groups = new Map<string, string[]>();
  const phrases = new Map<string, Phrase[]>();
  const stems = createStems(language);

  function addGroup(members: readonly string[], key: string): void {
    for (const member of members) {
      const text = plain(member);
      const tokens = text.split(" ");
      const word = tokens.join("_");
      if (tokens.length > 1) {
        const [first = ""] = tokens;
        const isVerb = key.startsWith(VERB);
        phrases.set(first, [...(phrases.get(first) ?? []), { tokens, word, isVerb }]);
      }
      for (const form of tokens.length > 1 ? [word] : stems(word)) {
        const known = groups.get(form) ?? [];
        if (!known.includes(key)) groups.set(form, [...known, key]);
      }
    }
  }
  const nameOf = (members: readonly string[]): string => plain(members[0] ?? "").replaceAll(" ", "_");
  for (const line of language.verbs) {
    const members = line.split(", ");
    addGroup(members, VERB + nameOf(members));
  }
  for (const line of language.nouns) {
    const members = line.split(", ");
    addGroup(members, `=${nameOf(members)}`);
  }
  for (const [word, others] of Object.entries(synonyms)) {
    // What the author calls a verb's other words are verbs too.
    const verb = stems(plain(word))
      .flatMap((form) => groups.get(form) ?? [])
      .find((key) => key.startsWith(VERB));
    addGroup([word, ...others], verb ?? `=own ${plain(word)}`);
  }
  for (const list of phrases.values()) list.sort((a, b) => b.tokens.length - a.tokens.length);

  const cached = new Map<string, readonly string[]>();
  function keysOf(token: string): readonly string[] {
    const known = cached.get(token);
    if (known !== undefined) return known;
    const named = token.includes("_") ? (groups.get(token) ?? []) : [];
    // Known together, named alone: "keeper" is the "old keeper"; but "out" is not "put out".
    const isVerb = named.some((key) => key.startsWith(VERB));
    const forms = isVerb ? [] : stems(token.slice(token.lastIndexOf("_") + 1));
    const keys = [...new Set([token, ...named, ...forms, ...forms.flatMap((form) => groups.get(form) ?? [])])];
    if (cached.size >= MOST_CACHED) cached.clear();
    cached.set(token, keys);
    return keys;
  }

  return {
    language,
    tag,
    small: set(language.small),
    fillers: set(language.fillers),
    prepositions: set(language.prepositions),
    sidePrepositions: set(language.sidePrepositions),
    particles: new Set(language.particles),
    negations: set(language.negations),
    questionWords: set(language.questionWords),
    subordinators: set(language.subordinators),
    stating: set(language.stating),
    wanting: set(language.wanting),
    smallTalk: new Set(language.smallTalk),
    vague: set(language.vague),
    soft: set(language.soft),
    near: nearGroups(language),
    phrases,
    groups,
    keysOf,
    plain,
  };
}

function nearGroups(language: Language): Map<string, Set<string>> {
  const near = new Map<string, Set<string>>();
  for (const line of language.near) {
    const names = line.split(" ");
    for (const name of names) near.set(name, new Set([...(near.get(name) ?? []), ...names]));
  }
  return near;
}

function createPlain({ folds, contractions }: Language): (text: string) => string {
  return (text) => {
    let plain = text.toLowerCase().replace(/[’‘`´]/g, "'");
    for (const [short, full] of contractions) if (plain.includes(short)) plain = replaceAtEnd(plain, short, full);
    for (const [from, to] of folds) plain = plain.normalize("NFC").replaceAll(from, to);
    return plain
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .replace(/'s(?![\p{L}\p{N}])/gu, "")
      .replaceAll("'", "")
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  };
}

/** Where a word ends with it: "i'd", but not the beginning of another word. */
function replaceAtEnd(text: string, short: string, full: string): string {
  const isWord = /^[a-z]/.test(short) && short !== "n't";
  return text.split(short).reduce((done, rest) => {
    const endsWord = !/^[\p{L}\p{N}]/u.test(rest);
    const startsWord = !isWord || !/[\p{L}\p{N}']$/u.test(done);
    return done + (endsWord && startsWord ? full : short) + rest;
  });
}

/** The forms a word may be of, itself among them. */
function createStems({ endings, irregular, doublesLetters }: Language): (word: string) => string[] {
  const bases = new Map<string, string[]>();
  for (const line of irregular) {
    const forms = line.split(" ");
    const base = forms.at(-1) ?? "";
    for (const form of forms) bases.set(form, [...(bases.get(form) ?? []), base]);
  }
  const strip = (word: string): string[] => {
    const forms = [word];
    for (const [ending, instead] of endings) {
      if (!word.endsWith(ending)) continue;
      const stem = word.slice(0, -ending.length) + instead;
      if (stem.length < SHORTEST_STEM) continue;
      forms.push(stem);
      if (doublesLetters && instead === "" && ending.length > 1 && stem.at(-1) === stem.at(-2))
        forms.push(stem.slice(0, -1));
    }
    return forms;
  };
  return (word) => {
    const forms = [word, ...(bases.get(word) ?? [])].flatMap(strip);
    return [...new Set([...forms, ...forms.flatMap((form) => bases.get(form) ?? []).flatMap(strip)])];
  };
}

const SHORTEST_STEM = 3;
