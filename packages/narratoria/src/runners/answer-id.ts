/** Whose an answer is that cannot be read: `module-stdio.ts` fails that call, rather than let it wait for nothing. */
import type { Frame } from "@narratoria/tool/ndjson";

/** The id that a line gives itself; null when it looks like no answer. Ids are ours, and so digits. */
export function idOfUnreadable(frame: Frame): string | null {
  const beginning = frame.kind === "line" ? frame.text : frame.excerpt;
  if (!/^\s*\{/.test(beginning)) return null;
  const ending = frame.kind === "line" ? "" : (frame.ending ?? "");
  return idAmongFields(beginning) ?? digitsOf(ID_AS_LAST_FIELD.exec(ending));
}

const ID_FIELD = /"id"\s*:\s*(?:"(\d+)"|(\d+))/y;
const ID_AS_LAST_FIELD = /"id"\s*:\s*(?:"(\d+)"|(\d+))\s*\}\s*$/;

/** Of the object itself, not of one inside it, nor in a string. */
function idAmongFields(text: string): string | null {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    else if (character === '"') {
      ID_FIELD.lastIndex = at;
      const id = depth === 1 ? digitsOf(ID_FIELD.exec(text)) : null;
      if (id !== null) return id;
      at = endOfString(text, at);
    }
  }
  return null;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

function digitsOf(match: RegExpExecArray | null): string | null {
  return match?.[1] ?? match?.[2] ?? null;
}
