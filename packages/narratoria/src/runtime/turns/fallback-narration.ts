/** What a player reads when nothing else can be told: it quotes the prompt, and there is always something to do next. */
import type { Choice } from "@narratoria/tool/protocol";

export interface FallbackNarration {
  narrative: string;
  choices: Choice[];
}

/** `choices` are those the player saw; without any, looking around is one. */
export function fallbackNarration(prompt: string | null, choices: readonly Choice[], seed: number): FallbackNarration {
  const openTo = choices.length > 0 ? [...choices] : [{ label: "Look around" }];
  if (prompt === null) {
    return { narrative: "The story hesitates on its threshold. Give it a moment, and try again.", choices: openTo };
  }
  const template = pickBySeed(TEMPLATES, seed);
  return { narrative: fillPrompt(template, prompt), choices: openTo };
}

const TEMPLATES = [
  "You set about it: *{prompt}*. But the moment slips away, and you stand where you stood. What now?",
  "*{prompt}*, you think, and begin; yet nothing comes of it this time. Other ways are open to you.",
  "You try: *{prompt}*. The world does not yield, not here and not now. You take a breath and look about you.",
] as const;

/** The same seed picks the same text. */
export function pickBySeed<T>(list: readonly [T, ...T[]], seed: number): T {
  const whole = Math.abs(Number.isInteger(seed) ? seed : Math.floor(seed * 2 ** 31));
  return list[Number.isFinite(whole) ? whole % list.length : 0] ?? list[0];
}

const QUOTED_LENGTH = 120;

/** Puts what the player typed into a text, on one line, not too long, and without Markdown of its own. */
export function fillPrompt(template: string, prompt: string): string {
  const line = prompt.replace(/\s+/g, " ").trim();
  const short = line.length > QUOTED_LENGTH ? `${line.slice(0, QUOTED_LENGTH - 1).trimEnd()}…` : line;
  const shown = short.replace(/[\\`*_[\]<>#!|~]/g, "\\$&");
  // A function: `$&` in what was typed must not mean anything.
  return template.replaceAll("{prompt}", () => shown);
}
