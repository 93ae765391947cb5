/** A name that somebody else chose: it cannot turn the words around it, and what would be invisible in it shows. */

/** Direction marks, zero-width characters and other letters without a body; joiners make emoji and scripts work. */
const UNSEEN = /(?!\u200c|\u200d|\n|\t)[\p{Cf}\p{Cc}\u115f\u1160\u3164\uffa0]/gu;

export function Name({ text }: { text: string }) {
  return <bdi>{showUnseen(text)}</bdi>;
}

export function showUnseen(text: string): string {
  const seen = text.replaceAll(UNSEEN, (letter) => `⟨U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase()}⟩`);
  return seen.trim() === "" || /^(?:\u200c|\u200d|\s)+$/.test(seen) ? `“${seen}”` : seen;
}

/** For places that take text only, such as the window's title or a question to type a name. */
export function dropUnseen(text: string): string {
  return text.replaceAll(UNSEEN, "").replaceAll(/\s+/g, " ").trim();
}
