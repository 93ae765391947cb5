/** Pieces that have broken programs before, as bytes: `mutate-bytes.ts` puts them where they hurt. */
import { Buffer } from "node:buffer";
import fc from "fast-check";

const DEEP = 400;

export const HOSTILE_PIECES: readonly Buffer[] = [
  // Numbers at the edges of everything.
  ...[
    "0",
    "-0",
    "-1",
    "1e400",
    "-1e400",
    "1E-400",
    "9007199254740993",
    "2147483648",
    "4294967296",
    "1.7976931348623157e308",
  ],
  ...["0x10", "01", "+1", ".5", "NaN", "Infinity", `1${"0".repeat(400)}`],
  // Words with a meaning to JavaScript.
  ...[
    '"__proto__"',
    '"__proto__":{"type":"done","ok":true},',
    '"constructor":{"prototype":{}},',
    '"toString"',
    "undefined",
  ],
  ...['"hasOwnProperty":1,', '"length":1e9,', '"then":{},', '"toJSON":"x",'],
  // Structure.
  ...[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    "null",
    "true",
    "{}",
    "[]",
    '""',
    "/*",
    "//",
    "#",
    "---",
    "<<: *a",
    "&a [*a]",
  ],
  ...["[".repeat(DEEP), "]".repeat(DEEP), '{"a":'.repeat(DEEP), "}".repeat(DEEP), "\\\\".repeat(DEEP)],
  // Text: lone surrogates, marks that turn it round or hide it, ends of lines that are none.
  ...['"\\ud800"', '"\\udc00\\ud800"', "\\u0000", "\u202e", "\u2066", "\u200b", "\u2028", "\u2029", "\u0085", "\ufeff"],
  ...["\r\n", "\n", "\r", "\t", "\0", "\u001b[2J", "\u{1f600}", "e\u0301", "İ", "ß", "\u3000"],
  // Places and programs.
  ...[
    "../../../../etc/passwd",
    "/dev/zero",
    "%2e%2e%2f",
    "%00",
    "%ff",
    "file:///etc/passwd",
    "$(id)",
    "${x}",
    "`id`",
    "a=b,c=d",
  ],
  `"${"k".repeat(70_000)}":1,`,
]
  .map((text) => Buffer.from(text))
  .concat(
    // What is no UTF-8: a byte that never occurs, an overlong NUL, a surrogate, half a character, beyond the last.
    [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf4, 0x90, 0x80, 0x80], [0xfe, 0xff]].map((bytes) =>
      Buffer.from(bytes),
    ),
  );

const CHARACTERS = "abz09 ._-:/=,;|#\"'\\{}[]<>~*+?!%&$@()^`".split("");
const STRANGE = [
  "\u202e",
  "\u2066",
  "\u200b",
  "\u2028",
  "\u0085",
  "\ufeff",
  "\u{1f600}",
  "e\u0301",
  "\u0130",
  "\u00df",
  "\t",
  "\0",
  "\u001b",
  "\u009b",
];

/** Short text of letters, of all that means something somewhere, and of what is seldom seen. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...CHARACTERS) }, fc.constantFrom(...STRANGE)), {
    maxLength: 12,
  })
  .map((characters) => characters.join(""));
