/**
 * A name, a path or a command that somebody else chose, as it is shown where a person decides: in quotes that it cannot
 * end, isolated so that it cannot turn the words around it, at most so long, and every unusual character spelled out.
 */

const FIRST_STRONG_ISOLATE = "\u2068";
const POP_ISOLATE = "\u2069";

/** In quotes and isolated: for a sentence. */
export function shownName(text: string, most = 60): string {
  return `“${FIRST_STRONG_ISOLATE}${shownPlain(text, most)}${POP_ISOLATE}”`;
}

/** Long enough for any path that people have; of a longer one both ends are shown. */
export function shownPath(path: string): string {
  return shownName(path, 240);
}

/** Without quotes, for a place of its own: a cell, an element that isolates. */
export function shownPlain(text: string, most = 60): string {
  const letters = Array.from(text);
  if (letters.length <= most) return spellOut(text) || "(nothing)";
  const tail = Math.floor(most / 3);
  // From the middle: a path's end says as much as its beginning.
  return `${spellOut(letters.slice(0, most - tail - 1).join(""))}…${spellOut(letters.slice(-tail).join(""))}`;
}

/** Letters of any script with the few marks they carry, digits, and what stands on a keyboard but the double quote. */
const UNUSUAL =
  /[^\p{L}\p{Mn}\p{Mc}\p{Nd} !#-~]|["\u115f\u1160\u3164\uffa0]|\p{Default_Ignorable_Code_Point}|(?<=\p{M}{2})\p{M}|(?<!\p{L}|\p{M})\p{M}/u;
/** Letters to Unicode, but quotes, colons and dots to the eye; not those that words are written with. */
const LIKE_A_SIGN = /(?![\u0e46\u0ec6\u3005\u303b\u309d\u309e\u30fc-\u30fe])\p{Lm}|[\u01c0-\u01c3\ua4f8-\ua4fd]/u;
const LIKE_LATIN =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u;
const UNSAFE = new RegExp(`${UNUSUAL.source}|${LIKE_A_SIGN.source}`, "gu");
const UNSAFE_BESIDE_LATIN = new RegExp(`${UNSAFE.source}|${LIKE_LATIN.source}`, "gu");
const WORDS_AND_OTHERS = /[\p{L}\p{M}]+|[^\p{L}\p{M}]+/gu;

function spellOut(text: string): string {
  return text.toWellFormed().replaceAll(WORDS_AND_OTHERS, (word) =>
    // A word of two alphabets that look alike is one thing to the eye and another to the machine.
    word.replaceAll(/\p{Script=Latin}/u.test(word) ? UNSAFE_BESIDE_LATIN : UNSAFE, spell),
  );
}

/** Nobody can fake this: the brackets themselves are spelled out. */
function spell(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
