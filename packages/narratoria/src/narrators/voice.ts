/** What a story says where no choice speaks: its own words from `story.json`, else those of its language. */
import { fillPrompt, pickBySeed } from "../runtime/turns/fallback-narration.ts";
import type { Voice } from "../story/story-file.ts";
import type { Language, Sentences } from "./understanding/language.ts";

/** The sentences that are not picked from several. */
type SentenceName = Exclude<keyof Sentences, "unmatched">;

export interface StorySpeaker {
  unmatched(prompt: string, seed: number): string;
  /** `{prompt}` is what was typed; what else stands in braces is given. */
  say(name: SentenceName, about?: { prompt?: string } & Readonly<Record<string, string>>): string;
  /** Labels as a list in a sentence: "*Light the torch*, or *Leave*". */
  list(labels: readonly string[]): string;
}

export function createSpeaker(voice: Voice, { sentences }: Language): StorySpeaker {
  return {
    unmatched: (prompt, seed) => {
      const [first, ...others] = voice.unmatched ?? [];
      const own: readonly [string, ...string[]] = first === undefined ? sentences.unmatched : [first, ...others];
      return fillPrompt(pickBySeed(own, seed), prompt);
    },
    say: (name, { prompt = "", ...about } = {}) => {
      const text = fillPrompt(voice[name] ?? sentences[name], prompt);
      return Object.entries(about).reduce((said, [key, value]) => said.replaceAll(`{${key}}`, () => value), text);
    },
    list: (labels) => {
      const quoted = labels.map((label) => `*${label.replace(/[.…]+$/, "")}*`);
      const last = quoted.pop() ?? "";
      return quoted.length > 0 ? `${quoted.join(", ")}, ${sentences.or} ${last}` : last;
    },
  };
}
