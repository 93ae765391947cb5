/** What the story says of a thing: the sentences that name it, and what the state knows of it. */
import { isJsonObject, type Json, type JsonObject } from "@narratoria/tool/json";
import type { Lexicon } from "./lexicon.ts";
import { readWords, tokensOf, type Word } from "./words.ts";

const MOST_SENTENCES = 3;
const MOST_NODES = 2_000;
const DEEPEST = 4;

/** Sentences of the texts, the first text's first, that name the thing; none twice. */
export function sentencesAbout(thing: string, texts: readonly string[], lexicon: Lexicon): string[] {
  const head = headOf(thing, lexicon);
  if (head === null) return [];
  const found = new Set<string>();
  for (const text of texts) {
    for (const sentence of sentencesOf(text, lexicon)) {
      if (names(sentence, head, lexicon)) found.add(sentence);
      if (found.size === MOST_SENTENCES) return [...found];
    }
  }
  return [...found];
}

/** A value of the state that the thing names, by its key or by the name it has. */
export function stateAbout(thing: string, state: JsonObject, lexicon: Lexicon): { key: string; value: Json } | null {
  const head = headOf(thing, lexicon);
  if (head === null) return null;
  let nodes = 0;
  const search = (object: JsonObject, depth: number): { key: string; value: Json } | null => {
    for (const [key, value] of Object.entries(object)) {
      if (++nodes > MOST_NODES) return null;
      const own = isJsonObject(value) && typeof value["name"] === "string" ? value["name"] : "";
      if (names(`${key.replaceAll(/[_-]/g, " ")} ${own}`, head, lexicon) && isThere(value)) return { key, value };
      const inside = isJsonObject(value) && depth < DEEPEST ? search(value, depth + 1) : null;
      if (inside !== null) return inside;
    }
    return null;
  };
  return search(state, 1);
}

function isThere(value: Json): boolean {
  return value !== null && value !== false;
}

export function sentencesOf(text: string, { tag }: Pick<Lexicon, "tag">): string[] {
  const sentences = [...new Intl.Segmenter(tag, { granularity: "sentence" }).segment(text)];
  return sentences.map(({ segment }) => segment.trim()).filter((sentence) => sentence !== "");
}

/** "The old oak door with the marks" is about a door. */
function headOf(thing: string, lexicon: Lexicon): Word | null {
  const things = readWords(thing, lexicon).words.filter(({ kind }) => kind !== "particle");
  return things.find(({ isModifier }) => !isModifier) ?? null;
}

function names(text: string, head: Word, lexicon: Lexicon): boolean {
  return tokensOf(lexicon.plain(text), lexicon, 500).some((token) => {
    return !lexicon.small.has(token) && lexicon.keysOf(token).some((key) => head.keys.includes(key));
  });
}
