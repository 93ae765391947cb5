/** Text out of the bytes of a file that somebody wrote: UTF-8, with or without a byte order mark, and nothing guessed. */
import { Buffer, isUtf8 } from "node:buffer";

export type DecodedText =
  | { kind: "text"; text: string }
  /** `why` goes on where the file's name stops: "is not valid UTF-8". */
  | { kind: "no_text"; why: string };

export function decodeText(bytes: Buffer): DecodedText {
  if (isUtf8(bytes)) return { kind: "text", text: bytes.toString("utf8").replace(/^\uFEFF/, "") };
  if (UTF16_MARKS.some((mark) => bytes.indexOf(mark) === 0))
    return { kind: "no_text", why: "is UTF-16; save it as UTF-8" };
  return { kind: "no_text", why: `is not valid UTF-8 (line ${findBadLine(bytes)}); save it as UTF-8` };
}

const UTF16_MARKS = [Buffer.of(0xff, 0xfe), Buffer.of(0xfe, 0xff)];
const NEWLINE = 0x0a;

/** No character has a newline inside, so every line can be judged by itself. */
function findBadLine(bytes: Buffer): number {
  let line = 1;
  for (let from = 0; from < bytes.length; line++) {
    const newline = bytes.indexOf(NEWLINE, from);
    const to = newline === -1 ? bytes.length : newline;
    if (!isUtf8(bytes.subarray(from, to))) break;
    from = to + 1;
  }
  return line;
}
