/** A sentence as words that can be compared: what carries meaning, and what each word is to the others. */
import { VERB, type Lexicon } from "./lexicon.ts";

export interface Word {
  text: string;
  keys: readonly string[];
  kind: "verb" | "particle" | "other";
  /** Stands right before another word that carries meaning: "brass" in "the brass key". */
  isModifier: boolean;
  /** The preposition before it, where there is one. */
  after: string | null;
}

export interface Words {
  /** As typed, in small letters and without punctuation: for exact comparison. */
  text: string;
  /** The words that carry meaning. */
  words: readonly Word[];
  negated: boolean;
  /** The small words in it that tell or ask how things are. */
  states: readonly string[];
  /** Something is wanted, or had, and nothing said that is done. */
  wants: boolean;
  /** Nothing of it was too long to be read. */
  isWhole: boolean;
  /** It asks about something. */
  isQuestion: boolean;
  /** It begins with the question. */
  asks: boolean;
}

/** Nobody means more than this; comparing costs time for every word. */
const MOST_CHARACTERS = 2_000;
const MOST_WORDS = 200;

export function readWords(typed: string, lexicon: Lexicon): Words {
  const text = lexicon.plain(typed.slice(0, MOST_CHARACTERS));
  const all = tokensOf(text, lexicon);
  const tokens = joinSeparated(joinPhrases(all, lexicon), lexicon);
  const isNegation = (token: string): boolean => lexicon.negations.has(token);
  const meaning = tokens.map((token, index) => carriesMeaning(token, index, tokens, lexicon) && !isNegation(token));
  // "Go on in" is all small words but one; a label of small words only must still be comparable.
  const isKept = meaning.includes(true) ? meaning : tokens.map(() => true);
  const first = isKept.indexOf(true);
  const words = tokens.flatMap((token, index): Word[] => {
    if (isKept[index] !== true) return [];
    const before = tokens[index - 1] ?? "";
    // "The sign", "a kick", "the locked desk": behind an article no word is a verb.
    const isNamed = index > first && lexicon.small.has(before);
    return [
      {
        text: token,
        keys: lexicon.keysOf(token),
        kind: isNamed && kindOf(token, lexicon) === "verb" ? "other" : kindOf(token, lexicon),
        isModifier: isKept[index + 1] === true && kindOf(tokens[index + 1] ?? "", lexicon) === "other",
        after: prepositionBefore(tokens, index, lexicon) ?? (lexicon.prepositions.has(before) ? before : null),
      },
    ];
  });
  return {
    text,
    words,
    states: tokens.filter((token) => lexicon.stating.has(token)),
    wants: tokens.some((token) => lexicon.wanting.has(token)),
    isWhole: typed.trim().length <= MOST_CHARACTERS && all.length < MOST_WORDS,
    negated: meaning.includes(true) && tokens.some(isNegation),
    isQuestion: tokens.some((token) => lexicon.questionWords.has(token)),
    asks: lexicon.questionWords.has(words[0]?.text ?? ""),
  };
}

/** "Carefully", "thank you": nothing to do, so nothing that could fail. */
export function isSmallTalk(typed: string, lexicon: Lexicon): boolean {
  const text = lexicon.plain(typed.slice(0, MOST_CHARACTERS));
  return text === "" || lexicon.smallTalk.has(text) || text.split(" ").every((word) => lexicon.small.has(word));
}

const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Words are separated by blanks, or found by the rules of the script. */
export function tokensOf(text: string, { tag }: Pick<Lexicon, "tag">, most = MOST_WORDS): string[] {
  if (!WITHOUT_BLANKS.test(text)) return text.split(" ", most).filter((token) => token !== "");
  const segments = [...new Intl.Segmenter(tag, { granularity: "word" }).segment(text)];
  return segments.flatMap(({ segment, isWordLike }) => (isWordLike === true ? [segment] : [])).slice(0, most);
}

function carriesMeaning(token: string, index: number, tokens: readonly string[], lexicon: Lexicon): boolean {
  if (lexicon.small.has(token)) return false;
  const { adverbEndings } = lexicon.language;
  if (token.length >= 7 && adverbEndings.some((ending) => token.endsWith(ending))) return false;
  if (!lexicon.prepositions.has(token)) return true;
  // "Go in", "lies vor": behind it is nothing that it could belong to.
  return index > 0 && tokens.slice(index + 1).every((next) => lexicon.small.has(next));
}

function kindOf(token: string, lexicon: Lexicon): Word["kind"] {
  if (lexicon.particles.has(token) || lexicon.prepositions.has(token)) return "particle";
  return lexicon.keysOf(token).some((key) => key.startsWith(VERB)) ? "verb" : "other";
}

/** Over articles: in "on the old desk" it is "on" for both. */
function prepositionBefore(tokens: readonly string[], index: number, lexicon: Lexicon): string | null {
  for (let at = index - 1; at >= 0; at--) {
    const token = tokens[at] ?? "";
    if (lexicon.prepositions.has(token) || lexicon.particles.has(token)) return token;
    if (!lexicon.small.has(token) && kindOf(token, lexicon) === "verb") return null;
    if (index - at > 4) return null;
  }
  return null;
}

function joinPhrases(tokens: readonly string[], lexicon: Lexicon): string[] {
  const joined: string[] = [];
  for (let index = 0; index < tokens.length;) {
    const phrase = phraseAt(tokens, index, lexicon);
    joined.push(phrase?.word ?? tokens[index] ?? "");
    index += phrase?.tokens.length ?? 1;
  }
  return joined;
}

function phraseAt(
  tokens: readonly string[],
  index: number,
  lexicon: Lexicon,
): { word: string; tokens: readonly string[] } | null {
  for (const form of lexicon.keysOf(tokens[index] ?? "")) {
    const found = lexicon.phrases
      .get(form)
      ?.find((phrase) => phrase.tokens.every((token, at) => at === 0 || token === tokens[index + at]));
    if (found !== undefined) return found;
  }
  return null;
}

/** "Put the lamp out" is "put out the lamp"; "zünde die Fackel an" is "die Fackel anzünden". */
function joinSeparated(tokens: readonly string[], lexicon: Lexicon): string[] {
  const { separable } = lexicon.language;
  const split = tokens.flatMap((token) => splitVerb(token, lexicon));
  for (const [end, particle] of split.entries()) {
    const isSeparable = separable.includes(particle);
    if (end === 0 || !(isSeparable ? isLast(split, end, lexicon) : isParticle(particle, lexicon))) continue;
    for (let at = 0; at < end; at++) {
      const word = joinedVerb(split[at] ?? "", particle, lexicon);
      if (word !== null) return [...split.slice(0, at), word, ...split.slice(at + 1, end), ...split.slice(end + 1)];
    }
  }
  return split;
}

function isParticle(token: string, { particles, prepositions, phrases }: Lexicon): boolean {
  return phrases.size > 0 && (particles.has(token) || prepositions.has(token));
}

function isLast(tokens: readonly string[], index: number, lexicon: Lexicon): boolean {
  return tokens.slice(index + 1).every((token) => lexicon.small.has(token) || lexicon.negations.has(token));
}

function joinedVerb(verb: string, particle: string, lexicon: Lexicon): string | null {
  for (const form of lexicon.keysOf(verb)) {
    if (form.startsWith(VERB)) continue;
    const phrase = lexicon.phrases
      .get(form)
      ?.find(({ tokens, isVerb }) => isVerb && tokens.length === 2 && tokens[1] === particle);
    if (phrase !== undefined) return phrase.word;
    if (lexicon.language.separable.includes(particle) && isVerbForm(particle + form, lexicon)) return particle + form;
  }
  return null;
}

function isVerbForm(token: string, { keysOf }: Lexicon): boolean {
  return keysOf(token).some((key) => key.startsWith(VERB));
}

/** "hinaufsteigen" and "anzuzünden", where the whole is no verb of its own: the verb, and what was put before it. */
function splitVerb(token: string, lexicon: Lexicon): string[] {
  if (isVerbForm(token, lexicon)) return [token];
  const prefix = lexicon.language.separable.find((each) => token.startsWith(each));
  if (prefix === undefined) return [token];
  const rest = token.slice(prefix.length);
  const verb = rest.startsWith("zu") && rest.length > 5 ? rest.slice(2) : rest;
  if (isVerbForm(prefix + verb, lexicon)) return [prefix + verb];
  return isVerbForm(verb, lexicon) ? [verb, prefix] : [token];
}
