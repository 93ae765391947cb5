/**
 * How many guesses a token would take, at most, as a power of two. Nobody can see in a token how it was made, so this
 * takes it for drawn by lot only as far as it looks so: what repeats, runs on or reads like words counts for little.
 */

/** What is left of a really drawn token's bits when chance has put a short run into it. */
export const STRONG_BITS = 112;

export function bitsOfToken(token: string): number {
  const single = token.replaceAll(/(.)\1/gs, "$1");
  // Some characters come twice by chance, not nearly all of them.
  const written = single.length <= token.length * 0.6 ? single : token;
  return Math.min(bitsAsWritten(written), bitsOfLetters(token));
}

const ALPHABETS: [alphabet: RegExp, size: number][] = [
  [/^[0-9]+$/, 10],
  [/^(?:[0-9a-f]+|[0-9A-F]+)$/, 16],
  [/^(?:[a-z]+|[A-Z]+)$/, 26],
  [/^(?:[0-9a-z]+|[0-9A-Z]+)$/, 36],
  [/^[0-9a-zA-Z]+$/, 62],
  [/^[0-9a-zA-Z_-]+$/, 64],
];

/** Shorter ones turn up by chance. */
const SHORTEST_PIECE = 4;
/** Where a piece was before, or which way it runs, and for how long. */
const PIECE_BITS = 10;

/** Written down as shortly as may be: each character, or "as before" and "and so on" for whole pieces. */
function bitsAsWritten(token: string): number {
  const size = ALPHABETS.find(([alphabet]) => alphabet.test(token))?.[1] ?? 94;
  let bits = 0;
  for (let at = 0; at < token.length;) {
    const length = Math.max(repeatAt(token, at), runAt(token, at));
    const isPiece = length >= SHORTEST_PIECE;
    bits += isPiece ? PIECE_BITS : Math.log2(size);
    at += isPiece ? length : 1;
  }
  return bits;
}

/** How long what begins here was there before, forwards or backwards, in either case. */
function repeatAt(token: string, at: number): number {
  const plain = token.toLowerCase();
  const before = plain.slice(0, at);
  const mirrored = reversed(before);
  let length = 0;
  const isThere = (piece: string): boolean => before.includes(piece) || mirrored.includes(piece);
  while (at + length < plain.length && isThere(plain.slice(at, at + length + 1))) length++;
  return length;
}

function reversed(text: string): string {
  return Array.from(text).toReversed().join("");
}

const ROWS = ["abcdefghijklmnopqrstuvwxyz", "0123456789abcdef", "1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"];

/** How long it goes on in one step from here, on a keyboard or in a list: `aaaa`, `4567`, `ytrewq`. */
function runAt(token: string, at: number): number {
  const rest = token.slice(at).toLowerCase();
  const same = rest.length - rest.replace(/^(.)\1*/s, "").length;
  const ways = ROWS.flatMap((row) => [row, reversed(row)]);
  let length = 0;
  while (length < rest.length && ways.some((row) => row.includes(rest.slice(0, length + 1)))) length++;
  return Math.max(same, length);
}

const FREQUENT = new Set(
  "th he in er an re nd at on nt ha es st en ed to it ou ea hi is or ti as te et ng of al de se le sa si ar ve ra ld ur ro ic ne el ll co me ec ri ce ma ta la li".split(
    " ",
  ),
);
/** Of pairs of letters that were drawn by lot about one in twelve is a frequent one; of English every second. */
const WORDS_FROM = 0.4;
/** What a letter of a sentence tells that the ones before it do not. */
const BITS_A_LETTER = 1.5;

/** Without end when it does not read like words: mostly letters of one case, the pairs of which are those of English. */
function bitsOfLetters(token: string): number {
  const words = token.match(/[A-Z]?[a-z]{3,}|[A-Z]{4,}/g) ?? [];
  const pairs = words.flatMap((word) => Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2)));
  const frequent = pairs.filter((pair) => FREQUENT.has(pair.toLowerCase())).length;
  if (words.join("").length < token.length / 2 || frequent < pairs.length * WORDS_FROM) return Infinity;
  const letters = token.replaceAll(/[^a-zA-Z]/g, "").length;
  return letters * BITS_A_LETTER + (token.length - letters) * Math.log2(94);
}
