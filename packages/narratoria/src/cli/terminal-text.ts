/**
 * Text for a terminal: cleaned of everything that could steer it, Markdown's emphasis as bold and italic, wrapped.
 * Whatever a story or a tool wrote passes through `clean` first.
 */
import type pc from "picocolors";

type Colors = ReturnType<typeof pc.createColors>;

/**
 * Escape sequences whole: strings with a terminator, control sequences, the rest. Each alternative takes what it has
 * seen, so this is linear; `stripVTControlCharacters` of node:util is not, and tools choose the text.
 */
const STRING_BEGINS = String.raw`(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])`;
const STRINGS = STRING_BEGINS + String.raw`[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?`;
const SEQUENCES = String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?`;
const ESCAPES = new RegExp(`${STRINGS}|${SEQUENCES}|${String.raw`\u001b[ -/]*[0-~]?`}`, "g");
/** C0 without newline and tab, DEL, C1, the marks that turn the direction of writing around, other ends of lines. */
// oxlint-disable-next-line no-control-regex -- finding control characters is the point.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff]/g;

export function clean(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(ESCAPES, "").replaceAll(CONTROLS, "").replaceAll("\t", "  ");
}

/** Text of ours around what was cleaned before: our styles stay, and whatever slipped through does not. */
export function cleanStyled(text: string): string {
  return text
    .split(STYLE)
    .map((part, index) => (index % 2 === 1 ? part : clean(part)))
    .join("");
}

/** On one line, and not longer than that. */
export function cleanLine(text: string, columns = Number.MAX_SAFE_INTEGER): string {
  const line = clean(text).replaceAll(/\s+/g, " ").trim();
  if (widthOf(line) <= columns) return line;
  let short = "";
  let width = 0;
  for (const character of line) {
    width += widthOf(character);
    if (width > columns - 1) break;
    short += character;
  }
  return `${short.trimEnd()}…`;
}

/** Paragraphs of clean text, each wrapped; a blank line stays between them. */
export function renderProse(text: string, columns: number, style: Colors): string[] {
  const paragraphs = clean(text)
    .split(/\n\s*\n|\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== "");
  return paragraphs.flatMap((paragraph, index) => [
    ...(index === 0 ? [] : [""]),
    ...wrap(renderEmphasis(paragraph, style), columns),
  ]);
}

export function wrap(text: string, columns: number, indent = ""): string[] {
  return wrapWhole(text.split(" "), columns, indent);
}

/** Breaks lines between pieces, never within one. */
export function wrapWhole(pieces: readonly string[], columns: number, indent = ""): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of pieces) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > columns - indent.length) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line].map((each) => indent + each);
}

/** What a reader of plain text would miss; everything else of Markdown reads well as it is. Lengths keep it linear. */
function renderEmphasis(text: string, style: Colors): string {
  const heading = /^#{1,6}\s+(.*)$/.exec(text)?.[1];
  if (heading !== undefined) return eachWord(heading, style.bold);
  return text
    .replaceAll(/!\[([^\]]{0,200})\]\([^)]{0,200}\)/g, "[$1]")
    .replaceAll(/\[([^\]]{1,200})\]\((?!asset:)([^)\s]{1,200})\)/g, "$1 ($2)")
    .replaceAll(/(?<!\w)(\*\*|__)(?=\S)(.{1,400}?)(?<=\S)\1(?!\w)/g, (_, _mark, inner: string) =>
      eachWord(inner, style.bold),
    )
    .replaceAll(/(?<![\w*])([*_])(?=[^\s*_])(.{1,400}?)(?<=[^\s*_])\1(?![\w*])/g, (_, _mark, inner: string) =>
      eachWord(inner, style.italic),
    );
}

/** Word by word, so that a line may be broken anywhere without carrying a style over the break. */
function eachWord(text: string, paint: (word: string) => string): string {
  return text
    .split(" ")
    .map((word) => paint(word))
    .join(" ");
}

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u;

// oxlint-disable-next-line no-control-regex -- our own styles begin with one.
const STYLES = /\u001b\[[0-9;]*m/g;
/** Those that we use: no others, which could hide text or put it on another ground. */
// oxlint-disable-next-line no-control-regex -- our own styles begin with one.
const STYLE = /(\u001b\[(?:1|2|3|22|23|33|35|36|39)m)/;

/** In cells of the terminal; styles take none. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text.replaceAll(STYLES, "")) {
    if (!/\p{M}/u.test(character)) width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}
