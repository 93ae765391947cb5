/** The words of a story that has none of its own for the moment: nothing fits, help, an empty pocket. */
import { fillPrompt, pickBySeed } from "../runtime/turns/fallback-narration.ts";
import type { Voice } from "../story/story-file.ts";

const UNMATCHED: readonly [string, ...string[]] = [
  "You turn the thought over — *{prompt}* — but cannot see how to go about it here.",
  "*{prompt}*? The place gives you no hold for that, not yet.",
  "You consider it: *{prompt}*. Not here, or not like that.",
];

/** What to say to words that fit no choice. */
export function sayUnmatched(voice: Voice, prompt: string, seed: number): string {
  const [first, ...others] = voice.unmatched ?? [];
  return fillPrompt(pickBySeed(first === undefined ? UNMATCHED : [first, ...others], seed), prompt);
}

/** Said behind what was done, when the rest of a prompt was not understood. */
export function sayRestUnmatched(part: string): string {
  return fillPrompt("(As for *{prompt}*: you see no way to do that from here.)", part);
}

export function sayAmbiguous(part: string): string {
  return fillPrompt("*{prompt}* could mean more than one thing here. Which one?", part);
}

export const HELP =
  "Say what you do, in your own words, or pick one of the choices. You may do two things in one sentence. " +
  "*look* shows you the place again, *inventory* what you carry.";

export const INVENTORY_EMPTY = "You carry nothing worth naming.";

export const STUMBLED =
  "The story stumbles here, as if a page were missing, and you find yourself where you were a moment ago.";

export const OVER = "This story has been told to its end.";

/** "You could light the torch, or examine the door." Choices keep their own words. */
export function listPossibilities(labels: readonly string[]): string {
  if (labels.length === 0) return "";
  const quoted = labels.map((label) => `*${label.replace(/[.…]+$/, "")}*`);
  const last = quoted.pop() ?? "";
  return `You could: ${quoted.length > 0 ? `${quoted.join(", ")}, or ${last}` : last}.`;
}
