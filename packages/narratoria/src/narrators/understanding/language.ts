/** What can be known of a language: data only, a file for each in `languages/`. `words.ts` reads sentences with it, `voice.ts` speaks. */
export interface Language {
  /** Letters that are written in two ways: `["ä", "ae"]`. */
  folds: readonly (readonly [string, string])[];
  /** Short forms in full: `["what's", "what is"]`. */
  contractions: readonly (readonly [string, string])[];
  /** Words that carry no meaning: articles, politeness, first persons, and verbs that only help others. */
  small: string;
  /** Of these: what may be left out of a command's words. */
  fillers: string;
  /** What a player says besides: a wish of these alone is none. */
  smallTalk: readonly string[];
  /** Endings of words that say only how something is done. */
  adverbEndings: readonly string[];
  /** Small between two words; at the end of a wish ("go in") they mean something. */
  prepositions: string;
  /** Of these: what follows says with what or where, not what is meant. */
  sidePrepositions: string;
  /** They mean something wherever they stand: "up", "under", "back". */
  particles: readonly string[];
  negations: string;
  /** A sentence with one of these asks about something. */
  questionWords: string;
  /** What begins with one of these is no wish of its own, but belongs to the words before it. */
  subordinators: string;
  /** Small words that tell or ask how things are, or of others: a sentence with one of these is no wish, unless the choice has it too. */
  stating: string;
  /** Small words with which a thing's name alone is no wish either: "I need a torch". */
  wanting: string;
  /** They stand for what was named before. */
  pronouns: string;
  /** How a wish may begin without being another: "how do I", "can I". */
  openings: readonly string[];
  /** Between two wishes. */
  connectors: readonly string[];
  /** Verbs that mean the same, a group each; the first one names it. */
  verbs: readonly string[];
  /** Verbs that say too little alone. */
  vague: string;
  /** Verbs, by the names of their groups, that lead somewhere else. */
  ways: string;
  /** Verbs that may stand for another that was meant: enough for a question, never for a deed. */
  soft: string;
  /** Groups of verbs, by name, that are near enough for a question. */
  near: readonly string[];
  /** Other words that mean the same, a group each. */
  nouns: readonly string[];
  /** Forms of a word that no ending gives: `went go`. */
  irregular: readonly string[];
  /** Endings that a word may have or not: `["ies", "y"]`. */
  endings: readonly (readonly [string, string])[];
  /** "running" is of "run". */
  doublesLetters: boolean;
  /** Words that are put before a verb and leave it: "an" of "anzünden". */
  separable: readonly string[];
  /** What can always be typed. `{thing}` stands for words. */
  commands: Readonly<Record<CommandName, readonly string[]>>;
  sentences: Sentences;
}

export const COMMANDS = [
  ...(["look", "inventory", "examine", "wait", "where", "who", "exits", "options", "hint", "help"] as const),
  ...(["undo", "redo", "save", "load", "restart", "quit", "yes", "no"] as const),
] as const;
export type CommandName = (typeof COMMANDS)[number];

/** What is said where a story has no words of its own. `{prompt}` is what was typed, other braces what their name says. */
export interface Sentences {
  unmatched: readonly [string, ...string[]];
  notFollowed: string;
  ambiguous: string;
  didYouMean: string;
  help: string;
  inventory: string;
  inventoryEmpty: string;
  carried: string;
  wait: string;
  who: string;
  exits: string;
  noExits: string;
  options: string;
  hint: string;
  noHint: string;
  noQuestion: string;
  declined: string;
  undo: string;
  redo: string;
  save: string;
  load: string;
  restart: string;
  quit: string;
  stumbled: string;
  over: string;
  /** Between the last two of a list. */
  or: string;
  /** How a text says who the player is: "You are Ida Marsh". */
  youAre: string;
  beginAgain: string;
  lookAround: string;
  undoLast: string;
}
