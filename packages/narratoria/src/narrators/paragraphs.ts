/** Text as paragraphs: every line of ink is one. */
export function asText(lines: readonly { text: string }[]): string {
  return joinParagraphs(lines.map(({ text }) => text));
}

export function joinParagraphs(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

export function paragraphs(text: string): string[] {
  return text === "" ? [] : text.split("\n\n");
}
