/** What a player wants, one wish after another: "I light the torch and examine the door" are two. */
import { isKnownVerb, readWords, type Lexicon } from "./words.ts";

const MAX_INTENTS = 8;

/** The parts of a prompt in order; the prompt itself when it is one. */
export function splitIntents(prompt: string): string[] {
  const parts = prompt
    .replace(/\s+/g, " ")
    .split(/[;,.!?]|\band then\b|\bafter that\b|\bthen\b|\band\b/i)
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
  return parts.length > 1 ? parts.slice(0, MAX_INTENTS) : [prompt.trim()];
}

/** "Take the torch and the rope": the second part borrows the verb of the first. Null when it has one of its own. */
export function withBorrowedVerb(part: string, before: string | undefined, lexicon: Lexicon): string | null {
  const [own = ""] = readWords(part, lexicon).words;
  const [verb] = before === undefined ? [] : readWords(before, lexicon).words;
  if (verb === undefined || isKnownVerb(own, lexicon)) return null;
  return `${verb.replaceAll("_", " ")} ${part}`;
}
