/** What the player has in sight: what was told lately and what the state names. Its words are known, and can be examined. */
import type { Lexicon } from "./lexicon.ts";
import type { Sight } from "./match.ts";
import { tokensOf } from "./words.ts";

/** As much as anybody still has before their eyes. */
export const MOST_SEEN = 6_000;

/** Read only when somebody asks: most prompts are understood without. */
export function readSight(texts: readonly string[], lexicon: Lexicon): Sight {
  let clauses: string[][] | null = null;
  let words: Set<string> | null = null;
  const read = (): string[][] => {
    return (clauses ??= texts.flatMap((text) =>
      text
        .slice(-MOST_SEEN)
        .split(/[^\p{L}\p{N}\p{M}'’-]+ |[.,;:!?()\n]/u)
        .map((clause) => tokensOf(lexicon.plain(clause), lexicon)),
    ));
  };
  return {
    has: (token) => (words ??= new Set(read().flat())).has(token),
    hasPair: (word, noun) =>
      read().some((tokens) =>
        tokens.some((token, at) => means(token, word.keys, lexicon) && means(tokens[at + 1] ?? "", noun.keys, lexicon)),
      ),
  };
}

function means(token: string, keys: readonly string[], { keysOf }: Lexicon): boolean {
  return token !== "" && keysOf(token).some((key) => keys.includes(key));
}
