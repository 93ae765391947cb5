/** What a player wants, one wish after another: "I light the torch and examine the door" are two. */
import { VERB, type Lexicon } from "./lexicon.ts";
import { readWords } from "./words.ts";

export interface Wish {
  text: string;
  /** All that was typed from here on. */
  rest: string;
  /** Only a sign stands before it, no word such as "and". */
  isBehindSign: boolean;
}

const MOST_WISHES = 8;
const MOST_CHARACTERS = 2_000;

/** The parts of a prompt in order; the prompt itself when it is one. */
export function splitWishes(prompt: string, lexicon: Lexicon): Wish[] {
  const typed = prompt.length > MOST_CHARACTERS ? "" : prompt.replace(/\s+/g, " ").trim();
  const wishes: Wish[] = [];
  let from = 0;
  let isBehindSign = false;
  const add = (to: number): void => {
    const text = typed.slice(from, to).trim();
    if (/[\p{L}\p{N}]/u.test(text)) wishes.push({ text, rest: typed.slice(from).trim(), isBehindSign });
  };
  for (const { at, to, isSign } of separators(typed, lexicon)) {
    if (at < from || belongsToBefore(typed.slice(to), isSign, lexicon)) continue;
    add(at);
    isBehindSign = isSign;
    from = to;
  }
  add(typed.length);
  if (wishes.length > 1) return wishes.slice(0, MOST_WISHES);
  return [{ text: prompt.trim(), rest: prompt.trim(), isBehindSign: false }];
}

interface Separator {
  at: number;
  to: number;
  isSign: boolean;
}

function separators(typed: string, { language }: Lexicon): Separator[] {
  const found = [...typed.matchAll(/[;,.!?。、，！？；]+/gu)].map(({ index, 0: sign }) => ({
    at: index,
    to: index + sign.length,
    isSign: true,
  }));
  const lower = typed.toLowerCase();
  for (const connector of language.connectors) {
    for (let at = lower.indexOf(connector); at >= 0; at = lower.indexOf(connector, at + connector.length)) {
      const to = at + connector.length;
      const isWord = !/[\p{L}\p{N}]/u.test((lower[at - 1] ?? " ") + (lower[to] ?? " "));
      if (isWord) found.push({ at, to, isSign: false });
    }
  }
  return found.toSorted((a, b) => a.at - b.at || b.to - a.to);
}

/** "Ask him whether he is cold": what comes behind a sign may still be of the same wish. */
function belongsToBefore(rest: string, isSign: boolean, lexicon: Lexicon): boolean {
  const [first = ""] = lexicon.plain(rest.slice(0, 60)).split(" ");
  return isSign && lexicon.subordinators.has(first);
}

/** "Take the torch and the rope": the second part borrows the verb of the first. Null when it has one of its own. */
export function withBorrowedVerb(part: string, before: string | undefined, lexicon: Lexicon): string | null {
  if (before === undefined || lexicon.language.verbs.length === 0) return null;
  if (readWords(part, lexicon).words.some(({ kind }) => kind === "verb")) return null;
  const verb = readWords(before, lexicon).words.find(({ keys }) => keys.some((key) => key.startsWith(VERB)));
  return verb === undefined ? null : `${verb.text.replaceAll("_", " ")} ${part}`;
}

/** "Look at the dagger and buy it": the second part with what the first one named. Null without such a word. */
export function withNamedThing(part: string, before: readonly string[], lexicon: Lexicon): string | null {
  const pronouns = new Set(lexicon.language.pronouns.split(" "));
  const words = part.split(" ");
  const at = words.findIndex((word) => pronouns.has(lexicon.plain(word)));
  if (at < 0) return null;
  for (const earlier of before.toReversed()) {
    const things = readWords(earlier, lexicon).words.filter(({ kind }) => kind === "other");
    if (things.length > 0)
      return words.with(at, things.map(({ text }) => text.replaceAll("_", " ")).join(" ")).join(" ");
  }
  return null;
}

/** "No", "not the red one": it says what is not meant, and nothing to do. */
export function takesBack(part: string, lexicon: Lexicon): boolean {
  const tokens = lexicon.plain(part).split(" ");
  return (
    tokens.some((token) => lexicon.negations.has(token)) &&
    !readWords(part, lexicon).words.some(({ kind }) => kind === "verb")
  );
}

/** "Miss Pell, where is the spoon?": somebody is spoken to, which is no wish. */
export function isAddress(part: string, lexicon: Lexicon): boolean {
  const { words, asks } = readWords(part, lexicon);
  return (
    lexicon.language.verbs.length > 0 &&
    !asks &&
    words.length > 0 &&
    words.length < 4 &&
    words.every(({ kind }) => kind === "other")
  );
}
