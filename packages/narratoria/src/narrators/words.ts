/** Typed text as words that can be compared: small words dropped, synonyms known. `match-prompt.ts` compares them. */

/** Other words for a word, as `story.json` gives them: `{"torch": ["brand"]}`. */
export type Synonyms = Readonly<Record<string, readonly string[]>>;

export interface Lexicon {
  /** Phrases of several words that count as one word, longest first. */
  phrases: readonly { text: string; word: string }[];
  /** A word's groups: two words mean the same when they share one. */
  groups: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Verbs that players use for one another. A word may be in several groups. */
const VERBS: readonly (readonly string[])[] = [
  ["examine", "look at", "inspect", "study", "search", "check", "x", "look", "observe", "look closely at", "read"],
  ["take", "get", "grab", "pick up", "pick", "collect", "fetch"],
  ["go", "walk", "enter", "move", "head", "run", "travel", "climb", "step", "go into", "walk into", "go to"],
  ["leave", "exit", "go out", "go away", "depart", "get out", "walk away"],
  ["light", "ignite", "kindle", "burn", "set fire to"],
  ["open", "unlock", "unbar", "push open"],
  ["close", "shut"],
  ["talk", "speak", "say", "ask", "tell", "talk to", "speak to", "speak with", "talk with", "greet", "answer"],
  ["use", "apply", "employ", "try"],
  ["attack", "fight", "hit", "strike", "kill", "stab", "punch", "kick"],
  ["give", "offer", "hand", "hand over"],
  ["drop", "put down", "discard", "throw away"],
  ["put", "place", "set", "lay", "insert"],
  ["push", "press", "shove"],
  ["pull", "drag", "tug"],
  ["wait", "rest", "stay", "sit", "pause"],
  ["listen", "hear", "listen to"],
  ["extinguish", "put out", "blow out", "douse", "snuff", "snuff out"],
  ["eat", "taste", "bite"],
  ["drink", "sip", "swallow"],
  ["roll", "throw", "toss", "cast"],
  ["turn", "twist", "rotate"],
  ["knock", "tap", "rap"],
  ["return", "go back", "back", "turn back"],
];

const SMALL_WORDS: ReadonlySet<string> = new Set(
  (
    "i im ill id we you me my our your a an the this that these those some it its is am are be to at of on into onto " +
    "with for from by please just now then and so very really try want would will can could should like let lets " +
    "carefully quickly slowly again"
  ).split(" "),
);
const NEGATIONS: ReadonlySet<string> = new Set(["not", "dont", "never", "no", "without", "wont", "stop"]);

export function makeLexicon(synonyms: Synonyms): Lexicon {
  const groups = new Map<string, Set<string>>();
  const phrases: { text: string; word: string }[] = [];
  const own = Object.entries(synonyms).map(([word, others]) => [word, ...others]);
  for (const group of [...VERBS, ...own]) {
    const name = group[0] ?? "";
    for (const member of group) {
      const text = plain(member);
      const word = text.replaceAll(" ", "_");
      if (word !== text) phrases.push({ text, word });
      groups.set(word, (groups.get(word) ?? new Set()).add(name));
    }
  }
  return { phrases: phrases.toSorted((a, b) => b.text.length - a.text.length), groups };
}

const VERB_NAMES: ReadonlySet<string> = new Set(VERBS.map((group) => group[0] ?? ""));

/** Whether a word is one of the verbs everybody uses. */
export function isKnownVerb(word: string, lexicon: Lexicon): boolean {
  return [...(lexicon.groups.get(word) ?? [])].some((group) => VERB_NAMES.has(group));
}

export interface Words {
  /** As typed, in small letters and without punctuation: for exact comparison. */
  text: string;
  /** The words that carry meaning. */
  words: readonly string[];
  negated: boolean;
}

/** Nobody means more than this; comparing costs time for every word. */
const MAX_LENGTH = 2_000;

export function readWords(typed: string, lexicon: Lexicon): Words {
  const text = plain(typed.slice(0, MAX_LENGTH));
  let joined = ` ${text} `;
  for (const { text: phrase, word } of lexicon.phrases) joined = joined.replaceAll(` ${phrase} `, ` ${word} `);
  const all = joined.split(" ").filter((word) => word !== "");
  const meaning = all.filter((word) => !SMALL_WORDS.has(word) && !NEGATIONS.has(word));
  // "Go on in" is all small words but one; a label of small words only must still be comparable.
  return { text, words: meaning.length > 0 ? meaning : all, negated: all.some((word) => NEGATIONS.has(word)) };
}

/** "Carefully", "please": nothing to do, so nothing that could fail. */
export function isSmallTalk(typed: string): boolean {
  return plain(typed.slice(0, MAX_LENGTH))
    .split(" ")
    .every((word) => SMALL_WORDS.has(word));
}

/** Small letters, no accents, no punctuation, single blanks. */
function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/['’]/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
