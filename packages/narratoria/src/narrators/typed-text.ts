/**
 * What the player typed, as ink may hold it: `EXTERNAL prompt()` gives it, `ink-play.ts` puts it right again wherever it
 * comes out of ink. In between it may stand in a tool tag, and nothing that was typed may become a part of the tag's own.
 */

/** What means something in a tag, and what stands for it in ink: characters that no keyboard has. */
const STAND_INS: ReadonlyMap<string, string> = new Map([
  ['"', "\u{F0001}"],
  ["=", "\u{F0002}"],
  ["{", "\u{F0003}"],
  ["}", "\u{F0004}"],
]);
const MEANT = new Map([...STAND_INS].map(([character, standIn]) => [standIn, character]));
/** Keeps `optional` and `async` from being read as a tag's own words. */
const BREAK = "\u{F0005}";
const OWN_WORDS = /(?<![^\s])(o)(?=ptional(?:\s|$))|(?<![^\s])(a)(?=sync(?:\s|$))/g;

/** On one line: in ink a line's end is a paragraph's. */
export function toInk(typed: string): string {
  const line = typed
    .replace(/[\u{F0001}-\u{F0005}]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  return line.replace(/["={}]/g, (character) => STAND_INS.get(character) ?? "").replace(OWN_WORDS, `$&${BREAK}`);
}

export function fromInk(text: string): string {
  return text.replace(/[\u{F0001}-\u{F0005}]/gu, (standIn) => MEANT.get(standIn) ?? "");
}
