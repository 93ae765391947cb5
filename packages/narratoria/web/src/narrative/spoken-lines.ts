/**
 * What there is to say to those who listen: each paragraph once, and of one that is being told each sentence as soon as
 * it is whole. `live-region.tsx` says it.
 */
import type { SessionView, TurnView } from "../../../src/story/session-view.ts";

export interface SpokenLine {
  key: string;
  text: string;
}

/** How much was said of each text. */
export type Spoken = ReadonlyMap<string, number>;

/** Null: nothing was said yet, and what was there at the start stays silent. */
export function linesToSpeak(view: SessionView, before: Spoken | null): { lines: SpokenLine[]; spoken: Spoken } {
  const spoken = new Map(before);
  const lines: SpokenLine[] = [];
  const asks = view.asks.map((ask) => ({ key: ask.askId, text: ask.question, isGrowing: false }));
  for (const { key, text, isGrowing } of [...view.turns.flatMap(textsOf), ...asks]) {
    const from = spoken.get(key) ?? 0;
    const to = isGrowing && before !== null ? endOfSentences(text) : text.length;
    if (spoken.has(key) && to <= from) continue;
    spoken.set(key, to);
    const said = withoutMarks(text.slice(from, to)).trim();
    if (before !== null && said !== "") lines.push({ key: `${key} ${from}`, text: said });
  }
  return { lines, spoken };
}

interface Speakable extends SpokenLine {
  /** More of it may come. */
  isGrowing: boolean;
}

function textsOf({ turnId, status, passages, notice }: TurnView): Speakable[] {
  const texts = passages.flatMap((passage, index) => {
    if (passage.kind === "text") {
      const mayGrow = passage.isTold === true && !passage.isWhole;
      const isGrowing = mayGrow && status === "running" && index === passages.length - 1;
      return [{ key: `${turnId} ${index}`, text: passage.text, isGrowing }];
    }
    // The same complaint again is no news.
    if (passage.kind === "problem")
      return [{ key: `${turnId} ${passage.message}`, text: passage.message, isGrowing: false }];
    return [];
  });
  return notice === null ? texts : [...texts, { key: `${turnId} notice`, text: notice, isGrowing: false }];
}

/** Where the last sentence that is surely whole ends: something came after it. */
function endOfSentences(text: string): number {
  const ends = [...text.matchAll(/[.!?…]["'”’»)*_]*\s|\n/g)];
  const last = ends.at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
}

function withoutMarks(markdown: string): string {
  return markdown.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[*_`#>]+/g, "");
}
