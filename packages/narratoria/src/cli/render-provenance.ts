/** Where a value came from, in sentences. */
import type { Provenance, Setting } from "../index.ts";
import type { Terminal } from "./terminal.ts";
import { cleanLine, wrap } from "./terminal-text.ts";
import { plainName, wordsForValue } from "./words.ts";

export function renderProvenance(provenance: Provenance, terminal: Terminal): string[] {
  const { path, value, setBy, before } = provenance;
  const { style } = terminal;
  const lines = [style.bold(`${cleanLine(path) || "/"} is ${wordsForValue(value)}`)];
  const say = (text: string): void => void lines.push(...wrap(text, terminal.columns(), "  "));
  if (setBy === null) say(value === null ? "Nothing in this story ever set it." : "The story began with it.");
  else say(`The ${sourceOf(setBy)}.`);
  for (const earlier of before) {
    lines.push(
      ...wrap(`Before that ${wordsForValue(earlier.value)}: the ${sourceOf(earlier)}.`, terminal.columns(), "  ").map(
        style.dim,
      ),
    );
  }
  return lines;
}

function sourceOf({ skill, toolId, attempt, prompt }: Setting): string {
  const tries = attempt !== null && attempt > 1 ? ` on attempt ${attempt}` : "";
  const because = prompt === null ? " in the opening scene" : `, because you said "${cleanLine(prompt, 120)}"`;
  return `${plainName(skill ?? toolId ?? "story")} did it${tries}${because}`;
}
