/** A log line as a list shows it: colours and line breaks, printed for a terminal, are made plain. */
import { showUnseen } from "../name.tsx";

const SHOWN_CHARACTERS = 400;
// oxlint-disable-next-line no-control-regex -- these are the characters looked for
const COLOURS = /\u001B\[[0-9;]*m/g;

export function wordsForLine(message: string): string {
  const shown = message
    .slice(0, SHOWN_CHARACTERS)
    .replaceAll(COLOURS, "")
    .replaceAll(/\r?\n/g, " ⏎ ")
    .replaceAll("\t", "    ");
  return shown.trim() === "" ? shown : showUnseen(shown);
}

/** Pieces that a browser can lay out one at a time: a line may have ten million characters. */
export function splitForReading(text: string, length = 1000): string[] {
  return text
    .replaceAll(COLOURS, "")
    .split("\n")
    .flatMap((line) => piecesOf(line, length));
}

function piecesOf(line: string, length: number): string[] {
  if (line.length <= length) return [line];
  const pieces: string[] = [];
  for (let at = 0; at < line.length;) {
    // Half a character would show as a question mark.
    const isInside = /[\uD800-\uDBFF]/.test(line.charAt(at + length - 1));
    const end = at + length - (isInside ? 1 : 0);
    pieces.push(line.slice(at, end));
    at = end;
  }
  return pieces;
}
